// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace parity::measure {

/// The integer hashes of digests and sketches. Specified in harness/trace/FORMAT.md; changing a constant
/// changes every stored digest, so it needs a new major schema.

/// The two contributions of one element to a digest.
struct Mixed {
  uint64_t low;
  uint64_t high;
};

/// Factor of an element's index key, (index + 1) * index_factor. Because of it zeros change the digest too.
inline constexpr uint64_t index_factor = 0x9E3779B97F4A7C15U;

/// Returns an element's contributions to a digest.
/// \param bits       the element's bit pattern, zero-extended
/// \param index_key  (global row-major index + 1) * index_factor
constexpr Mixed mix_element(uint64_t bits, uint64_t index_key) {
  uint64_t x = bits ^ index_key;
  x ^= x >> 32;
  x *= 0xFF51AFD7ED558CCDU;
  x ^= x >> 29;
  uint64_t low = x * 0xC4CEB9FE1A85EC53U;
  uint64_t high = x * 0xD6E8FEB86659FD93U;
  low ^= low >> 32;
  high ^= high >> 32;
  return {low, high};
}

/// Number of elements that share a word of signs.
inline constexpr int64_t sign_group = 64;

/// Returns the signs of a group of elements in a sketch. Bit j belongs to element 64 * group + j; 1 means
/// minus. The function is MurmurHash3's 64-bit finaliser.
constexpr uint64_t sketch_signs(uint64_t group) {
  uint64_t x = (group + 1) * index_factor;
  x ^= x >> 33;
  x *= 0xFF51AFD7ED558CCDU;
  x ^= x >> 33;
  x *= 0xC4CEB9FE1A85EC53U;
  x ^= x >> 33;
  return x;
}

}  // namespace parity::measure
