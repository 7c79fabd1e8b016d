// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/measure/digest.hpp"
#include "harness/trace/read/trace_content.hpp"

namespace parity {

/// Gives each tensor the digest of its sketch row, which its values have to have when they are read.
/// \throws UserError if a tensor has another dtype or shape than its row, or no row where the format asks for
///         one: from 1.2 on, and in traces of several ranks, whose tensors are joined by their rows
void attach_row_digests(const InputFile& file, TraceContent& trace);

/// Digest of what a file holds of a tensor, by the indices of the logical tensor. Where the values are many
/// and mapped, their pages do not stay in this process's memory.
/// \param cover  of a part; null: the values are all of it
Digest digest_of_values(const TraceContent& file, const TensorPlace& place, const PartCover* cover,
                        const Shape& global_shape);

/// \param key  for messages. \throws UserError "cannot read FILE (corrupt trace: ...)" if `found` is not what
/// the row says; nothing if there is no row
void check_digest(const TraceContent& file, const TensorPlace& place, const TensorKey& key,
                  const Digest& found);

}  // namespace parity
