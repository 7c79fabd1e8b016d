// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "reference/loss/chunked_loss.hpp"
#include "reference/loss/normalization.hpp"
#include "reference/loss/token_cross_entropy.hpp"
#include "reference/parallel/model/vocabulary_cross_entropy.hpp"
#include "reference/train/checks/non_finite.hpp"
#include "reference/train/numerics/attention_choice.hpp"
#include "reference/train/numerics/autocast.hpp"
#include "reference/train/step/batch_input.hpp"
#include "reference/train/step/router_pass.hpp"
#include "reference/train/step/trainer.hpp"
#include "reference/train/step/trainer_state.hpp"

// A micro-batch's part of an update: whole, or in pieces through the stages of a pipeline.

namespace parity::reference {

std::vector<BatchPiece> Trainer::pieces_of(const MicroBatch& batch) const {
  const TrainerState& s = *state_;
  const ParallelConfig& config = s.config.parallel;
  const bool is_cut = s.applied.pipeline != nullptr;
  return reference::pieces_of(s.model, batch, is_cut ? config.pp_microbatches : 1,
                              is_cut ? config.pp_masks : PipelineMasks::own, s.places);
}

void Trainer::forward_backward(const MicroBatch& batch, const UpdateTotals& totals) {
  const TrainerState& s = *state_;
  differentiate(batch, [&](const BatchPiece& piece, const torch::Tensor& hidden) {
    const LossRule rule = s.rule_for(piece.valid_tokens, totals);
    PieceLoss loss = s.loss_of(rule, hidden, piece.labels);
    if (s.model.dimensions().mtp_depth > 0)
      s.add_further_loss(loss, rule, hidden, piece);
    return loss;
  });
}

void Trainer::forward_backward(const MicroBatch& batch, const TokenLoss& loss) {
  const TrainerState& s = *state_;
  differentiate(batch, [&](const BatchPiece& piece, const torch::Tensor& hidden) {
    return PieceLoss{loss(s.tokens_of(piece, hidden)), {}};
  });
}

void Trainer::differentiate(const MicroBatch& batch, const PieceLossOf& loss_of) {
  TrainerState& s = *state_;
  if (s.batch_hook)
    s.batch_hook(s.updates_done + 1, s.tally.micro_batches(), batch);
  s.tally.add(batch);
  if (attention_is_recorded(s.config))
    s.tally.add_masks(s.model.get_masks(batch.tokens, batch.positions, batch.seq_len));
  const std::vector<BatchPiece> pieces = pieces_of(batch);
  check_labels(pieces);
  const ReplayedMicroBatch replayed(s, s.tally.micro_batches() - 1);
  if (s.piece_hook)
    std::ranges::for_each(pieces, s.piece_hook);
  if (s.applied.pipeline)
    return differentiate_in_pieces(pieces, loss_of);
  const BatchPiece& piece = pieces.front();
  s.applied.data_parallel->begin(s.tally.micro_batches() == s.config.data.micro_batches);
  torch::Tensor hidden;
  PieceLoss loss;
  {
    const Autocast autocast(autocasts(s.config), s.model.device().type(), s.config.train.autocast_dtype);
    hidden = s.model.hidden(piece.input);
    loss = loss_of(piece, hidden);
  }
  s.tally.add_loss(loss.loss);
  if (loss.further.defined())
    s.tally.add_further_loss(loss.recorded);
  check_loss(loss.differentiated(),
             [&] { return first_non_finite_activation(s.model, piece.input, *s.parallel.world); });
  if (s.scaler)
    s.scaler->scaled(loss.differentiated()).backward();
  else
    loss.backward(hidden);
  s.applied.data_parallel->end();
}

void Trainer::differentiate_in_pieces(const std::vector<BatchPiece>& pieces, const PieceLossOf& loss_of) {
  TrainerState& s = *state_;
  std::vector<ModelInput> inputs;
  for (const BatchPiece& piece : pieces)
    inputs.push_back(piece.input);
  // Stages reduce once their last piece is through: in finish().
  s.applied.data_parallel->begin(/*last=*/false);
  const torch::Tensor losses = s.applied.pipeline->train(inputs, [&](int64_t m, const torch::Tensor& hidden) {
    return loss_of(pieces[static_cast<size_t>(m)], hidden);
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

PieceLoss TrainerState::loss_of(const LossRule& rule, const torch::Tensor& hidden,
                                const torch::Tensor& labels) const {
  const auto output = [this](const torch::Tensor& x) { return model.output(x); };
  if (config.loss.chunks == 0)
    return {rule.whole(output(hidden), labels), {}};
  const ChunkedLoss chunked = chunked_loss(
      hidden, labels, config.loss.chunks, output,
      [&rule](const torch::Tensor& logits, const torch::Tensor& some) { return rule.share(logits, some); });
  return {chunked.loss, chunked.hidden_grad};
}

void TrainerState::add_further_loss(PieceLoss& loss, LossRule rule, const torch::Tensor& hidden,
                                    const BatchPiece& piece) const {
  rule.z_coef = 0;
  const std::vector<torch::Tensor> results = model.further(hidden, piece.input);
  std::vector<torch::Tensor> losses;
  for (size_t depth = 0; depth < results.size(); ++depth) {
    const torch::Tensor labels =
        config.loss.mtp_labels == MtpLabels::unshifted
            ? piece.labels
            : further_labels(piece.labels, piece.documents, static_cast<int64_t>(depth) + 1);
    losses.push_back(rule.share(model.further_output(results[depth], depth), labels));
  }
  const torch::Tensor mean = at::stack(losses).mean();
  loss.recorded = mean.detach();
  loss.further = mean * config.loss.mtp_coef;
}

TokenOutputs TrainerState::tokens_of(const BatchPiece& piece, const torch::Tensor& hidden) const {
  const torch::Tensor logits = model.output(hidden);
  const GroupPointer& ranks = applied.vocabulary_ranks;
  if (ranks)
    return {vocabulary_cross_entropy(logits, piece.labels, model.dimensions().vocab_size, ranks).neg(),
            vocabulary_entropy(logits, ranks), piece.own};
  const auto form =
      config.rl.logprobs == LogprobForm::cross_entropy ? token_cross_entropy : token_cross_entropy_by_gather;
  return {form(logits, piece.labels).neg(), token_entropy(logits), piece.own};
}

void Trainer::check_labels(const std::vector<BatchPiece>& pieces) const {
  const TrainerState& s = *state_;
  const auto before = (s.tally.micro_batches() - 1) * static_cast<int64_t>(pieces.size());
  for (size_t i = 0; i < pieces.size(); ++i)
    if (s.config.loss.normalization == Normalization::microbatch_mean && pieces[i].valid_tokens == 0)
      throw UserError(
          "micro-batch " + std::to_string(before + static_cast<int64_t>(i) + 1) + " of update " +
          std::to_string(s.updates_done + 1) +
          " has no label that counts (loss.normalization = \"microbatch_mean\" would divide 0 by 0); " +
          "lower data.ignore_fraction or data.micro_batches, or choose another normalization");
}

void Trainer::check_loss(const torch::Tensor& loss, const std::function<std::string()>& first_activation) {
  TrainerState& s = *state_;
  const Group& world = *s.parallel.world;
  const double value = worst_of_ranks(loss.item<double>(), world);
  if (std::isfinite(value))
    return;
  const int64_t step = s.updates_done + 1;
  if (const std::string name = first_non_finite_value(s.applied.parameters, s.model.parameters(), world);
      !name.empty())
    throw NonFinite(step, "loss", value, trace::Phase::param, name);
  throw NonFinite(step, "loss", value, trace::Phase::forward, first_activation());
}

}  // namespace parity::reference
