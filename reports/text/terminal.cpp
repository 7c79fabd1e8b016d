// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/text/terminal.hpp"

#include <algorithm>
#include <set>

#include "reports/model/checks/finding_rows.hpp"
#include "reports/model/checks/folded.hpp"
#include "reports/model/checks/label.hpp"
#include "reports/model/suite/outcome.hpp"
#include "reports/model/text.hpp"
#include "reports/model/verdicts.hpp"

namespace parity::reports {
namespace {

constexpr size_t longest_name = 200;

/// Lines of text of a fixed width, with a few styles.
class Page {
 public:
  Page(Colour colour, int width) : colour_(colour), width_(static_cast<size_t>(std::max(width, 40))) {}

  std::string take() { return std::move(text_); }

  std::string good(const std::string& text) const { return paint("32", text); }
  std::string bad(const std::string& text) const { return paint("1;31", text); }
  std::string strong(const std::string& text) const { return paint("1", text); }
  std::string faint(const std::string& text) const { return paint("2", text); }
  std::string mark(bool passed) const { return passed ? good("✓") : bad("✗"); }

  void line(const std::string& text) { text_ += text + "\n"; }

  /// `head` (already styled, `head_width` columns), then words that wrap under the column where they began.
  void wrapped(const std::string& head, size_t head_width, std::string_view words) {
    wrapped(head, head_width, words, head_width);
  }

  /// Wraps text with `indent` columns before each further line.
  void wrapped(const std::string& head, size_t head_width, std::string_view words, size_t indent) {
    std::string row;
    bool first = true;
    const auto flush = [&] {
      text_ += (first ? head : std::string(indent, ' ')) + row + "\n";
      first = false;
      row.clear();
    };
    for (size_t at = 0; at < words.size();) {
      const size_t end = std::min(words.find(' ', at), words.size());
      const std::string_view word = words.substr(at, end - at);
      const size_t used = first ? head_width : indent;
      if (!row.empty() && used + width_of(row) + 1 + width_of(word) > width_)
        flush();
      row += (row.empty() ? "" : " ") + std::string(word);
      at = end + 1;
    }
    flush();
  }

  /// Writes "      expected  0.1".
  void field(const std::string& name, const std::string& value) {
    const std::string label = "      " + name + std::string(name.size() < 10 ? 10 - name.size() : 1, ' ');
    wrapped(faint(label), label.size(), value);
  }

  /// Writes a command, which is never wrapped, so that it can be pasted.
  void command(const std::string& name, const std::string& value) {
    line(faint("      " + name + std::string(name.size() < 10 ? 10 - name.size() : 1, ' ')) +
         one_line(value));
  }

 private:
  std::string paint(const char* code, const std::string& text) const {
    return colour_ == Colour::plain ? text : "\033[" + std::string(code) + "m" + text + "\033[0m";
  }

