// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "reference/data/loader.hpp"
#include "reference/model/llama3/llama3.hpp"

namespace parity::reference {

/// [B, S] int64 over the batch's own memory.
torch::Tensor tensor_of(const std::vector<int64_t>& values, const MicroBatch& batch);

/// Tokens, positions and masks of a micro-batch, over its own memory.
ModelInput input_of(const Llama3& model, const MicroBatch& batch);

/// Some rows of a micro-batch, for a pipeline.
struct Piece {
  ModelInput input;
  torch::Tensor labels;  ///< [B / M, S] int64
  int64_t valid_tokens = 0;
};

/// A micro-batch cut into M equal pieces of rows, in order.
/// \param masks  split: made of the whole micro-batch, and cut with its rows; own: made of each piece, the
/// same
///               masks; held: those of the whole micro-batch's first rows for every piece, which is wrong
///               from the second on wherever rows differ. So it was where each attention module held the mask
///               of the micro-batch that the trainer saw (torchtitan #1723).
std::vector<Piece> pieces_of(const Llama3& model, const MicroBatch& batch, int64_t pieces,
                             PipelineMasks masks);

}  // namespace parity::reference
