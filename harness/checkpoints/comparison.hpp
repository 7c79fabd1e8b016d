// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/base/exit_code.hpp"
#include "harness/base/json/json.hpp"
#include "harness/checkpoints/pairing.hpp"
#include "harness/checkpoints/step_counters.hpp"

namespace parity::checkpoints {

/// Which tensors are compared, and how strictly.
struct ComparisonOptions {
  NameRules renamed;
  std::vector<std::string> globs;  ///< names of tensors, on either side; each must match one
  measure::DifferencePolicy policy = {};
};

/// The findings of one module.
struct ModuleSummary {
  std::string name;
  size_t tensors = 0, differing = 0, one_sided = 0;
  Verdict verdict = Verdict::identical;  ///< the worst
  Gap gap;                               ///< of the tensor that differs most
  uint64_t max_ulp = 0;                  ///< of all tensors that differ
  std::string worst;                     ///< the tensor that differs most
};

/// A rule, and the tensors for which it was found.
struct RuleSummary {
  std::string expected, actual;  ///< names, with "*" for numbers
  std::string rule, cast;
  Verdict verdict = Verdict::identical;
  bool by_name_only = false;
  size_t tensors = 0;
  /// A pair whose names have other numbers, such as layer 4 for layer 0; "" if all numbers are equal.
  std::string renumbered = {};
};

/// The difference between two checkpoints.
struct CheckpointDifference {
  std::vector<Finding> findings;
  std::vector<std::string> notes;
  StepDistance steps;
  std::string missing;  ///< why agreement would prove nothing; "" if it would
  measure::DifferencePolicy policy = {};

  size_t count(Verdict verdict) const;
  bool agrees() const;
  /// Returns agree, differ or missing.
  ExitCode exit_code() const;
  /// Returns the modules, the worst first.
  std::vector<ModuleSummary> modules() const;
  /// Returns the rules that hold, except the plain comparison of one name.
  std::vector<RuleSummary> rules() const;
  /// Returns the final sentence.
  std::string conclusion() const;
  Json to_json() const;
};

/// Compares two checkpoints tensor by tensor.
/// \throws UserError for a glob that matches no tensor
CheckpointDifference compare_checkpoints(const Checkpoint& expected, const Checkpoint& actual,
                                         const ComparisonOptions& options);

}  // namespace parity::checkpoints
