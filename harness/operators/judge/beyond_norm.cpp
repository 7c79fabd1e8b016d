// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/operators/judge/beyond_norm.hpp"

#include <fmt/format.h>

#include "harness/base/json/number.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/operators/judge/common_factor.hpp"
#include "harness/operators/judge/worst_element.hpp"

namespace parity::operators {

void judge_elements(const TensorSides& sides, const Values& truth_a, const Values& truth_b, double roundoff,
                    double factor, TensorJudgement& result) {
  const WorstElement a = worst_element(*sides.a, truth_a, roundoff);
  const WorstElement b = worst_element(*sides.b, truth_b, roundoff);
  result.measured["worst_a"] = json_number(a.roundings);
  result.measured["worst_b"] = json_number(b.roundings);
  const bool of_b = b.roundings >= a.roundings;
  const WorstElement &worst = of_b ? b : a, &other = of_b ? a : b;
  if (!result.passed || !stands_out(worst, other, factor))
    return;
  const Values &values = of_b ? *sides.b : *sides.a, &truth = of_b ? truth_b : truth_a;
  result.passed = false;
  result.verdict = compare::Verdict::imprecise;
  result.severity = worst.roundings;
  result.text = fmt::format(
      "{} of {} is {:.9g} in place of {:.9g}, {} {} roundings away, and no element of {} is more than {} "
      "away",
      values.shape.empty() ? "the value" : "element " + index_text(values.shape, worst.element),
      of_b ? sides.name_b : sides.name_a, values.value[worst.element], truth.value[worst.element],
      compare::size_text(worst.roundings), name_of(sides.dtype), of_b ? sides.name_a : sides.name_b,
      compare::size_text(other.roundings));
}

void judge_factor(const TensorSides& sides, const Values& truth_a, const Values& truth_b, double roundoff,
                  double factor, TensorJudgement& result) {
  const CommonFactor a = common_factor(*sides.a, truth_a), b = common_factor(*sides.b, truth_b);
  result.measured["offset_a"] = json_number(a.roundings(roundoff));
  result.measured["offset_b"] = json_number(b.roundings(roundoff));
  const bool of_b = b.roundings(roundoff) >= a.roundings(roundoff);
  const CommonFactor &own = of_b ? b : a, &other = of_b ? a : b;
  if (!result.passed || !is_scaled(own, other, roundoff, factor))
    return;
  result.passed = false;
  result.verdict = compare::Verdict::imprecise;
  result.severity = own.roundings(roundoff);
  result.text = fmt::format("{} has {:.5g} times its result, {} {} roundings from 1, and {} has {:.5g} times",
                            of_b ? sides.name_b : sides.name_a, 1 + own.offset,
                            compare::size_text(own.roundings(roundoff)), name_of(sides.dtype),
                            of_b ? sides.name_a : sides.name_b, 1 + other.offset);
}

}  // namespace parity::operators
