// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "harness/tensor/dtype.hpp"

namespace parity::checkpoints {

/// How tensors of two dtypes are compared: both are converted to `to`.
struct Cast {
  DType to = DType::float32;
  bool rounds = false;  ///< whether the conversion of one side may round
};

/// Returns the cast for two dtypes; nothing if no cast can make them equal. Floats are rounded to the one
/// with the shorter significand, except that 8-bit floats are widened. Integers are widened.
std::optional<Cast> cast_between(DType a, DType b);

/// Converts elements. Rounds to nearest even; float64 is rounded to 16 bits through float32, as PyTorch does.
/// \param from  need not be aligned
void convert(DType from_type, const std::byte* from, DType to_type, std::byte* to, int64_t count);

}  // namespace parity::checkpoints
