// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/measure/tensor/digest.hpp"
#include "harness/trace/read/trace_content.hpp"

namespace parity::trace {

/// Attaches to each tensor the digest of its sketch row, which its values must match when they are read.
/// \throws UserError if a tensor differs from its row in dtype or shape, or has no row where the format
///         requires one: from version 1.2, and in traces of several ranks, which are joined by these rows
void attach_row_digests(const InputFile& file, TraceContent& trace);

/// Returns the digest of what a file holds of a tensor, over the indices of the logical tensor. Pages of
/// large mapped tensors do not stay in this process's memory.
/// \param cover  of a part; null: the file holds the whole tensor
measure::Digest digest_of_values(const TraceContent& file, const TensorPlace& place, const PartCover* cover,
                                 const Shape& global_shape);

/// Compares a digest with the tensor's sketch row, if there is one.
/// \param key  for messages
/// \throws UserError "cannot read FILE (corrupt trace: ...)" if `found` differs from the row
void check_digest(const TraceContent& file, const TensorPlace& place, const TensorKey& key,
                  const measure::Digest& found);

}  // namespace parity::trace
