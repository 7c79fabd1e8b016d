// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "reference/model/decoder/decoder.hpp"
#include "reference/parallel/core/collectives.hpp"
#include "reference/parallel/core/layout.hpp"

namespace parity::reference {

/// Shards the experts of every block over n ranks with different tokens. Each token travels to the ranks that
/// hold its experts, and its results travel back:
///
///   sort by expert, all-to-all of counts, all-to-all of rows, sort by own expert and then by rank,
///   experts, all-to-all of the results' rows
///
/// Rank r has experts [r E / n, (r + 1) E / n), whole. The gradient of an expert includes the tokens of all
/// ranks. Rows arrive in the order of the ranks, which is their order in one process with all rows. So the
/// products have the same bits.
///
/// \param parameters  of the model, sharded by tensor parallelism or not
/// \param ranks       n of them; n divides the number of experts
/// \param places      of the ranks in the mesh
/// \return the parameters, with this rank's experts in memory of their own
/// Source: NUMERICS.md 4.5 and 6; torchtitan AllToAllTokenDispatcher.
Parameters apply_expert_parallel(Decoder& model, const Parameters& parameters, const GroupPointer& ranks,
                                 const std::vector<MeshPlace>& places);

}  // namespace parity::reference
