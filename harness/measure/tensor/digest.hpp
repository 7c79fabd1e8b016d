// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "harness/tensor/tensor_view.hpp"

namespace parity::measure {

/// Exact fingerprint of a tensor: the 128-bit sum over elements of mix(global index, bit pattern). Equal bits
/// give equal digests. Digests of disjoint parts add up to the digest of the whole.
struct Digest {
  uint64_t low = 0;   ///< bits 0 to 63
  uint64_t high = 0;  ///< bits 64 to 127

  /// Orders digests by low, then high.
  auto operator<=>(const Digest&) const = default;
  Digest& operator+=(const Digest& other);  ///< adds each half modulo 2^64
};

/// Returns the digest as 32 hexadecimal digits, high half first.
std::string to_string(const Digest& digest);

/// Returns the digest of a view.
/// \param first_index  global row-major index of the view's first element, for a contiguous part of a larger
///                     tensor
Digest digest_of(const TensorView& view, uint64_t first_index = 0);

}  // namespace parity::measure
