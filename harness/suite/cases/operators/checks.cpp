// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/nearest.hpp"
#include "harness/compare/relations/relation.hpp"
#include "harness/suite/cases/operators/arms.hpp"
#include "harness/suite/cases/read/check_table.hpp"

namespace parity::suite {
namespace {

using compare::Check;
using compare::Relation;

/// The relations of operator cases, in the order of messages.
const std::vector<std::string> operator_relations = {"identical", "equivalent", "distinct", "accurate",
                                                     "invariant"};
const std::vector<std::string> known_axes = {"batch",    "padding", "position", "neighbours",
                                             "chunking", "threads", "layout",   "alignment"};

/// Returns a positive number of a key that belongs to one relation; nothing if the key is missing.
std::optional<double> read_positive(const TomlTable& table, const char* key, const Check& check,
                                    Relation relation) {
  if (!table.has(key))
    return std::nullopt;
  if (check.relation != relation)
    table.fail(table.place_of(key), fmt::format("'{}' belongs to relation {}", key, name_of(relation)));
  const double value = table.number(key, 0);
  if (!(value > 0) || !std::isfinite(value))
    table.fail(table.place_of(key), fmt::format("'{}' must be more than 0", key));
  return value;
}

/// Returns the tensors that a check is about: outputs, gradients, or both.
std::vector<trace::Phase> claimed_phases(const TomlTable& table) {
  const std::string phase = table.string("phase");
  if (phase.empty())
    return {trace::Phase::forward, trace::Phase::grad};
  if (phase != "forward" && phase != "grad")
    table.fail(table.place_of("phase"), "an operator has phases forward (outputs) and grad (gradients)" +
                                            suggestion(phase, {"forward", "grad"}));
  return {placed(table, table.place_of("phase"), [&] { return parse_enum<trace::Phase>(phase); })};
}

/// Reads the axes of `invariant`. Those over rows need to know which dimension these are.
std::vector<std::string> read_axes(const TomlTable& table, const Check& check,
                                   const operators::Problem& problem) {
  const bool wanted = check.relation == Relation::invariant;
  if (table.has("axes") != wanted)
    table.fail(wanted ? table.place() : table.place_of("axes"),
               wanted ? "relation invariant needs axes = [...]" + suggestion("", known_axes)
                      : std::string("'axes' belongs to relation invariant"));
  std::vector<std::string> axes = table.strings("axes");
  if (wanted && axes.empty())
    table.fail(table.place_of("axes"), "'axes' names nothing" + suggestion("", known_axes));
  for (const std::string& axis : axes) {
    if (std::ranges::find(known_axes, axis) == known_axes.end())
      table.fail(table.place_of("axes"),
                 "unknown axis " + parity::quoted(axis) + suggestion(axis, known_axes));
    if (axis == "padding" && problem.length.empty())
      table.fail(table.place_of("axes"),
                 "axis padding needs length = \"SYMBOL\" in [operator], the dimension to "
                 "make longer");
    const bool of_rows = axis == "batch" || axis == "position" || axis == "neighbours" || axis == "chunking";
    if (of_rows && problem.batch.empty())
      table.fail(
          table.place_of("axes"),
          fmt::format("axis {} needs batch = \"SYMBOL\" in [operator], the dimension of the rows", axis));
  }
  return axes;
}

/// Reads a claim that an arm loses more than rounding on purpose: a factor with its reason.
void read_imprecision(const TomlTable& table, Check& check) {
  check.imprecision = read_positive(table, "imprecision", check, Relation::equivalent);
  check.imprecision_because = table.string("imprecision_because");
  if (check.imprecision.has_value() != !check.imprecision_because.empty())
    table.fail(table.place(), "'imprecision' and 'imprecision_because' (the reason) need each other");
}

void read_claimed_arms(const TomlTable& table, Check& check, const std::vector<std::string>& arms) {
  check.arms = table.strings("arms");
  require_arms(table, "arms", check.arms, arms);
  const size_t wanted = compare::row_of(check.relation).arms;
  if (check.arms.empty() && wanted == arms.size())
    check.arms = arms;
  if (check.arms.size() != wanted || (wanted == 2 && check.arms[0] == check.arms[1]))
    table.fail(table.place_of("arms"),
               fmt::format("relation {} needs {}; known: {}", name_of(check.relation),
                           wanted == 1 ? "one arm" : "two different arms", suggestion("", arms).substr(9)));
}

Check read_claim(const TomlTable& table, const std::vector<std::string>& arms, bool has_exact) {
  table.allow_only({"arms", "relation", "phase", "tensor", "axes", "ulp", "ulp_at_least", "ulp_because",
                    "times", "because", "imprecision", "imprecision_because"});
  Check check;
  const std::string relation = table.string("relation");
  if (std::ranges::find(operator_relations, relation) == operator_relations.end())
    table.fail(table.has("relation") ? table.place_of("relation") : table.place(),
               "an operator case has the relations " + suggestion("", operator_relations).substr(9));
  check.relation = parse_enum<Relation>(relation);
  check.tensor = table.string("tensor", "*");
  check.because = table.string("because");
  if (check.because.empty())
    table.fail(table.place(),
               "the check has no reason; add because = \"...\" (it is printed when the check fails)");
  read_claimed_arms(table, check, arms);
  read_imprecision(table, check);
  compare::OperatorClaim claim;
  claim.phases = claimed_phases(table);
  claim.exact = has_exact ? exact_arm_name : "";
  claim.ulp = read_positive(table, "ulp", check, Relation::accurate);
  claim.ulp_at_least = read_positive(table, "ulp_at_least", check, Relation::accurate);
  claim.times = read_positive(table, "times", check, Relation::accurate);
  if (check.relation == Relation::accurate && !has_exact)
    table.fail(table.place(), "relation accurate needs exact = \"FORMULA\" in [operator]");
  check.of_operator = std::move(claim);
  return check;
}

/// Asks an arm for its results along axes.
void add_variants(Arm& arm, const std::string& key, const std::vector<std::string>& axes) {
  Json variants = arm.config.contains(key) ? arm.config[key].value : Json::array();
  for (const std::string& axis : axes)
    if (std::ranges::find(variants, Json(axis)) == variants.end())
      variants.push_back(axis);
  arm.config[key] = {variants, arm.place};
}

}  // namespace

void read_operator_checks(Case& result, const TomlTable& file, const std::vector<std::string>& arms) {
  const toml::node* node = file.raw().get("checks");
  if (node == nullptr || !node->is_array_of_tables())
    file.fail(file.place_of("checks"), "the case has no checks; add a [[checks]] table");
  const bool has_exact =
      std::ranges::any_of(result.arms, [](const Arm& arm) { return arm.name == exact_arm_name; });
  for (const toml::node& element : *node->as_array()) {
    const TomlTable table(*element.as_table(), file.file(), "check");
    Check check = read_claim(table, arms, has_exact);
    std::vector<std::string> axes = read_axes(table, check, *result.problem);
    Arm& arm = *std::ranges::find(result.arms, check.arms.front(), &Arm::name);
    if (check.relation == Relation::invariant) {
      add_variants(arm, "operator.variants", axes);
      const auto& phases = check.of_operator->phases;
      if (result.problem->has_gradients() && std::ranges::find(phases, trace::Phase::grad) != phases.end())
        add_variants(arm, "operator.grad_variants", axes);
    } else {
      axes = {""};
    }
    for (const std::string& axis : axes) {
      check.of_operator->axis = axis;
      result.checks.push_back(check);
      result.check_places.push_back(table.place());
    }
  }
}

}  // namespace parity::suite
