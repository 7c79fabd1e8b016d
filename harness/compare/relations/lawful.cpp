// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "harness/compare/relations/relation.hpp"
#include "harness/compare/sides/asked.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/laws/audit.hpp"
#include "harness/laws/laws.hpp"

namespace parity::compare {
namespace {

using laws::Answer;
using Rows = std::vector<const laws::Audit::Row*>;

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

Rows rows_with(const laws::Audit& audit, Answer answer) {
  Rows rows;
  for (const laws::Audit::Row& row : audit.rows)
    if (row.finding.answer() == answer)
      rows.push_back(&row);
  return rows;
}

/// Returns those rows whose law is in `names`, or those whose law is not.
Rows with_names(Rows rows, const std::vector<std::string>& names, bool in = true) {
  std::erase_if(rows, [&](const laws::Audit::Row* row) { return contains(names, row->law->name) != in; });
  return rows;
}

/// Returns "laws clip and update hold".
std::string describe(const Rows& rows, const char* one, const char* many) {
  std::vector<std::string> names;
  for (const laws::Audit::Row* row : rows)
    names.emplace_back(row->law->name);
  return fmt::format("law{} {} {}", rows.size() == 1 ? "" : "s", list_text(names),
                     rows.size() == 1 ? one : many);
}

CheckResult failed(Verdict verdict, std::string sentence) {
  CheckResult result;
  result.verdict = verdict;
  result.sentence = std::move(sentence);
  return result;
}

/// Describes the first departure: law, sentence, step, tensor and rank.
CheckResult departed(const Side& side, const Rows& rows) {
  const laws::Audit::Row& first = *rows.front();
  const laws::Departure& departure = first.finding.departures.front();
  CheckResult result = failed(Verdict::different, fmt::format("law {} departs in {}: {}", first.law->name,
                                                              side.name, departure.text()));
  if (const size_t more = first.finding.departures.size() - 1; more > 0)
    result.sentence += fmt::format("; {} of this law", count_text(more, "more departure"));
  for (const laws::Audit::Row* row : rows)
    for (const laws::Departure& each : row->finding.departures)
      if (&each != &departure)
        result.more.push_back(fmt::format("law {}: {}", row->law->name, each.text()));
  if (rows.size() > 1)
    result.sentence += "; " + describe({rows.begin() + 1, rows.end()}, "departs too", "depart too");
  if (!departure.step)
    return result;
  result.worst.emplace();
  result.worst->step = *departure.step;
  result.worst->quantity = departure.tensor.empty() ? std::string(first.law->name) : departure.tensor;
  result.worst->rank = departure.rank;
  result.worst->metric = departure.factor ? "factor" : "departures";
  result.worst->value = departure.factor.value_or(static_cast<double>(first.finding.departures.size()));
  result.worst->limit = departure.factor ? 1 : 0;
  return result;
}

/// Returns a sentence about laws that were not asked, with the reason of the first and what to record.
std::string describe_silence(const Side& side, const Rows& rows) {
  const laws::Finding& first = rows.front()->finding;
  return fmt::format("{} of {}: {}; record {}", describe(rows, "was not asked", "were not asked"), side.name,
                     first.why, first.record);
}

CheckResult judge_answers(const Check& check, const Side& side, const laws::Audit& audit) {
  const Rows hold = rows_with(audit, Answer::holds), depart = rows_with(audit, Answer::departs),
             silent = rows_with(audit, Answer::not_asked);
  if (const Rows wrong = with_names(depart, check.departs, /*in=*/false); !wrong.empty())
    return departed(side, wrong);
  if (!audit.not_finite.empty())
    return failed(Verdict::different,
                  fmt::format("{} in {}, which no law allows", audit.not_finite, side.name));
  if (const Rows kept = with_names(hold, check.departs); !kept.empty())
    return failed(
        Verdict::rounding,
        fmt::format("{} in {}, although the case says that {}; remove {} from `departs`",
                    describe(kept, "holds", "hold"), side.name,
                    kept.size() == 1 ? "it departs" : "they depart", kept.size() == 1 ? "it" : "them"));
  if (const Rows missing = with_names(silent, check.named_laws()); !missing.empty())
    return failed(Verdict::missing, describe_silence(side, missing));
  if (silent.size() == audit.rows.size())
    return failed(Verdict::missing, "no law could be asked: " + describe_silence(side, silent));
  CheckResult result;
  result.passed = true;
  result.verdict = depart.empty() ? Verdict::rounding : Verdict::different;
  if (!hold.empty())
    result.sentence = fmt::format("{} in {}", describe(hold, "holds", "hold"), side.name);
  for (const laws::Audit::Row* row : depart)
    result.sentence +=
        fmt::format("{}law {} departs as the case says: {}", result.sentence.empty() ? "" : "; ",
                    row->law->name, row->finding.departures.front().text());
  if (!silent.empty())
    result.sentence += fmt::format("; {} not asked", silent.size());
  return result;
}

Json measured_of(const laws::Audit& audit) {
  int64_t compared = 0;
  double largest = 0;
  for (const laws::Audit::Row& row : audit.rows) {
    compared += row.finding.checked;
    largest = std::max(largest, row.finding.largest);
  }
  return {{"laws_holding", audit.count(Answer::holds)},
          {"laws_departing", audit.count(Answer::departs)},
          {"laws_not_asked", audit.count(Answer::not_asked)},
          {"compared", compared},
          {"error_of_bound", largest}};
}

/// Returns what the laws that gave an answer compared.
Coverage coverage_of(const Check& check, const Side& side, const laws::Audit& audit) {
  const StepSet wanted = steps_of_laws(check, side);
  Coverage coverage;
  for (const laws::Audit::Row& row : audit.rows) {
    const std::string name(row.law->name);
    if (row.finding.answer() == Answer::not_asked)
      continue;
    if (check.named_laws().empty())
      coverage.add(0, Covered{{all_laws_together, wanted.common(StepSet(side.trace->steps()))}});
    else if (contains(check.named_laws(), name))
      coverage.add(0, Covered{{quantity_of_law(name),
                               wanted.common(StepSet(updates_with_tensors(*row.law, *side.trace)))}});
  }
  return coverage;
}

}  // namespace

CheckResult judge_lawful(const Check& check, const std::vector<Side>& sides) {
  if (!check.channels.empty() || check.of_tensors())
    throw MissingEvidence("lawful is about a run as a whole; name no channel and no tensor");
  const Side& side = sides.at(0);
  const trace::Trace* before = check.before.empty() ? nullptr : sides.at(1).trace;
  const laws::Audit audit = laws::audit(*side.trace, {}, before);
  CheckResult result = judge_answers(check, side, audit);
  result.measured = measured_of(audit);
  result.limit = {{"laws_departing", check.departs.size()}};
  result.coverage = coverage_of(check, side, audit);
  return result;
}

}  // namespace parity::compare
