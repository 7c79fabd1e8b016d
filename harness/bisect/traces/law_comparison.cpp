// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/traces/law_comparison.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/compare/text/wording.hpp"
#include "harness/laws/audit.hpp"

namespace parity::bisect {
namespace {

using laws::Answer;

/// Returns whether a side departs by words that the other side does not use.
bool is_own(const laws::Departure& departure, const laws::Finding& other) {
  return std::ranges::find(other.departures, departure.sentence, &laws::Departure::sentence) ==
         other.departures.end();
}

/// Returns the rank of a departure among others: lower explains more.
auto order_of(const LawBreak& each) {
  const int unlike = each.other == Answer::holds ? 0 : each.other == Answer::not_asked ? 1 : 2;
  return std::make_tuple(unlike, each.departure.step.value_or(std::numeric_limits<int64_t>::max()));
}

std::string other_text(const LawBreak& found, const std::string& name) {
  switch (found.other) {
    case Answer::holds:
      return fmt::format("; {} keeps it", name);
    case Answer::not_asked:
      return fmt::format("; {} could not be asked", name);
    case Answer::departs:
      return fmt::format("; {} departs from it in another way", name);
  }
  return "";
}

/// Returns "update (no parameter was recorded)" for a law that a side could not be asked about.
std::string silence_text(const LawAnswers& each, const std::string& expected, const std::string& actual) {
  const bool of_expected = each.expected.answer() == Answer::not_asked,
             of_actual = each.actual.answer() == Answer::not_asked;
  const std::string who = of_expected && of_actual ? "" : " of " + (of_expected ? expected : actual);
  return fmt::format("{}{} ({})", each.law, who, (of_expected ? each.expected : each.actual).why);
}

}  // namespace

bool LawAnswers::is_asked() const {
  return expected.answer() != Answer::not_asked || actual.answer() != Answer::not_asked;
}

std::optional<LawBreak> LawComparison::first() const {
  std::optional<LawBreak> best;
  for (const LawAnswers& each : answers)
    for (const bool of_expected : {false, true})
      for (const laws::Departure& departure : each.of(of_expected).departures) {
        LawBreak found{each.law, of_expected, departure, each.of(!of_expected).answer()};
        if (is_own(departure, each.of(!of_expected)) && (!best || order_of(found) < order_of(*best)))
          best = std::move(found);
      }
  return best;
}

std::string LawComparison::text(const std::string& expected, const std::string& actual) const {
  if (const auto found = first()) {
    const std::string when =
        found->departure.step ? fmt::format(" at step {}", *found->departure.step) : std::string();
    return fmt::format("{} departs from the law {}{}: {}{}", found->of_expected ? expected : actual,
                       found->law, when, found->departure.sentence,
                       other_text(*found, found->of_expected ? actual : expected));
  }
  std::vector<std::string> kept, broken, silent;
  for (const LawAnswers& each : answers)
    if (each.expected.answer() == Answer::not_asked || each.actual.answer() == Answer::not_asked)
      silent.push_back(silence_text(each, expected, actual));
    else
      (each.expected.answer() == Answer::holds && each.actual.answer() == Answer::holds ? kept : broken)
          .push_back(each.law);
  std::string text = kept.empty() ? "no law could be asked of both sides"
                                  : fmt::format("both sides keep {}", compare::list_text(kept));
  if (!broken.empty())
    text += fmt::format("; both depart in the same way from {}", compare::list_text(broken));
  if (!silent.empty())
    text += fmt::format("; not asked: {}", fmt::join(silent, ", "));
  return text;
}

Json LawComparison::to_json() const {
  Json laws_json = Json::array();
  for (const LawAnswers& each : answers)
    laws_json.push_back({{"law", each.law},
                         {"expected", name_of(each.expected.answer())},
                         {"actual", name_of(each.actual.answer())},
                         {"why", each.actual.why.empty() ? each.expected.why : each.actual.why}});
  const std::optional<LawBreak> found = first();
  if (!found)
    return {{"law", nullptr}, {"laws", laws_json}};
  const laws::Departure& departure = found->departure;
  return {{"law", found->law},
          {"side", found->of_expected ? "expected" : "actual"},
          {"step", departure.step ? Json(*departure.step) : Json()},
          {"tensor", departure.tensor},
          {"rank", departure.rank ? Json(*departure.rank) : Json()},
          {"factor", departure.factor ? json_number(*departure.factor) : Json()},
          {"sentence", departure.sentence},
          {"other", name_of(found->other)},
          {"laws", laws_json}};
}

void LawComparison::fill_from(const LawComparison& other) {
  for (LawAnswers& mine : answers)
    if (!mine.is_asked())
      for (const LawAnswers& theirs : other.answers)
        if (theirs.law == mine.law && theirs.is_asked())
          mine = theirs;
}

LawComparison compare_laws(const trace::Trace& expected, const trace::Trace& actual, int64_t last) {
  laws::Audit of_expected = laws::audit(expected), of_actual = laws::audit(actual);
  for (laws::Audit* audit : {&of_expected, &of_actual})
    for (laws::Audit::Row& row : audit->rows)
      std::erase_if(row.finding.departures,
                    [last](const laws::Departure& each) { return each.step && *each.step > last; });
  LawComparison found;
  for (size_t i = 0; i < of_expected.rows.size(); ++i)
    found.answers.push_back({std::string(of_expected.rows[i].law->name),
                             std::move(of_expected.rows[i].finding),
                             std::move(of_actual.rows.at(i).finding)});
  return found;
}

}  // namespace parity::bisect
