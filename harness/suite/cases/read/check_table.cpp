// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/cases/read/check_table.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/nearest.hpp"
#include "harness/compare/relations/relation.hpp"
#include "harness/laws/laws.hpp"
#include "harness/suite/cases/read/paths.hpp"

namespace parity::suite {
namespace {

/// Largest number of runs that a check of relation `repeats` may ask for.
constexpr int64_t most_repetitions = 100;

/// The updates whose tensors a check of laws records if it names none: few, since it records all of them.
constexpr compare::StepWindow first_updates = {compare::StepWindow::Kind::range, 1, 3};

compare::StepWindow read_window(const TomlTable& table) {
  compare::StepWindow window;
  if (!table.has("steps"))
    return window;
  const Place place = table.place_of("steps");
  if (table.raw().get("steps")->is_string()) {
    const std::string name = table.string("steps");
    window.kind = placed(table, place, [&] { return parse_enum<compare::StepWindow::Kind>(name); });
    if (window.kind == compare::StepWindow::Kind::range)
      table.fail(place, "steps = \"range\" names no steps; write both ends: steps = [2, 5]");
    return window;
  }
  const std::vector<int64_t> ends = table.integers("steps");
  if (ends.size() != 2 || ends[0] < 1 || ends[1] < ends[0])
    table.fail(place, "steps must be a name or [first, last] with 1 <= first <= last");
  return {compare::StepWindow::Kind::range, ends[0], ends[1]};
}

/// Reads the keys of relation `bounded`: a tolerance, and whether it compares with the golden.
void read_bound(compare::Check& check, const TomlTable& table) {
  const bool bounded = check.relation == compare::Relation::bounded;
  for (const char* key : {"tolerance", "against"})
    if (table.has(key) && !bounded)
      table.fail(
          table.place_of(key),
          "'" + std::string(key) + "' belongs to relation bounded" +
              (std::string(key) == "against" ? " (stored quantities are compared bit for bit without a check)"
                                             : ""));
  if (table.has("tolerance")) {
    check.tolerance = table.number("tolerance", 0);
    if (!(*check.tolerance > 0) || !std::isfinite(*check.tolerance))
      table.fail(table.place_of("tolerance"), "'tolerance' is a relative gap and must be more than 0");
  }
  check.tolerance_because = table.string("tolerance_because");
  if (table.has("tolerance_because") && !check.tolerance)
    table.fail(table.place_of("tolerance_because"), "'tolerance_because' needs a 'tolerance'");
  const std::string against = table.string("against", "arm");
  check.against =
      placed(table, table.place_of("against"), [&] { return parse_enum<compare::Against>(against); });
  if (check.against == compare::Against::golden && table.has("steps"))
    table.fail(table.place_of("steps"),
               "a check against the golden compares all stored steps; remove 'steps'");
}

/// Reads the keys of relation `equivalent`: a narrower dtype that an arm computes in, or a factor with its
/// reason.
void read_precision(compare::Check& check, const TomlTable& table) {
  for (const char* key : {"precision", "imprecision", "imprecision_because"})
    if (table.has(key) && check.relation != compare::Relation::equivalent)
      table.fail(table.place_of(key), "'" + std::string(key) + "' belongs to relation equivalent");
  if (table.has("precision")) {
    const std::string name = table.string("precision");
    if (name != "bfloat16" && name != "float16")
      table.fail(table.place_of("precision"), "'precision' is the narrower type that an arm computes in" +
                                                  suggestion(name, {"bfloat16", "float16"}));
    check.precision = parse_enum<DType>(name);
  }
  if (table.has("imprecision")) {
    check.imprecision = table.number("imprecision", 1);
    if (!(*check.imprecision > 1) || !std::isfinite(*check.imprecision))
      table.fail(
          table.place_of("imprecision"),
          "'imprecision' is how many times more than rounding an arm may lose; it must be more than 1");
  }
  check.imprecision_because = table.string("imprecision_because");
  if (check.imprecision.has_value() != !check.imprecision_because.empty())
    table.fail(
        table.has("imprecision") ? table.place_of("imprecision") : table.place_of("imprecision_because"),
        "'imprecision' and 'imprecision_because' (the reason why an arm loses more than rounding) need each "
        "other");
}

/// Returns the golden of the case that `sibling_case` names, in the same folder of cases.
std::filesystem::path sibling_golden(const TomlTable& table, const compare::Check& check) {
  const std::string name = table.string("sibling_case");
  if (check.of_tensors())
    table.fail(
        table.place_of("sibling_case"),
        "'sibling_case' is for channels (goldens store no whole tensors); name a sibling of this case");
  const std::filesystem::path file = case_file_of(name, table.file());
  std::error_code error;  // a name may be too long for a path
  if (!std::filesystem::is_regular_file(file, error))
    table.fail(table.place_of("sibling_case"),
               "there is no case " + parity::quoted(name) + " (looked for " + file.generic_string() + ")");
  return golden_file_of(file);
}

/// Reads the keys of relation `no_farther`: the pair to measure, and the allowed multiple of its gap.
void read_sibling(compare::Check& check, const TomlTable& table, const std::vector<std::string>& arms) {
  const bool wanted = check.relation == compare::Relation::no_farther;
  for (const char* key : {"sibling", "sibling_case", "each", "rejected"})
    if (table.has(key) && !wanted)
      table.fail(table.place_of(key), "'" + std::string(key) + "' belongs to relation no_farther");
  if (!wanted)
    return;
  compare::Sibling sibling;
  sibling.arms = table.strings("sibling");
  if (sibling.arms.size() != 2 || sibling.arms[0] == sibling.arms[1])
    table.fail(
        table.has("sibling") ? table.place_of("sibling") : table.place(),
        "relation no_farther needs sibling = [\"REFERENCE\", \"ARM\"]: two arms whose gap is the measure");
  if (table.has("sibling_case"))
    sibling.golden = sibling_golden(table, check);
  else
    require_arms(table, "sibling", sibling.arms, arms);
  sibling.times = table.number("times", sibling.times);
  if (!(sibling.times > 0) || !std::isfinite(sibling.times))
    table.fail(table.place_of("times"), "'times' is a factor and must be more than 0");
  if (sibling.golden.empty() && sibling.arms == check.arms)
    table.fail(table.place_of("sibling"), "the sibling is the compared pair itself; name another pair");
  sibling.each = table.boolean("each", false);
  sibling.rejected = table.boolean("rejected", false);
  if (sibling.each && !check.of_tensors())
    table.fail(table.place_of("each"), "'each' is about tensors; channels are compared one by one already");
  check.sibling = std::move(sibling);
}

/// Reads the arm whose run the arm of a check continues. The law `restart` must then be asked.
void read_before(compare::Check& check, const TomlTable& table, const std::vector<std::string>& arms) {
  if (!table.has("before"))
    return;
  const Place place = table.place_of("before");
  if (check.relation != compare::Relation::lawful)
    table.fail(place, "'before' belongs to relation lawful");
  check.before = table.string("before");
  require_arms(table, "before", {check.before}, arms);
  if (check.arms.front() == check.before)
    table.fail(place, "'before' is the arm itself; name the arm whose run it continues");
  const std::vector<std::string> named = check.named_laws();
  if (std::ranges::find(named, "restart") == named.end())
    check.laws.emplace_back("restart");
}

/// Reads the keys of relation `lawful`: laws that must be asked, and laws that must depart.
void read_laws(compare::Check& check, const TomlTable& table) {
  const bool wanted = check.relation == compare::Relation::lawful;
  const std::vector<std::string> known = laws::law_names();
  for (auto [key, names] : {std::pair{"laws", &check.laws}, {"departs", &check.departs}}) {
    if (table.has(key) && !wanted)
      table.fail(table.place_of(key), fmt::format("'{}' belongs to relation lawful", key));
    *names = table.strings(key);
    if (table.has(key) && names->empty())
      table.fail(table.place_of(key), fmt::format("'{}' names no law{}", key, suggestion("", known)));
    for (const std::string& name : *names)
      if (std::ranges::find(known, name) == known.end())
        table.fail(table.place_of(key), "unknown law " + parity::quoted(name) + suggestion(name, known));
  }
  if (wanted && !table.has("steps"))
    check.steps = first_updates;
}

/// Reads the key `times` of relation `repeats`: how often the arm runs.
void read_times(compare::Check& check, const TomlTable& table) {
  const bool wanted = check.relation == compare::Relation::repeats;
  if (table.has("times") && !wanted && check.relation != compare::Relation::no_farther)
    table.fail(table.place_of("times"), "'times' belongs to relations no_farther and repeats");
  if (table.has("under") && !wanted)
    table.fail(table.place_of("under"), "'under' belongs to relation repeats");
  if (!wanted)
    return;
  check.times = table.integer("times", check.times);
  if (check.times < 2 || check.times > most_repetitions)
    table.fail(
        table.place_of("times"),
        fmt::format("'times' is the number of runs, 2 to {} (`parity repeat` makes more)", most_repetitions));
}

/// Requires channels or a tensor, but neither where the check is about a run as a whole.
void check_subject(const compare::Check& check, const TomlTable& table) {
  if (row_of(check.relation).subject == compare::Subject::operators)
    table.fail(table.place_of("relation"),
               fmt::format("relation {} is about operators; it belongs to cases with an [operator] table",
                           name_of(check.relation)));
  if (row_of(check.relation).subject == compare::Subject::run) {
    for (const char* key : {"channel", "tensor"})
      if (table.has(key))
        table.fail(table.place_of(key), fmt::format("relation {} is about a run as a whole; remove '{}'",
                                                    name_of(check.relation), key));
  } else if (check.channels.empty() == check.tensor.empty()) {
    table.fail(table.place(), "a check has either 'channel' or 'tensor'; this one has " +
                                  std::string(check.tensor.empty() ? "neither" : "both"));
  }
}

}  // namespace

void require_arms(const TomlTable& table, std::string_view key, const std::vector<std::string>& used,
                  const std::vector<std::string>& known) {
  for (const std::string& name : used)
    if (std::find(known.begin(), known.end(), name) == known.end())
      table.fail(table.place_of(key), "unknown arm " + parity::quoted(name) + suggestion(name, known));
}

compare::Check read_check(const TomlTable& table, const std::vector<std::string>& arms) {
  table.allow_only({"channel",
                    "tensor",
                    "phase",
                    "arms",
                    "relation",
                    "lag",
                    "steps",
                    "because",
                    "tolerance",
                    "tolerance_because",
                    "precision",
                    "imprecision",
                    "imprecision_because",
                    "against",
                    "sibling",
                    "sibling_case",
                    "times",
                    "each",
                    "rejected",
                    "laws",
                    "departs",
                    "before",
                    "under"});
  compare::Check check;
  check.channels = table.strings("channel");
  check.tensor = table.string("tensor");
  if (table.has("phase") && check.tensor.empty())
    table.fail(table.place_of("phase"), "'phase' belongs to checks of tensors");
  const std::string phase = table.string("phase", "param");
  check.phase = placed(table, table.place_of("phase"), [&] { return parse_enum<trace::Phase>(phase); });
  if (!table.has("relation"))
    table.fail(table.place(), "the check has no relation" + suggestion("", names_of<compare::Relation>()));
  const std::string relation = table.string("relation");
  check.relation =
      placed(table, table.place_of("relation"), [&] { return parse_enum<compare::Relation>(relation); });
  check_subject(check, table);
  check.lag = table.integer("lag", 1);
  if (table.has("lag") && check.relation != compare::Relation::lagged)
    table.fail(table.place_of("lag"), "'lag' belongs to relation lagged");
  read_bound(check, table);
  read_precision(check, table);
  check.steps = read_window(table);
  read_laws(check, table);
  if (check.of_exact_twins() && !table.has("steps"))
    check.steps = compare::two_updates;
  check.because = table.string("because");
  if (check.because.empty())
    table.fail(table.place(),
               "the check has no reason; add because = \"...\" (it is printed when the check fails)");
  check.arms = table.strings("arms");
  require_arms(table, "arms", check.arms, arms);
  const bool of_one = row_of(check.relation).arms == 1 || check.against == compare::Against::golden;
  if (check.arms.empty() && !of_one && arms.size() == 2)
    check.arms = arms;
  const size_t wanted = of_one ? 1 : 2;
  if (check.arms.size() != wanted || (wanted == 2 && check.arms[0] == check.arms[1]))
    table.fail(table.place_of("arms"),
               (check.against == compare::Against::golden ? std::string("a check against the golden")
                                                          : "relation " + relation) +
                   " needs " + (of_one ? "one arm" : "two different arms") +
                   "; known: " + suggestion("", arms).substr(9) +
                   (wanted == 2 && !check.arms.empty()
                        ? "; to ask whether one arm has its own bits again, use relation = \"repeats\""
                        : ""));
  read_before(check, table, arms);
  read_sibling(check, table, arms);
  read_times(check, table);
  return check;
}

std::vector<compare::Check> read_checks(const TomlTable& table, const std::vector<std::string>& arms) {
  std::vector<compare::Check> checks = {read_check(table, arms)};
  for (const std::string& name : table.strings("under")) {
    compare::Check& check = checks.emplace_back(checks.front());
    check.under =
        placed(table, table.place_of("under"), [&] { return parse_enum<compare::Condition>(name); });
    if (check.under == compare::Condition::none)
      table.fail(table.place_of("under"), "'none' is asked without 'under'");
  }
  return checks;
}

}  // namespace parity::suite
