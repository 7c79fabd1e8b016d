// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "tensor_view.hpp"

namespace parity::api {

/// The exact fingerprint of a tensor's bits. The digests of disjoint parts add up to the digest of the whole.
struct Digest {
  uint64_t low = 0;   ///< bits 0 to 63
  uint64_t high = 0;  ///< bits 64 to 127

  /// Orders digests by low, then high.
  auto operator<=>(const Digest&) const = default;
  /// Adds each half modulo 2^64.
  Digest& operator+=(const Digest& other) {
    low += other.low;
    high += other.high;
    return *this;
  }
};

/// Returns a digest as 32 hexadecimal digits, high half first.
std::string to_string(const Digest& digest);

/// Returns the digest of a tensor, or of a contiguous part of one.
/// \param view         the elements
/// \param first_index  row-major index of the first element in the whole tensor
Digest digest_of(const TensorView& view, uint64_t first_index = 0);

}  // namespace parity::api
