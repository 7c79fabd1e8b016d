// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/compare/checks/check.hpp"
#include "harness/operators/judge/control_tally.hpp"
#include "harness/operators/judge/sides.hpp"
#include "harness/operators/judge/tensor_claim.hpp"
#include "harness/operators/problem/problem.hpp"

namespace parity::operators {

/// Collects the judgements of a check's tensors and points into one result, led by the worst of them.
class Summary {
 public:
  Summary(const compare::Check& check, const Problem& problem);

  void add(size_t point, const PhaseAndName& tensor, const TensorSides& sides, const TensorJudgement& judged);
  ControlTally& controls() { return controls_; }

  /// Returns the result of a check that cannot be judged.
  compare::CheckResult refused(const Obstacle& obstacle) const;
  compare::CheckResult result() const;

 private:
  struct Lead {
    size_t point = 0;
    PhaseAndName tensor;
    TensorJudgement judged;
    std::optional<double> expected, actual;  ///< at the worst element
    Shape shape;
  };

  std::string who() const;
  std::string place_of(const Lead& lead) const;
  std::string sentence() const;
  std::string bare_sentence() const;
  compare::CheckResult nothing() const;

  const compare::Check& check_;
  const Problem& problem_;
  ControlTally controls_;
  std::optional<Lead> lead_ = {};
  size_t judged_ = 0, failed_ = 0, differing_ = 0;
  std::set<size_t> failed_points_ = {};
  bool all_same_bits_ = true;  ///< also of the twins
  results::OperatorErrors errors_ = {};
};

}  // namespace parity::operators
