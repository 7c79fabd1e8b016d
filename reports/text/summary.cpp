// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/text/summary.hpp"

#include <algorithm>

#include "reports/model/checks/finding_rows.hpp"
#include "reports/model/checks/folded.hpp"
#include "reports/model/checks/label.hpp"
#include "reports/model/suite/outcome.hpp"
#include "reports/model/suite/overview.hpp"
#include "reports/model/tensor_picture.hpp"
#include "reports/model/text.hpp"
#include "reports/model/verdicts.hpp"
#include "reports/text/markdown.hpp"

namespace parity::reports {
namespace {

using markdown::block;
using markdown::code;
using markdown::plain;

constexpr size_t most_listed_failures = 50;
constexpr size_t room_for_rows = 250'000;  ///< bytes, of the table of cases
constexpr size_t most_arms = 4;            ///< whose last output is shown
constexpr size_t most_notes = 60;
constexpr size_t most_listed_changes = 20;
constexpr size_t most_listed_slow = 5;
constexpr size_t room_for_failures = 400'000;  ///< bytes; GitHub refuses a summary of more than 1 MiB

std::string verdict_cell(const std::string& name) {
  const VerdictLook* look = find_verdict(name);
  return (look ? std::string(look->sign) + " " : "") + name;
}

void write_row(std::string& text, const CaseLine& item) {
  const size_t held = item.checks - item.checks_failed;
  text += "| " +
          std::string(item.passed     ? "✅"
                      : item.failed() ? "❌"
                                      : "⏭️") +
          " | " + code(item.name) + " | " + verdict_cell(item.verdict) + " | " + plain(item.sentence, 420) +
          (item.evidence.stored > 0 ? "; " + plain(evidence_label(item.evidence.oldest)) : "") + " | " +
          std::to_string(held) + "/" + std::to_string(item.checks) + " | " + duration(item.seconds) + " |\n";
}

/// Failures come first; a suite in which every case holds is folded away.
void write_table(std::string& text, const Results& results) {
  if (results.cases.empty())
    return;
  const std::string head = "| | case | verdict | found | checks | time |\n|---|---|---|---|---:|---:|\n";
  size_t left_out = 0;
  std::string failing, holding;  // skipped cases are not folded away
  for (const bool passed : {false, true})
    for (const CaseLine& item : results.cases) {
      if (item.passed != passed)
        continue;
      if (failing.size() + holding.size() < room_for_rows)
        write_row(passed ? holding : failing, item);
      else
        ++left_out;
    }
  if (!failing.empty())
    text += head + failing + "\n";
  const size_t held = results.cases.size() - results.cases_failed() - results.cases_skipped();
  const bool folded = held > 12 || !failing.empty();
  if (!holding.empty() && folded)
    text += "<details>\n<summary>✅ " + count(held, "case holds", "cases hold") + "</summary>\n\n" + head +
            holding + "\n</details>\n\n";
  else if (!holding.empty())
    text += head + holding + "\n";
  if (left_out > 0)
    text += "and " + count(left_out, "more case") + " in index.html.\n\n";
}

void write_goldens(std::string& text, const Results& results) {
  const GoldenState state = golden_state(results);
  if (state.quantities == 0 && state.recorded.empty() && state.changed.empty())
    return;
  const std::string size = golden_size_label(results);
  text += "**Since the goldens:** " + state.sentence() + (size.empty() ? "" : "; " + size) + ".\n\n";
  for (size_t i = 0; i < std::min(state.changed.size(), most_listed_changes); ++i) {
    const Finding& change = state.changed[i];
    text += "- " + verdict_cell(change.check->verdict) + " " + code(change.item->name) + " " +
            plain(claim(*change.check), 160) + "\n";
  }
  if (state.changed.size() > most_listed_changes)
    text += "- and " + count(state.changed.size() - most_listed_changes, "more quantity", "more quantities") +
            "\n";
  for (size_t i = 0; i < std::min(state.recorded.size(), most_listed_changes); ++i)
    text += "- " + code(state.recorded[i].item->name) + " " + plain(state.recorded[i].check->sentence, 200) +
            "\n";
  if (!state.changed.empty() || !state.recorded.empty())
    text += "\n";
}

void write_slowest(std::string& text, const Results& results) {
  const std::vector<const CaseLine*> cases = slowest(results, most_listed_slow);
  if (cases.size() < 2)
    return;
  text += "**Slowest:** ";
  for (size_t i = 0; i < cases.size(); ++i)
    text += (i == 0 ? "" : ", ") + code(cases[i]->name) + " " + duration(cases[i]->seconds);
  text += ".\n\n";
}

void write_summary_check(std::string& text, const Check& check) {
  text += "**✗ " + verdict_cell(check.verdict) + "**: " + plain(check.sentence) + "\n\n";
  text += "| | |\n|---|---|\n";
  const auto row = [&](const char* name, const std::string& value) {
    if (!value.empty())
      text += "| " + std::string(name) + " | " + value + " |\n";
  };
  row("claim", plain(claim(check)));
  for (const FindingRow& each : finding_rows(check))
    row(each.label.c_str(), each.is_number ? code(each.value) : plain(each.value));
  row("measured", plain(measured_label(check, 4)));
  if (check.picture)
    row("map", plain(picture_sentence(*check.picture)));
  row("compared", plain(check.coverage.text));
  row("because", plain(check.because));
  text += "\n";
  if (!check.finding.next.empty())
    text += "Next:\n\n" + block(one_line(check.finding.next));
  if (!check.finding.cause.empty())
    text += "To find the cause:\n\n" + block(one_line(check.finding.cause));
}

void write_notes(std::string& text, const Results& results) {
  size_t notes = 0;
  for (const CaseLine& item : results.cases)
    for (const std::string& note : item.notes)
      if (notes++ < most_notes)
        text += "> " + code(item.name) + " " + plain(note) + "\n\n";
  if (notes > most_notes)
    text += "> and " + count(notes - most_notes, "more note") + " in index.html\n\n";
}

/// Writes the smallest defect that the checks detect, if it was measured.
void write_power(std::string& text, const Results& results) {
  size_t shown = 0;
  for (const CaseLine& item : results.cases)
    if (!item.power.empty() && shown++ < most_notes)
      text += "> " + code(item.name) + " power of the gate: " + plain(item.power) + "\n\n";
  if (shown > most_notes)
    text += "> and of " + count(shown - most_notes, "more case") + " in index.html\n\n";
}

/// \param end  size of the text beyond which no check is begun
/// \return the number of failed checks that were written
size_t write_failures(std::string& text, const Case& item, size_t room, size_t end) {
  size_t written = 0;
  text += "<details open>\n<summary>✗ <code>" + markdown::html(item.name, 160) + "</code> " +
          markdown::html(item.title) + "</summary>\n\n";
  if (!item.question.empty())
    text += "*" + plain(item.question) + "*\n\n";
  if (const std::string meshes = meshes_label(item); !meshes.empty())
    text += "Mesh: " + plain(meshes) + "\n\n";
  size_t arms = 0;
  for (const Arm& arm : item.arms)
    if (arm.failed() && arms++ < most_arms) {
      text += "**✗ arm** " + code(arm.name) + " " + failure_label(arm.failure->kind) + ": " +
              plain(arm.failure->message) + "\n\n";
      if (!arm.stderr_tail.empty()) {
        const std::string tail = escape_for_terminal(arm.stderr_tail);
        text += block(tail.size() > 4000 ? shorten(tail, 4000) : tail);
      }
    }
  const FoldedChecks folded = folded_checks(item.checks);
  for (const Check& check : item.checks)
    if (!check.passed && !folded.checks.contains(&check) && written < room && text.size() < end) {
      write_summary_check(text, check);
      ++written;
    }
  for (const std::string& sentence : folded.sentences)
    text += "**✗** " + plain(sentence) + "\n\n";
  if (item.checks_failed() > written + folded.checks.size())
    text += "and " + count(item.checks_failed() - written - folded.checks.size(), "more failed check") +
            " in index.html.\n\n";
  if (!item.reproduce.empty())
    text += "To run it again:\n\n" + block(one_line(item.reproduce));
  text += "</details>\n\n";
  return written;
}

}  // namespace

SummaryForm::SummaryForm(const Results& results, Sink out)
    : results_(results), out_(std::move(out)), room_(most_listed_failures) {
  text_ = "## " + std::string(results.passed() ? "✅ " : "❌ ") + outcome(results) + "\n\n";
  text_ += count(results.checks(), "check") + ", " + std::to_string(results.checks_failed()) + " failed; " +
           count(static_cast<size_t>(results.runs), "run") +
           (results.runs_cached > 0 ? ", " + std::to_string(results.runs_cached) + " from the cache" : "") +
           "; " + duration(results.seconds) + ".\n\n";
  if (const std::string evidence = results.evidence().label(); !evidence.empty())
    text_ += evidence + ".\n\n";
  write_goldens(text_, results);
  write_table(text_, results);
  end_ = text_.size() + room_for_failures;
}

void SummaryForm::add(const Case& item) {
  if (item.failed() && (room_ == 0 || text_.size() > end_))
    ++left_out_;
  else if (item.failed())
    room_ -= write_failures(text_, item, room_, end_);
}

void SummaryForm::end() {
  if (left_out_ > 0)
    text_ += "and " + count(left_out_, "more failing case") + " in index.html.\n\n";
  write_notes(text_, results_);
  write_power(text_, results_);
  write_slowest(text_, results_);
  std::string producer = "parity " + results_.version;
  if (!results_.commit.empty())
    producer += ", commit " + results_.commit + (results_.dirty ? " with local changes" : "");
  text_ += "<sub>" + plain(producer + ", " + results_.started) + "</sub>\n";
  out_(text_);
}

}  // namespace parity::reports
