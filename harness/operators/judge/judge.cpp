// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/operators/judge/judge.hpp"

#include "harness/base/error.hpp"
#include "harness/operators/judge/point_judge.hpp"
#include "harness/operators/judge/sides.hpp"
#include "harness/operators/judge/summary.hpp"

namespace parity::operators {

compare::CheckResult judge(const compare::Check& check, const Problem& problem,
                           const std::map<std::string, compare::ArmEvidence>& arms) {
  require(check.of_operator.has_value(), "a check that is not of an operator");
  Summary summary(check, problem);
  CheckTraces traces;
  try {
    if (const auto obstacle = find_traces(check, problem, arms, traces))
      return summary.refused(*obstacle);
    const auto tensors = tensors_by_point(check, problem, traces);
    PointJudge judge(check, problem, traces);
    for (size_t point = 0; point < problem.points.size(); ++point) {
      if (tensors[point].empty())
        return summary.refused({compare::Verdict::missing, "no arm recorded " + check.quantity() + " at " +
                                                               problem.points[point].text()});
      if (const auto obstacle = judge.judge(point, tensors[point], summary))
        return summary.refused(*obstacle);
    }
  } catch (const UserError& error) {  // a damaged trace
    return summary.refused({compare::Verdict::missing, error.what()});
  }
  return summary.result();
}

}  // namespace parity::operators
