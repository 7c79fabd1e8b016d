// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/measure/tensor/digest.hpp"
#include "harness/tensor/tensor_view.hpp"

namespace parity::compare {

/// The bits in which two tensors of one dtype and shape differ.
struct FlippedBits {
  DType dtype = DType::float32;
  int64_t count = 0;     ///< elements of the tensor
  int64_t elements = 0;  ///< elements with a flipped bit
  int64_t first = -1;    ///< flat index of the first of them; -1 if there is none
  std::vector<int64_t> flips = std::vector<int64_t>(64);  ///< by bit, how often it flipped

  /// Returns "1 of 4096 elements, element 17, bit 30 (exponent)" or "12 of 4096 elements, first 3, bits 0-2
  /// (fraction)".
  std::string text() const;
};

/// Counts the bits in which two tensors differ. \throws InternalError if dtype or shape differ
FlippedBits flipped_bits(const TensorView& expected, const TensorView& actual);

/// Finds the one flipped bit that turns a tensor into one of which only the digest is known. A digest is a
/// sum over the elements, so each candidate costs one hash: elements x bits in all.
/// \param expected     the whole tensor, or a contiguous part of it
/// \param actual       digest of the other tensor over the same elements
/// \param first_index  as for digest_of()
/// \return nothing if more than one bit flipped, or none
std::optional<FlippedBits> find_flipped_bit(const TensorView& expected, const measure::Digest& actual,
                                            uint64_t first_index = 0);

}  // namespace parity::compare
