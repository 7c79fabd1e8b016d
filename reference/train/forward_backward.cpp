// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "reference/loss/chunked_loss.hpp"
#include "reference/loss/normalization.hpp"
#include "reference/train/attention_choice.hpp"
#include "reference/train/autocast.hpp"
#include "reference/train/batch_input.hpp"
#include "reference/train/non_finite.hpp"
#include "reference/train/trainer_state.hpp"

// A micro-batch's part of an update: whole, or in pieces through the stages of a pipeline.

namespace parity::reference {
namespace {

void check_labels(const LossRule& rule, int64_t step, int64_t index) {
  if (rule.defined())
    return;
  throw UserError(
      "micro-batch " + std::to_string(index + 1) + " of update " + std::to_string(step) +
      " has no label that counts (loss.normalization = \"microbatch_mean\" would divide 0 by 0); " +
      "lower data.ignore_fraction or data.micro_batches, or choose another normalization");
}

}  // namespace

void Trainer::forward_backward(const MicroBatch& batch, const UpdateTotals& totals) {
  State& s = *state_;
  if (s.batch_hook)
    s.batch_hook(s.updates_done + 1, s.tally.micro_batches(), batch);
  s.tally.add(batch);
  if (attention_is_recorded(s.config))
    s.tally.add_masks(s.model.get_masks(batch.tokens, batch.positions, batch.seq_len));
  if (s.applied.pipeline)
    return forward_backward_in_pieces(batch, totals);
  const LossRule rule = s.rule_for(batch.valid_tokens, totals);
  check_labels(rule, s.updates_done + 1, s.tally.micro_batches() - 1);
  const Piece piece = piece_of(s.model, batch, s.places);
  s.applied.data_parallel->begin(s.tally.micro_batches() == s.config.data.micro_batches);
  torch::Tensor hidden;
  PieceLoss loss;
  {
    const Autocast autocast(autocasts(s.config), s.model.device().type());
    hidden = s.model.hidden(piece.input);
    loss = s.loss_of(rule, hidden, piece.labels);
  }
  s.tally.add_loss(loss.loss);
  check_loss(loss.loss, [&] { return first_non_finite_activation(s.model, piece.input, *s.parallel.world); });
  loss.backward(hidden);
  s.applied.data_parallel->end();
}

void Trainer::forward_backward_in_pieces(const MicroBatch& batch, const UpdateTotals& totals) {
  State& s = *state_;
  const ParallelConfig& config = s.config.parallel;
  const std::vector<Piece> pieces =
      pieces_of(s.model, batch, config.pp_microbatches, config.pp_masks, s.places);
  std::vector<ModelInput> inputs;
  for (const Piece& piece : pieces) {
    check_labels(
        s.rule_for(piece.valid_tokens, totals), s.updates_done + 1,
        (s.tally.micro_batches() - 1) * config.pp_microbatches + static_cast<int64_t>(inputs.size()));
    inputs.push_back(piece.input);
  }
  // Stages reduce once their last piece is through: in finish().
  s.applied.data_parallel->begin(/*last=*/false);
  const torch::Tensor losses = s.applied.pipeline->train(inputs, [&](int64_t m, const torch::Tensor& hidden) {
    const Piece& piece = pieces[static_cast<size_t>(m)];
    return s.loss_of(s.rule_for(piece.valid_tokens, totals), hidden, piece.labels);
  });
  s.applied.data_parallel->end();
  for (const torch::Tensor& loss : losses.unbind())
    s.tally.add_loss(loss);
  check_loss(losses.sum(), [&] {
    const auto bad = losses.isfinite().logical_not_().to(torch::kInt64).argmax().item<int64_t>();
    return first_non_finite_activation(*s.applied.pipeline, inputs[static_cast<size_t>(bad)],
                                       *s.parallel.world);
  });
}

PieceLoss Trainer::State::loss_of(const LossRule& rule, const torch::Tensor& hidden,
                                  const torch::Tensor& labels) const {
  const auto output = [this](const torch::Tensor& x) { return model.output(x); };
  if (config.loss.chunks == 0)
    return {rule.whole(output(hidden), labels), {}};
  const ChunkedLoss chunked = chunked_loss(
      hidden, labels, config.loss.chunks, output,
      [&rule](const torch::Tensor& logits, const torch::Tensor& some) { return rule.share(logits, some); });
  return {chunked.loss, chunked.hidden_grad};
}

void Trainer::check_loss(const torch::Tensor& loss, const std::function<std::string()>& first_activation) {
  State& s = *state_;
  const Group& world = *s.parallel.world;
  const double value = worst_of_ranks(loss.item<double>(), world);
  if (std::isfinite(value))
    return;
  const int64_t step = s.updates_done + 1;
  if (const std::string name = first_non_finite_value(s.applied.parameters, s.model.parameters(), world);
      !name.empty())
    throw NonFinite(step, "loss", value, Phase::param, name);
  throw NonFinite(step, "loss", value, Phase::forward, first_activation());
}

}  // namespace parity::reference
