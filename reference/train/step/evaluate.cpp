// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/step/batch_input.hpp"
#include "reference/train/step/trainer.hpp"
#include "reference/train/step/trainer_state.hpp"

namespace parity::reference {

std::vector<torch::Tensor> Trainer::visit_pieces(const MicroBatch& batch, const PieceLossOf& loss_of) const {
  const TrainerState& s = *state_;
  const std::vector<BatchPiece> pieces = pieces_of(batch);
  if (!s.applied.pipeline)
    return {loss_of(pieces.front(), s.model.hidden(pieces.front().input)).loss};
  std::vector<ModelInput> inputs;
  for (const BatchPiece& piece : pieces)
    inputs.push_back(piece.input);
  return s.applied.pipeline
      ->evaluate(inputs,
                 [&](int64_t m, const torch::Tensor& hidden) {
                   return loss_of(pieces[static_cast<size_t>(m)], hidden);
                 })
      .unbind();
}

torch::Tensor Trainer::forward(const MicroBatch& batch) {
  const TrainerState& s = *state_;
  const torch::NoGradGuard no_grad;
  const torch::Tensor logprobs_BS = torch::zeros({batch.rows, batch.seq_len}, torch::kFloat64);
  const torch::Tensor index_BS = torch::arange(batch.rows * batch.seq_len).view_as(logprobs_BS);
  visit_pieces(batch, [&](const BatchPiece& piece, const torch::Tensor& hidden) {
    const TokenOutputs tokens = s.tokens_of(piece, hidden);
    const torch::Tensor here = tokens.own(index_BS).cpu().flatten();
    logprobs_BS.view(-1).index_copy_(0, here, tokens.logprobs.cpu().to(torch::kFloat64).flatten());
    return PieceLoss{tokens.logprobs.sum(), {}};
  });
  // Positions on other ranks, and stages without logits, are zeros in this sum.
  s.parallel.context->all_reduce(logprobs_BS);
  s.parallel.pipeline->all_reduce(logprobs_BS);
  return logprobs_BS;
}

double Trainer::evaluate() {
  TrainerState& s = *state_;
  const torch::NoGradGuard no_grad;
  const ModelDimensions& dimensions = s.model.dimensions();
  const Group& batch_ranks = *s.parallel.batch;
  if (s.eval_batches.empty())
    s.eval_batches = Loader(s.config.data, {dimensions.vocab_size, dimensions.max_seq_len},
                            {batch_ranks.rank(), batch_ranks.size()})
                         .next()
                         .micro_batches;
  const torch::Tensor valid = torch::zeros({1}, torch::kInt64);
  for (const MicroBatch& batch : s.eval_batches)
    valid.add_(batch.valid_tokens);
  batch_ranks.all_reduce(valid);
  const LossRule rule{Normalization::global_tokens,
                      /*valid_tokens=*/0,
                      {1, valid.item<int64_t>()},
                      s.applied.cross_entropy_sum};
  const auto loss_of = [&](const BatchPiece& piece, const torch::Tensor& hidden) {
    return PieceLoss{rule.whole(s.model.output(hidden), piece.labels), {}};
  };
  std::vector<torch::Tensor> losses;
  for (const MicroBatch& batch : s.eval_batches)
    for (const torch::Tensor& loss : visit_pieces(batch, loss_of))
      losses.push_back(loss);
  const torch::Tensor loss = at::stack(losses).sum();
  s.parallel.loss->all_reduce(loss);
  return loss.item<double>();
}

}  // namespace parity::reference
