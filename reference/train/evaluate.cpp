// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/batch_input.hpp"
#include "reference/train/trainer_state.hpp"

namespace parity::reference {

double Trainer::evaluate() {
  State& s = *state_;
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
  const auto loss_of = [&](const torch::Tensor& hidden, const torch::Tensor& labels) {
    return rule.whole(s.model.output(hidden), labels);
  };
  std::vector<torch::Tensor> losses;
  for (const MicroBatch& batch : s.eval_batches) {
    if (!s.applied.pipeline) {
      const Piece piece = piece_of(s.model, batch, s.places);
      losses.push_back(loss_of(s.model.hidden(piece.input), piece.labels));
      continue;
    }
    const ParallelConfig& config = s.config.parallel;
    const std::vector<Piece> pieces =
        pieces_of(s.model, batch, config.pp_microbatches, config.pp_masks, s.places);
    std::vector<ModelInput> inputs;
    for (const Piece& piece : pieces)
      inputs.push_back(piece.input);
    const torch::Tensor some =
        s.applied.pipeline->evaluate(inputs, [&](int64_t m, const torch::Tensor& hidden) {
          return PieceLoss{loss_of(hidden, pieces[static_cast<size_t>(m)].labels), {}};
        });
    for (const torch::Tensor& loss : some.unbind())
      losses.push_back(loss);
  }
  const torch::Tensor loss = at::stack(losses).sum();
  s.parallel.loss->all_reduce(loss);
  return loss.item<double>();
}

}  // namespace parity::reference
