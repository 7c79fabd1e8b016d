// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/batch_input.hpp"

#include "harness/base/error.hpp"

namespace parity::reference {

torch::Tensor tensor_of(const std::vector<int64_t>& values, const MicroBatch& batch) {
  return torch::from_blob(const_cast<int64_t*>(values.data()), {batch.rows, batch.seq_len}, torch::kInt64);
}

ModelInput input_of(const Llama3& model, const MicroBatch& batch) {
  const torch::Tensor tokens = tensor_of(batch.tokens, batch);
  const torch::Tensor positions = tensor_of(batch.positions, batch);
  return {tokens, batch.whole_positions ? torch::Tensor() : positions,
          model.get_attention_masks(tokens, positions)};
}

std::vector<Piece> pieces_of(const Llama3& model, const MicroBatch& batch, int64_t pieces,
                             PipelineMasks masks) {
  require(batch.rows % pieces == 0, "rows do not fall into equal pieces");
  const int64_t rows = batch.rows / pieces;
  const torch::Tensor tokens = tensor_of(batch.tokens, batch), labels = tensor_of(batch.labels, batch),
                      positions = tensor_of(batch.positions, batch);
  AttentionMasks whole;
  if (masks != PipelineMasks::own)
    whole = model.get_attention_masks(tokens, positions);
  std::vector<Piece> result;
  for (int64_t first = 0; first < batch.rows; first += rows) {
    const auto some = [&](const torch::Tensor& x_BS) { return x_BS.narrow(0, first, rows); };
    const torch::Tensor own = some(positions);
    ModelInput input(some(tokens), batch.whole_positions ? torch::Tensor() : own,
                     masks == PipelineMasks::own
                         ? model.get_attention_masks(some(tokens), own)
                         : rows_of(whole, batch.seq_len, masks == PipelineMasks::held ? 0 : first, rows));
    result.push_back({std::move(input), some(labels), some(labels).ne(ignored_label).sum().item<int64_t>()});
  }
  return result;
}

}  // namespace parity::reference
