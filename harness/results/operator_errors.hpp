// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/json/json.hpp"
#include "harness/results/json_node.hpp"
#include "harness/results/pictures.hpp"

namespace parity::results {

/// The error of one tensor at one point of an operator's sweep.
struct OperatorRow {
  std::string point;                                   ///< "b = 7, s = 33, float32"
  std::vector<std::pair<std::string, int64_t>> sizes;  ///< symbol, value
  std::string dtype, phase, tensor;
  bool passed = false;
  std::string verdict;
  Json largest, mean;  ///< error in ULP of the tensor's dtype; null if it was not measured
};

/// What a check of an operator measured at all points. Source: RESULTS.md, "Errors of an operator".
struct OperatorErrors {
  std::string against;  ///< what errors count from: "the exact result", "its float64 twin", an arm
  std::vector<OperatorRow> rows;
  /// Elements of all tensors by error in ULP: 0; up to 1/2; up to 1; up to 2; ...; up to 2^20; more.
  std::vector<int64_t> histogram;
  /// Negative controls: name, and how the check answered ("rejected 48 times", "does not apply").
  std::vector<std::pair<std::string, std::string>> controls;
  std::string reproducer;  ///< file with the worst input, relative to results.json; "" if there is none
  /// Where in the tensor that leads the sentence the errors are; not set without errors.
  std::optional<TensorPicture> picture;
};

Json to_json(const OperatorErrors& errors);
/// \throws UserError naming the member that is missing or of another type
OperatorErrors read_operator_errors(const JsonNode& node);

}  // namespace parity::results
