// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "reference/model/decoder/decoder.hpp"
#include "reference/parallel/collectives.hpp"
#include "reference/parallel/layout.hpp"

namespace parity::reference {

/// Cuts the experts of every block over n ranks with different tokens, and sends each token to the ranks
/// that hold its experts and its results back:
///
///   sort by expert, all-to-all of counts, all-to-all of rows, sort by own expert and then by rank,
///   experts, all-to-all of the results' rows
///
/// Rank r has experts [r E / n, (r + 1) E / n), whole. The gradient of an expert is that of all ranks'
/// tokens. Its rows come in the order of the ranks, which is the order in which one process with all their
/// rows has them: the products have the same bits.
///
/// \param parameters  of the model, cut by tensor parallelism or not
/// \param ranks       n, a divisor of the number of experts
/// \param places      where they lie in the mesh; what is behind them in a layout says what each holds
/// \return with the experts' parts in memory of their own
/// Source: NUMERICS.md 4.5 and 6; torchtitan AllToAllTokenDispatcher.
Parameters apply_expert_parallel(Decoder& model, const Parameters& parameters, const GroupPointer& ranks,
                                 const std::vector<MeshPlace>& places);

}  // namespace parity::reference