  Colour colour_;
  size_t width_;
  std::string text_;
};

/// \param tells_cause  false: an earlier check showed the same cause
void write_failure(Page& page, const Check& check, bool with_cause) {
  page.field("claim", shorten(claim(check), longest_name));
  for (const FindingRow& row : finding_rows(check))
    page.field(row.label, shorten(row.value, 400));
  if (const std::string measured = measured_label(check, 4); !measured.empty())
    page.field("measured", measured);
  if (!check.coverage.text.empty())
    page.field("compared", shorten(check.coverage.text, 400));
  if (!check.because.empty())
    page.field("because", shorten(check.because, 400));
  if (!check.finding.next.empty())
    page.command("next", check.finding.next);
  if (with_cause && !check.finding.cause.empty())
    page.command("cause", check.finding.cause);
}

void write_check(Page& page, const Check& check, bool with_cause) {
  const std::string finding = check.outcome();
  const std::string verdict = finding + std::string(10 - std::min<size_t>(finding.size(), 9), ' ');
  const std::string head =
      "  " + page.mark(check.passed) + " " + (check.passed ? page.faint(verdict) : page.bad(verdict));
  const std::string evidence = evidence_label(check.evidence);
  page.wrapped(head, 4 + verdict.size(),
               shorten(check.sentence, 2 * longest_name) + (evidence.empty() ? "" : "; " + evidence));
  if (!check.passed) {
    write_failure(page, check, with_cause);
    return;
  }
  for (const std::string& each : is_of_exact_twins(check) ? std::vector<std::string>() : check.finding.more)
    page.field("also", shorten(one_line(each), 2 * longest_name));
  if (with_cause && !check.finding.cause.empty())  // of a rounding: in which order the sides add
    page.command("cause", check.finding.cause);
}

void write_arm_failure(Page& page, const Arm& arm) {
  page.wrapped("  " + page.bad("✗") + " ", 4,
               "arm " + shorten(arm.name, longest_name) + " " + failure_label(arm.failure->kind) + ": " +
                   shorten(arm.failure->message, 2 * longest_name));
  const std::string tail = escape_for_terminal(arm.stderr_tail);
  for (size_t at = 0; at < tail.size();) {
    const size_t end = std::min(tail.find('\n', at), tail.size());
    page.line(page.faint("      | ") + shorten(tail.substr(at, end - at), 400));
    at = end + 1;
  }
}

bool is_stored_truth(const Check& check) {
  return check.kind == results::CheckKind::golden && check.passed && check.verdict == "identical";
}

/// Writes one line per check. Checks that agree with the golden in every bit are only counted. One quantity
/// represents all those in which an arm differs from its golden.
void write_checks(Page& page, const std::vector<Check>& checks) {
  const auto stored = std::ranges::count_if(checks, is_stored_truth);
  const FoldedChecks folded = folded_checks(checks);
  std::set<std::string> causes;
  for (const Check& check : checks)
    if ((stored < 2 || !is_stored_truth(check)) && !folded.checks.contains(&check))
      write_check(page, check, causes.insert(check.finding.cause).second);
  for (const std::string& sentence : folded.sentences)
    page.wrapped("  " + page.mark(false) + " ", 4, shorten(sentence, 2 * longest_name));
  if (stored >= 2)
    page.wrapped("  " + page.mark(true) + " " + page.faint("identical "), 14,
                 std::to_string(stored) + " stored quantities" + " agree with the golden, bit for bit");
}

void write_case(Page& page, const Case& item) {
  const std::string name = shorten(item.name, longest_name);
  const std::string aside = shorten(item.title == item.name ? "" : item.title, longest_name);
  page.wrapped(
      (item.skipped.empty() ? page.mark(item.passed) : page.strong("–")) + " " + page.strong(name) + "  ",
      width_of(name) + 4, aside + (aside.empty() ? "" : ", ") + duration(item.seconds) + " of runs", 2);
  if (const std::string meshes = meshes_label(item); !meshes.empty())
    page.wrapped(page.faint("  mesh "), 7, shorten(meshes, 2 * longest_name));
  write_checks(page, item.checks);
  for (const Arm& arm : item.arms)
    if (arm.failed())
      write_arm_failure(page, arm);
  for (const std::string& note : item.notes)
    page.wrapped("  ! ", 4, shorten(note, 2 * longest_name));
  if (item.power)
    page.wrapped(page.faint("  power "), 8, shorten(item.power->sentence, 2 * longest_name));
  if (!item.sentence.empty())
    page.wrapped("  → ", 4, shorten(item.sentence, 2 * longest_name));
  if (item.failed() && !item.reproduce.empty())
    page.command("again", item.reproduce);
}

void write_summary(Page& page, const Results& results) {
  const size_t checks = results.checks();
  const size_t failed = results.checks_failed();
  const std::string head = outcome(results);
  std::string rest = count(checks, "check") + (failed == 0 ? "" : ", " + std::to_string(failed) + " failed");
  if (results.runs > 0)
    rest += "; " + count(static_cast<size_t>(results.runs), "run") +
            (results.runs_cached > 0 ? ", " + std::to_string(results.runs_cached) + " from the cache" : "");
  page.wrapped((results.passed() ? page.good(head) : page.bad(head)) + "  ", width_of(head) + 2,
               rest + "; " + duration(results.seconds));
  for (const std::string& more : {results.evidence().label(), golden_size_label(results)})
    if (!more.empty())
      page.line(page.faint("  " + more));
  for (const CaseLine& item : results.cases)
    if (!item.passed)
      page.line("  " + (item.failed() ? page.bad("✗") : page.strong("–")) + " " +
                shorten(item.name, longest_name) + (item.failed() ? "" : "  skipped"));
}

}  // namespace

std::string terminal_case(const Case& item, Colour colour, int width) {
  Page page(colour, width);
  write_case(page, item);
  return page.take();
}

std::string terminal_summary(const Results& results, Colour colour, int width) {
  Page page(colour, width);
  write_summary(page, results);
  return page.take();
}

void TerminalForm::add(const Case& item) {
  out_(terminal_case(item, colour_, width_) + "\n");
}

void TerminalForm::end() {
  out_(terminal_summary(results_, colour_, width_));
}

}  // namespace parity::reports
