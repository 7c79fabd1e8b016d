// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/operators/judge/controls.hpp"
#include "harness/operators/judge/sides.hpp"
#include "harness/operators/judge/summary.hpp"

namespace parity::operators {

/// Judges the tensors of one point after the other, and asks the negative controls about each.
class PointJudge {
 public:
  PointJudge(const compare::Check& check, const Problem& problem, const CheckTraces& traces)
      : check_(check), problem_(problem), traces_(traces) {}

  /// Judges a point and adds the results to a summary. \return why it cannot be judged, if so
  std::optional<Obstacle> judge(size_t point, const std::set<PhaseAndName>& tensors, Summary& summary);

 private:
  std::optional<Obstacle> judge_sides(size_t point, const PhaseAndName& tensor, Summary& summary);
  std::optional<Obstacle> judge_variants(size_t point, const PhaseAndName& tensor, Summary& summary);
  ControlSources sources_of(size_t point, const PhaseAndName& tensor, const Values& right);
  void ask_controls(size_t point, const PhaseAndName& tensor, const TensorSides& sides, Summary& summary);

  const compare::Check& check_;
  const Problem& problem_;
  const CheckTraces& traces_;
  std::map<PhaseAndName, std::vector<double>> earlier_ = {};        ///< values of the last point's tensors
  std::vector<std::vector<double>> outputs_ = {};                   ///< of this point
  std::map<size_t, std::vector<std::vector<double>>> inputs_ = {};  ///< of this point, by number of elements
};

}  // namespace parity::operators
