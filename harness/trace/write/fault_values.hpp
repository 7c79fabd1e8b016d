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

namespace parity {

/// What a fault did to one tensor, or to what a rank holds of it.
struct FaultEffect {
  int64_t elements = 0;            ///< that it reached
  int64_t changed = 0;             ///< of these whose bits are others now
  std::optional<int64_t> element;  ///< which one, in the logical tensor, where it was of one
  std::optional<int64_t> row;      ///< likewise
};

/// Changes values in place as `fault` says.
///
/// What depends on an element's place (perturb, a named element or row) depends on its place in the logical
/// tensor, so a tensor in parts is changed as it would be whole. An element or row that is drawn is drawn
/// from what this rank holds: replicas draw the same, shards each their own.
///
/// Arithmetic is in float64, rounded to the tensor's dtype once.
///
/// \param name    of the tensor; part of what the seed draws
/// \param view    float64, float32, bfloat16 or float16; `data` is its memory
/// \param layout  how the view lies in the logical tensor; the default is all of it
/// \param before  the values that `stale` and `dropped_reduction` put in their place: as many bytes
/// \throws UserError if the fault cannot be applied: another dtype, an element or row that is not there, a
///         tensor that is too small, or of which every element is 0 or not finite where one is to be drawn
FaultEffect change_values(const Fault& fault, std::string_view name, const TensorView& view, void* data,
                          const TensorLayout& layout = {}, std::span<const std::byte> before = {});

}  // namespace parity
