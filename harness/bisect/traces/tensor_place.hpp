// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/json.hpp"
#include "harness/compare/tensor_gap.hpp"
#include "harness/suite/results/tensor_pictures.hpp"

namespace parity {

/// Which element of a tensor differs most.
struct TensorPlace {
  TensorKey key;
  TensorGap gap;
  Shape shape;
  /// Of what is laid out by tokens, [rows, positions, ...]: what stands there, where the trace tells.
  bool is_by_tokens = false;
  std::optional<int64_t> token, document;
  std::optional<TensorPicture> picture;  ///< |actual - expected| over the tensor; nothing if that is 0

  /// "12 of 4096 elements, ...; most at [3, 17]: good 0.1, bad 0.2 (row 3, position 17, token 42)".
  std::string words(const std::string& expected, const std::string& actual) const;
  /// "1 of 4096 elements, at [3, 17]".
  std::string short_text() const;
  Json to_json() const;
};

/// \return nothing if the tensor is not whole on both sides
std::optional<TensorPlace> find_place(const Trace& expected, const Trace& actual, const TensorKey& key);

}  // namespace parity
