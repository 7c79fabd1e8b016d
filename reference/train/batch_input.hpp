// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "reference/data/loader.hpp"
#include "reference/model/decoder/decoder.hpp"

namespace parity::reference {

/// [B, S] int64 over the batch's own memory.
torch::Tensor tensor_of(const std::vector<int64_t>& values, const MicroBatch& batch);

/// What a rank has of some rows of a micro-batch.
struct BatchPiece {
  ModelInput input;          ///< on the model's device; on the CPU it may lie in the batch's memory
  torch::Tensor labels;      ///< like the tokens
  int64_t valid_tokens = 0;  ///< of these rows, over all ranks that have parts of them
  /// Cuts a number a token of the micro-batch, [B, S] on the CPU, to those of this piece, like the labels.
  std::function<torch::Tensor(const torch::Tensor& x_BS)> own = {};
};

/// A micro-batch cut into M equal pieces of rows, in order.
/// \param masks  split: made of the whole micro-batch, and cut with its rows; own: made of each piece, the
/// same
///               masks; held: those of the whole micro-batch's first rows for every piece, which is wrong
///               from the second on wherever rows differ. So it was where each attention module held the mask
///               of the micro-batch that the trainer saw (torchtitan #1723).
/// \param own  places in each sequence that this rank has (context_positions); empty = all. Masks are made
///             before, from whole sequences, so that documents are the same wherever they are cut
std::vector<BatchPiece> pieces_of(const Decoder& model, const MicroBatch& batch, int64_t pieces,
                                  PipelineMasks masks, const std::vector<int64_t>& own = {});

}  // namespace parity::reference
