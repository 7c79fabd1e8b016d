// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/json/json.hpp"
#include "harness/compare/tensors/factor.hpp"
#include "harness/compare/tensors/gap.hpp"
#include "harness/suite/results/pictures/tensors.hpp"

namespace parity::bisect {

/// The element of a tensor that differs most.
struct TensorPlace {
  trace::TensorKey key;
  compare::TensorGap gap;
  Shape shape;
  /// Whether the shape is [rows, positions, ...], one entry for each token.
  bool is_by_tokens = false;
  /// Token and document at that position. Set for a tensor by tokens, if the trace has them.
  std::optional<int64_t> token, document;
  std::optional<compare::TensorFactor> factor;    ///< of all elements that differ, if it is one
  std::optional<results::TensorPicture> picture;  ///< |actual - expected| over the tensor; not set if it is 0

  /// Returns "12 of 4096 elements, ...; most at [3, 17]: good 0.1, bad 0.2 (row 3, position 17, token 42)".
  std::string describe(const std::string& expected, const std::string& actual) const;
  /// Returns "1 of 4096 elements, at [3, 17]", or "64 of 64 elements, each is 0.5 times the expected
  /// one".
  std::string short_text() const;
  Json to_json() const;

 private:
  /// Returns "each is 0.5 times EXPECTED". \pre there is a factor
  std::string factor_text(const std::string& expected) const;
};

/// Returns the element of a tensor that differs most; nothing if either side does not have the whole tensor.
/// \param noise  difference that another order of sums makes, as for compare::find_factor
std::optional<TensorPlace> find_place(const trace::Trace& expected, const trace::Trace& actual,
                                      const trace::TensorKey& key, double noise = 0);

}  // namespace parity::bisect
