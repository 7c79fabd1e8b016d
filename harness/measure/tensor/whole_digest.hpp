// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

#include "harness/measure/tensor/digest.hpp"

namespace parity::measure {

/// Called with each few megabytes of a tensor that are no longer needed, so that the caller can release them;
/// from any worker thread.
using DoneWithBytes = std::function<void(const std::byte* data, size_t bytes)>;

/// Returns the digest of a whole tensor, computed on all cores of this process.
Digest digest_of_whole(const TensorView& view, const DoneWithBytes& done = {});

struct DigestPair {
  Digest expected;
  Digest actual;

  DigestPair& operator+=(const DigestPair& other);
};

/// Returns what the elements [first, first + count) of two tensors of one dtype add to the tensors' digests.
/// Bitwise equal elements are mixed once.
DigestPair digests_of_part(const TensorView& expected, const TensorView& actual, int64_t first,
                           int64_t count);

/// Returns the digests of two whole tensors from one pass over both. \throws InternalError if dtype or shape
/// differ
DigestPair digests_of_pair(const TensorView& expected, const TensorView& actual,
                           const DoneWithBytes& done = {});

/// Returns whether two whole tensors have the same bits. \throws InternalError if dtype or shape differ
bool have_equal_bits(const TensorView& expected, const TensorView& actual, const DoneWithBytes& done = {});

}  // namespace parity::measure
