// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/step/batch_input.hpp"

#include "harness/base/error.hpp"

namespace parity::reference {

torch::Tensor tensor_of(const std::vector<int64_t>& values, const MicroBatch& batch) {
  return torch::from_blob(const_cast<int64_t*>(values.data()), {batch.rows, batch.seq_len}, torch::kInt64);
}

namespace {

/// Returns the document of each token, [B, S] int64, for multi-token prediction; undefined if nothing tells
/// documents apart, or nothing needs to.
torch::Tensor documents_of(const Decoder& model, const MicroBatch& batch) {
  if (model.dimensions().mtp_depth == 0)
    return {};
  const auto masks = model.get_masks(batch.tokens, batch.positions, batch.seq_len);
  const auto& ids = masks.begin()->second.document_ids;  // all masks distinguish the same documents
  return ids ? tensor_of(*ids, batch).clone() : torch::Tensor();
}

}  // namespace

std::vector<BatchPiece> pieces_of(const Decoder& model, const MicroBatch& batch, int64_t pieces,
                                  PipelineMasks masks, const std::vector<int64_t>& own) {
  require(batch.rows % pieces == 0, "rows do not fall into equal pieces");
  const int64_t rows = batch.rows / pieces;
  const torch::Tensor tokens = tensor_of(batch.tokens, batch), labels = tensor_of(batch.labels, batch),
                      positions = tensor_of(batch.positions, batch);
  const torch::Tensor documents = documents_of(model, batch);
  MaskSet whole;
  if (masks != PipelineMasks::own)
    whole = model.get_attention_masks(tokens, positions, own);
  const torch::Tensor places = own.empty() ? torch::arange(batch.seq_len) : torch::tensor(own, torch::kInt64);
  const auto placed = [all = own.empty(), places, device = model.device()](const torch::Tensor& x_BS) {
    return (all ? x_BS : x_BS.index_select(1, places)).to(device);
  };
  const bool counts_through = batch.whole_positions && own.empty();
  std::vector<BatchPiece> result;
  for (int64_t first = 0; first < batch.rows; first += rows) {
    const auto some = [first, rows](const torch::Tensor& x_BS) { return x_BS.narrow(0, first, rows); };
    const MaskSet of_piece =
        masks == PipelineMasks::own
            ? model.get_attention_masks(some(tokens), some(positions), own)
            : rows_of(whole, batch.seq_len, masks == PipelineMasks::held ? 0 : first, rows);
    ModelInput input{placed(some(tokens)), counts_through ? torch::Tensor() : placed(some(positions)),
                     of_piece};
    input.first_row = first;
    result.push_back({std::move(input), placed(some(labels)),
                      some(labels).ne(ignored_label).sum().item<int64_t>(),
                      documents.defined() ? placed(some(documents)) : documents, places,
                      [placed, some](const torch::Tensor& x_BS) { return placed(some(x_BS)); }});
  }
  return result;
}

}  // namespace parity::reference
