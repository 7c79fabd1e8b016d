// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/results/check_parameters.hpp"

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/enum_names.hpp"

namespace parity::suite {
namespace {

void add_operator_parameters(Json& parameters, const compare::OperatorClaim& claim) {
  if (!claim.axis.empty())
    parameters["axis"] = claim.axis;
  for (const auto& [name, value] :
       {std::pair{"ulp", claim.ulp}, {"ulp_at_least", claim.ulp_at_least}, {"times", claim.times}})
    if (value)
      parameters[name] = *value;
}

}  // namespace

Json parameters_of(const compare::Check& claim) {
  Json parameters = Json::object();
  if (claim.relation == compare::Relation::lagged)
    parameters["lag"] = claim.lag;
  if (claim.tolerance)
    parameters["tolerance"] = *claim.tolerance;
  if (claim.precision)
    parameters["precision"] = name_of(*claim.precision);
  if (claim.imprecision)
    parameters["imprecision"] = *claim.imprecision;
  if (claim.sibling)
    parameters["times"] = claim.sibling->times;
  if (claim.sibling && claim.sibling->each)
    parameters["each"] = true;
  if (claim.sibling && claim.sibling->rejected)
    parameters["rejected"] = true;
  if (!claim.laws.empty())
    parameters["laws"] = fmt::format("{}", fmt::join(claim.laws, ", "));
  if (!claim.departs.empty())
    parameters["departs"] = fmt::format("{}", fmt::join(claim.departs, ", "));
  if (!claim.before.empty())
    parameters["before"] = claim.before;
  if (claim.of_operator)
    add_operator_parameters(parameters, *claim.of_operator);
  if (claim.relation == compare::Relation::repeats) {
    parameters["times"] = claim.times;
    if (claim.under != compare::Condition::none)
      parameters["under"] = name_of(claim.under);
  }
  return parameters;
}

}  // namespace parity::suite
