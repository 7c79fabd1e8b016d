// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/json/json.hpp"
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
  std::optional<results::TensorPicture> picture;  ///< |actual - expected| over the tensor; not set if it is 0

  /// Returns "12 of 4096 elements, ...; most at [3, 17]: good 0.1, bad 0.2 (row 3, position 17, token 42)".
  std::string describe(const std::string& expected, const std::string& actual) const;
  /// Returns "1 of 4096 elements, at [3, 17]".
  std::string short_text() const;
  Json to_json() const;
};

/// Returns the element of a tensor that differs most; nothing if either side does not have the whole tensor.
std::optional<TensorPlace> find_place(const trace::Trace& expected, const trace::Trace& actual,
                                      const trace::TensorKey& key);

}  // namespace parity::bisect
