// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/relations/routes.hpp"

#include <fmt/format.h>

#include "harness/base/text/glob.hpp"
#include "harness/compare/sides/quantity.hpp"
#include "harness/compare/tensors/routes.hpp"
#include "harness/trace/format/routes.hpp"

namespace parity::compare {
namespace {

/// Returns the pairs whose values both sides have.
std::vector<RoutePair> recorded_routes(const Check& check, const Side& a, const Side& b) {
  std::vector<RoutePair> pairs;
  for (const TensorPair& pair : pair_tensors(check, a, b))
    if (trace::is_routes(pair.expected) && a.trace->has_tensor(pair.expected) &&
        b.trace->has_tensor(pair.actual))
      pairs.emplace_back(pair.expected, pair.actual);
  return pairs;
}

}  // namespace

bool is_of_routes(const Check& check) {
  return check.of_tensors() && check.phase == trace::Phase::input &&
         (check.tensor.ends_with(trace::routes_suffix) || glob_match(check.tensor, "layers.0.moe.routes"));
}

void add_route_agreement(CheckResult& result, const Check& check, const std::vector<Side>& sides) {
  if (!check.of_tensors() || check.phase != trace::Phase::input || sides.size() % 2 != 0 ||
      check.relation == Relation::lagged)
    return;
  for (size_t i = 0; i < sides.size(); i += 2) {
    const Side &a = sides[i], &b = sides[i + 1];
    const std::vector<RoutePair> pairs = recorded_routes(check, a, b);
    if (pairs.empty())
      continue;
    const RouteAgreement agreement = measure_routes(*a.trace, *b.trace, pairs);
    result.more.push_back(fmt::format("routes of {} and {}: {}", b.name, a.name, agreement.text()));
    if (i > 0)
      continue;
    result.measured.update(agreement.measured());
    if (check.relation == Relation::identical && result.passed && agreement.first) {
      result.passed = false;  // equal bits of a choice that is none
      result.verdict = Verdict::different;
      result.sentence = without_expert(agreement, a.name + " and " + b.name);
    }
  }
}

}  // namespace parity::compare
