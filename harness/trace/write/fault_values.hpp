// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "harness/tensor/placement.hpp"
#include "harness/tensor/tensor_view.hpp"
#include "harness/trace/format/fault.hpp"

namespace parity::trace {

/// What a fault did to one tensor, or to the part of it that a rank holds.
struct FaultEffect {
  int64_t elements = 0;  ///< elements that the fault reached
  int64_t changed = 0;   ///< reached elements whose bits changed
  /// The changed element's index in the logical tensor, if the fault changes a single one.
  std::optional<int64_t> element;
  /// The changed row of the logical tensor, if the fault changes a single one.
  std::optional<int64_t> row;
};

/// Changes values in place as `fault` says.
///
/// Effects that depend on an element's position (perturb, a named element or row) use its position in the
/// logical tensor. A sharded tensor is therefore changed as it would be whole. An element or row that the
/// seed draws is drawn from what this rank holds: replicas draw the same one, shards each their own.
///
/// Arithmetic is in float64, rounded to the tensor's dtype once.
///
/// \param name    name of the tensor; part of what the seed draws
/// \param view    float64, float32, bfloat16 or float16; `data` is its memory
/// \param layout  place of the view in the logical tensor; by default the view is all of it
/// \param before  the values that `stale` and `dropped_reduction` restore: as many bytes as the view has
/// \throws UserError if the fault cannot be applied: unsupported dtype, a tensor that is too small, or an
///         element or row outside the tensor; also if every element is 0 or not finite and one must be drawn
FaultEffect change_values(const Fault& fault, std::string_view name, const TensorView& view, void* data,
                          const TensorLayout& layout = {}, std::span<const std::byte> before = {});

}  // namespace parity::trace
