// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "reference/data/loader.hpp"
#include "reference/model/decoder/decoder.hpp"

namespace parity::reference {

/// Returns [B, S] int64 over the batch's own memory.
torch::Tensor tensor_of(const std::vector<int64_t>& values, const MicroBatch& batch);

/// The part of some rows of a micro-batch that this rank has.
struct BatchPiece {
  ModelInput input;              ///< on the model's device; on the CPU it may use the batch's memory
  torch::Tensor labels;          ///< like the tokens
  int64_t valid_tokens = 0;      ///< of these rows, over all ranks that have parts of them
  torch::Tensor documents = {};  ///< of each token, like the labels; undefined unless the model looks further
  torch::Tensor places_S = {};   ///< int64 on the CPU: places of the tokens in their whole sequence
  /// Cuts one number for each token of the micro-batch, [B, S] on the CPU, to the tokens of this piece.
  std::function<torch::Tensor(const torch::Tensor& x_BS)> own = {};
};

/// Cuts a micro-batch into M equal pieces of rows, in order.
///
/// | masks | made from                                                                       |
/// |-------|---------------------------------------------------------------------------------|
/// | split | the whole micro-batch, then cut with its rows                                   |
/// | own   | each piece; the result is that of split                                         |
/// | held  | the first rows of the whole micro-batch, for every piece (torchtitan #1723):    |
/// |       | wrong from the second piece on, unless all rows are alike                       |
///
/// \param own  positions of each sequence that this rank has (context_positions); empty = all. Masks are made
///             from whole sequences first, so a cut never changes the documents
std::vector<BatchPiece> pieces_of(const Decoder& model, const MicroBatch& batch, int64_t pieces,
                                  PipelineMasks masks, const std::vector<int64_t>& own = {});

}  // namespace parity::reference
