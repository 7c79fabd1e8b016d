// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/step/router_pass.hpp"

#include "reference/train/numerics/autocast.hpp"
#include "reference/train/step/averages_means.hpp"
#include "reference/train/step/trainer.hpp"

namespace parity::reference {
namespace {

/// Returns how a loss of one pass counts. Ranks of tp have the same tokens, and their gradients of a router
/// are added up, so each has an equal part.
RouterLossShare loss_share(const TrainerState& s) {
  const int64_t rows = s.parallel.batch->size();
  const int64_t passes = s.config.data.micro_batches * s.config.parallel.pp_microbatches * rows;
  RouterLossShare share;
  share.of_update = 1.0 / static_cast<double>(passes);
  share.gradient_factor = static_cast<double>(averages_means(s.config) ? rows : 1) /
                          static_cast<double>(s.parallel.tensor->size());
  share.parts = s.parallel.context->size();
  if (share.parts > 1)
    share.sum_over_parts = [ranks = s.parallel.context](const torch::Tensor& counts) {
      ranks->all_reduce(counts);
    };
  return share;
}

/// Returns whether the balance loss needs the load of the whole update before its first micro-batch.
bool counts_update(const MoeConfig& moe) {
  return moe.balance_loss == BalanceLoss::tokens && moe.balance_loss_scope == BalanceScope::global_batch;
}

/// Makes the routers count while it exists.
class Counting {
 public:
  explicit Counting(Decoder& model) : pass_(model.moe_pass()) {
    pass_.counts_update = true;
    for (const Moe* moe : model.mixtures())
      moe->tally.update_E.zero_();
  }
  ~Counting() { pass_.counts_update = false; }
  Counting(const Counting&) = delete;
  Counting& operator=(const Counting&) = delete;

 private:
  MoePass& pass_;
};

}  // namespace

void prepare_routers(TrainerState& s) {
  MoePass& pass = s.model.moe_pass();
  pass.losses = loss_share(s);
  if (counts_update(s.config.moe))
    s.model.begin_counting_updates();
  if (s.config.moe.replay.empty())
    return;
  s.replay.emplace(
      s.config.moe.replay, s.model.dimensions(),
      TokenPlaces{s.config.data.global_batch, s.config.data.seq_len, s.loader.first_row(), s.places});
  pass.given = [&s](const std::string& part, int64_t first_row, int64_t sequences) {
    const torch::Tensor experts_TK = s.replay->experts(part, first_row, sequences);
    return experts_TK.defined() ? experts_TK.to(s.model.device()) : experts_TK;
  };
}

ReplayedMicroBatch::ReplayedMicroBatch(TrainerState& state, int64_t micro_batch) : state_(state) {
  if (state_.replay)
    state_.replay->begin(state_.updates_done + 1, state_.first_row_of(micro_batch));
}

ReplayedMicroBatch::~ReplayedMicroBatch() {
  if (state_.replay)
    state_.replay->end();
}

/// Counts how an update's tokens load the experts, in forward passes without gradients. The same passes with
/// gradients choose the same experts.
void Trainer::count_routes(const UpdateBatches& update) {
  TrainerState& s = *state_;
  if (!counts_update(s.config.moe))
    return;
  const torch::NoGradGuard no_grad;
  const Counting counting(s.model);
  const Autocast autocast(autocasts(s.config), s.model.device().type(), s.config.train.autocast_dtype);
  int64_t micro_batch = 0;
  for (const MicroBatch& batch : update.micro_batches) {
    const ReplayedMicroBatch replayed(s, micro_batch++);
    visit_pieces(batch,
                 [](const BatchPiece&, const torch::Tensor& hidden) { return PieceLoss{hidden.sum(), {}}; });
  }
  for (const Moe* moe : s.model.mixtures())
    s.parallel.loss->all_reduce(moe->tally.update_E);
}

}  // namespace parity::reference
