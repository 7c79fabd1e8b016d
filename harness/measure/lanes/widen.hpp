// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/measure/lanes/element.hpp"

namespace parity::measure {

/// Widens elements of a dtype to doubles; kernels call it block by block.
/// \param data  need not be aligned
inline void widen_block(DType dtype, const std::byte* data, size_t count, double* out) {
  with_element(dtype, [&]<class E>(E) { E::widen(data, count, out); });
}

}  // namespace parity::measure
