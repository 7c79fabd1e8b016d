// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

#include "harness/measure/digest.hpp"

namespace parity {

/// Told of some megabytes of a tensor at a time that are not needed any more; from any of the threads.
using DoneWithBytes = std::function<void(const std::byte* data, size_t bytes)>;

/// digest_of a whole tensor, on as many cores as there are for this process.
Digest digest_of_whole(const TensorView& view, const DoneWithBytes& done = {});

struct DigestPair {
  Digest expected;
  Digest actual;

  DigestPair& operator+=(const DigestPair& other);
};

/// What the elements [first, first + count) of two tensors of one dtype add to the tensors' digests; where
/// they are equal in bits the mixing is done once.
DigestPair digests_of_part(const TensorView& expected, const TensorView& actual, int64_t first,
                           int64_t count);

/// Digests of two whole tensors in one pass over both. \throws InternalError if dtype or shape differ
DigestPair digests_of_pair(const TensorView& expected, const TensorView& actual,
                           const DoneWithBytes& done = {});

/// Whether two whole tensors have the same bits. \throws InternalError if dtype or shape differ
bool have_equal_bits(const TensorView& expected, const TensorView& actual, const DoneWithBytes& done = {});

}  // namespace parity
