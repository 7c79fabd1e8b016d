// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
// One update, in the order of the README's "The step". step() has steps 1 to 3 and calls optim_step(), whose
// functions come before it in the order in which it calls them.
#include "reference/train/step/trainer.hpp"

#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include "harness/base/error.hpp"
#include "reference/loss/normalization.hpp"
#include "reference/optim/clip.hpp"
#include "reference/optim/scale_gradients.hpp"
#include "reference/parallel/core/sharded_norm.hpp"
#include "reference/train/checks/non_finite.hpp"
#include "reference/train/numerics/attention_choice.hpp"
#include "reference/train/step/averages_means.hpp"
#include "reference/train/step/qk_clip.hpp"
#include "reference/train/step/router_update.hpp"
#include "reference/train/step/trainer_state.hpp"

namespace parity::reference {
namespace {

/// Returns M, the number of pieces of an update whose means are averaged: of all ranks, or of this one if the
/// ranks average afterwards.
int64_t micro_batches_of(const RunConfig& config) {
  return config.data.micro_batches * config.parallel.pp_microbatches *
         (averages_means(config) ? 1 : config.parallel.batch_ranks());
}

/// Reduces the gradients, and the counts of the update, over the ranks that have different rows.
///
///   grad_p = sum over ranks of grad_p, or their mean with parallel.gradient_reduction = "average"
///
/// grad_p has the shape of parameter p, or of this rank's shard of it. Units of FSDP have reduced theirs
/// during backward already; the reduction waits for them.
void reduce_gradients(TrainerState& s) {
  if (s.parallel.stage->size() > 1 && s.applied.data_parallel->keeps_local_gradients())
    s.reached(trace::Phase::grad_local);
  s.tally.sum_over(*s.parallel.batch);
  s.applied.data_parallel->finish();
}

/// Multiplies every gradient and the loss by 1 / N, the rule of gradient_scaling. N, the labels of the update
/// that count, is known only now. \param loss  scalar. \return scalar
torch::Tensor scale_by_tokens(const TrainerState& s, const torch::Tensor& loss) {
  const Parameters& parameters = s.applied.trained;
  const torch::Tensor scale =
      gradient_scale(s.tally.valid_tokens(), parameters.front().value.scalar_type()).to(s.model.device());
  scale_gradients(parameters, scale);
  return loss * scale;
}

/// Returns the loss of the update from those of this rank's micro-batches, summed or averaged over ranks.
torch::Tensor over_ranks(const TrainerState& s, const std::vector<torch::Tensor>& losses) {
  torch::Tensor loss = sum_of_losses(s.config.loss.normalization, losses);
  s.parallel.loss->all_reduce(loss);
  if (averages_means(s.config))
    loss.div_(s.parallel.batch->size());
  return loss;
}

/// Returns the loss of multi-token prediction, divided as the loss of the update.
std::optional<double> finish_further_loss(const TrainerState& s) {
  if (s.tally.further_losses().empty())
    return std::nullopt;
  const torch::Tensor loss = over_ranks(s, s.tally.further_losses());
  if (s.config.loss.normalization != Normalization::gradient_scaling)
    return loss.item<double>();
  return (loss * gradient_scale(s.tally.valid_tokens(), loss.scalar_type()).to(loss.device())).item<double>();
}

/// Finishes the loss of the update, which is a scalar on every rank.
///
///   loss = sum over ranks of sum over m of loss_m    mean over ranks, if each divides by its own count
///   loss = loss / N,  grad_p = grad_p / N            loss.normalization = "gradient_scaling" only
///
/// loss_m is the scalar of micro-batch m as it was differentiated. N counts the labels of all ranks.
/// \throws UserError if no label of a streamed update counts
double finish_loss(const TrainerState& s) {
  if (s.config.loss.accumulation == Accumulation::streamed)
    s.loader.check_update(s.tally.valid_tokens());
  torch::Tensor loss = over_ranks(s, s.tally.losses());
  if (s.config.loss.normalization == Normalization::gradient_scaling)
    loss = scale_by_tokens(s, loss);
  return loss.item<double>();
}

/// Scales the gradients down to the norm clip.max_norm, if it is exceeded; max_norm = 0 turns clipping off.
///
///   norm = L2 of (norm of grad_p for each parameter p), over the shards of p and over pipeline stages
///   grad_p = grad_p min(1, max_norm / (norm + 1e-6))
///
/// \return the norm before clipping, a scalar that is the same on every rank
/// \throws NonFinite if the norm is not finite, with the first gradient that is not
double clip(TrainerState& s) {
  const Parameters& parameters = s.applied.trained;
  const torch::Tensor norm = norm_over_stages(
      sharded_gradient_norm(parameters, *s.parallel.stage, s.config.parallel.ep > 1), *s.parallel.pipeline);
  const auto value = norm.item<double>();
  if (!std::isfinite(value))
    throw NonFinite(s.updates_done + 1, "grad_norm", value, trace::Phase::grad,
                    first_non_finite_gradient(parameters, s.model.parameters(), *s.parallel.world));
  if (s.config.clip.max_norm > 0)
    clip_gradients(parameters, norm, s.config.clip.max_norm);
  return value;
}

/// Returns the numbers of update s. What the caller did not give comes from the schedule: lr(s - 1), and
/// weight_decay(s - 1) if the schedule changes it.
UpdateNumbers scheduled(const TrainerState& s, UpdateNumbers numbers) {
  if (numbers.muon_lr && s.config.optimizer.name != OptimizerName::muon)
    throw UserError("cannot use muon_lr in an update (the optimizer is " +
                    std::string(name_of(s.config.optimizer.name)) + "); leave it out");
  if (!numbers.lr && !numbers.muon_lr && s.config.optimizer.muon.lr > 0)
    numbers.muon_lr = s.muon_schedule.lr(s.schedule_position);
  if (!numbers.lr)
    numbers.lr = s.schedule.lr(s.schedule_position);
  if (!numbers.weight_decay && s.schedule.weight_decay)
    numbers.weight_decay = s.schedule.weight_decay(s.schedule_position);
  return numbers;
}

/// Updates the weights. The biases of the routers move first, against the load of their experts
/// (router_update.hpp). Then the optimizer changes every parameter by its gradient:
///
///   w_p = optimizer(w_p, grad_p, lr, weight_decay)      (optim/)
///
/// w_p and grad_p have the shape of parameter p, or of this rank's shard of it.
/// \return what the routers did, if the model has experts
std::optional<RouterResult> update_weights(TrainerState& s, UpdateNumbers numbers) {
  std::optional<RouterResult> routers;
  if (!s.model.mixtures().empty())
    routers = end_update_at_routers(s.model, *s.parallel.loss, *s.parallel.pipeline);
  if (s.replay)
    s.replay->check_tokens(s.updates_done + 1, s.tally.digest());
  s.update_norm.before();
  numbers.weight_decay = numbers.weight_decay.value_or(s.config.optimizer.weight_decay);
  s.optimizer->step(numbers);
  if (s.float8)
    s.float8->after_update();
  return routers;
}

/// Scales queries and keys whose logits were too large, if the config says so. It needs the updated weights.
std::optional<QkClipResult> clip_logits(TrainerState& s, bool is_skipped) {
  if (s.config.optimizer.qk_clip == 0)
    return std::nullopt;
  const QkClipResult result = clip_queries_and_keys(s.model, s.applied.parameters, s.config.optimizer,
                                                    !is_skipped, *s.parallel.world);
  if (s.float8)
    s.float8->after_update();
  return result;
}

/// Divides the gradients by the scale of the loss. \return whether the update has to be skipped
bool unscale(TrainerState& s) {
  return s.scaler && s.scaler->unscale(s.applied.trained, [&s](const torch::Tensor& found) {
    s.parallel.world->all_reduce(found, Reduction::max);
  });
}

/// Advances the schedule to the next update; unless the update was skipped, and that holds the schedule.
void advance_schedule(TrainerState& s, bool is_skipped) {
  ++s.updates_done;
  if (!is_skipped || !s.config.loss.scale_holds_schedule)
    ++s.schedule_position;
}

/// The values that the steps of an update pass to its record.
struct EndedUpdate {
  double loss = 0;
  std::optional<double> mtp_loss;
  double grad_norm = 0;
  UpdateNumbers numbers;
  std::optional<RouterResult> routers;
  std::optional<QkClipResult> qk_clip;
  std::optional<double> eval_loss;
  std::optional<double> loss_scale;  ///< that backward started with
  bool is_skipped = false;
};

/// Returns how many blocks backward computed again since the last call, if it may.
std::optional<int64_t> take_recomputed_blocks(TrainerState& s) {
  if (!s.applied.recomputed)
    return std::nullopt;
  const int64_t before = std::exchange(s.recomputed_before, *s.applied.recomputed);
  return *s.applied.recomputed - before;
}

std::optional<MaskResult> mask_result(const TrainerState& s) {
  if (!attention_is_recorded(s.config))
    return std::nullopt;
  return MaskResult{s.tally.mask_pairs(), s.tally.mask_digest(), s.tally.position_digest()};
}

/// Records the update: fills every field of its result but `seconds`, and begins the tally of the next one.
StepResult record(TrainerState& s, const EndedUpdate& update) {
  StepResult result = {.step = s.updates_done,
                       .loss = update.loss,
                       .grad_norm = update.grad_norm,
                       .lr = update.numbers.lr.value(),
                       .muon_lr = update.numbers.muon_lr,
                       .mtp_loss = update.mtp_loss,
                       .eval_loss = update.eval_loss,
                       .weight_decay = update.numbers.weight_decay,
                       .loss_scale = update.loss_scale,
                       .is_skipped = update.is_skipped,
                       .tokens = s.tally.tokens(),
                       .valid_tokens = s.tally.valid_tokens(),
                       .update_norm = s.update_norm.after(),
                       .batch_digest = s.tally.digest(),
                       .mask = mask_result(s),
                       .recomputed_blocks = take_recomputed_blocks(s)};
  if (update.routers) {
    result.routing_digest = update.routers->digest;
    result.expert_imbalance = update.routers->imbalance;
    result.balance_loss = update.routers->balance_loss;
    result.router_z_loss = update.routers->z_loss;
    result.dropped_slots = update.routers->dropped;
  }
  if (update.qk_clip) {
    result.max_attention_logit = update.qk_clip->largest_logit;
    result.qk_clipped_heads = update.qk_clip->clipped_heads;
  }
  s.tally = UpdateTally(s.loader.first_row());
  return result;
}

}  // namespace

StepResult Trainer::step() {
  const auto start = std::chrono::steady_clock::now();
  zero_grad();
  if (state_->config.loss.accumulation == Accumulation::prefetched)
    forward_backward(next_batches());
  else
    stream_update();
  StepResult result = optim_step();
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

/// Drops the gradients: sets them to none, so that they take no memory during forward.
void Trainer::zero_grad() {
  for (const Parameter& parameter : state_->applied.parameters)
    torch::Tensor(parameter.value).mutable_grad().reset();
  state_->applied.data_parallel->zero_grad();
}

/// Fetches all micro-batches of the update, each [B, S], and counts N over all ranks.
UpdateBatches Trainer::next_batches() {
  TrainerState& s = *state_;
  UpdateBatches update = s.loader.next();
  update.totals.micro_batches = micro_batches_of(s.config);
  if (s.parallel.batch->size() > 1) {
    const torch::Tensor valid = torch::full({1}, update.totals.valid_tokens, torch::kInt64);
    s.parallel.batch->all_reduce(valid);
    update.totals.valid_tokens = valid.item<int64_t>();
  }
  s.loader.check_update(update.totals.valid_tokens);
  count_routes(update);
  return update;
}

/// Runs forward and backward for each micro-batch in order; backward adds to the gradients.
void Trainer::forward_backward(const UpdateBatches& batches) {
  for (const MicroBatch& batch : batches.micro_batches)
    forward_backward(batch, batches.totals);
}

/// Fetches one micro-batch at a time, so that N is known only after the last.
void Trainer::stream_update() {
  const UpdateTotals totals = {micro_batches_of(state_->config), /*valid_tokens=*/0};
  for (int64_t m = 0; m < state_->config.data.micro_batches; ++m)
    forward_backward(state_->loader.next_micro_batch(), totals);
}

StepResult Trainer::optim_step(const UpdateNumbers& given) {
  TrainerState& s = *state_;
  EndedUpdate update;
  reduce_gradients(s);
  update.loss = finish_loss(s);
  update.mtp_loss = finish_further_loss(s);
  if (s.scaler)
    update.loss_scale = s.scaler->scale();
  update.is_skipped = unscale(s);
  s.reached(trace::Phase::grad);
  update.grad_norm = update.is_skipped ? 0 : clip(s);
  s.reached(trace::Phase::grad_clipped);
  update.numbers = scheduled(s, given);
  if (update.is_skipped)
    s.update_norm.before();
  else
    update.routers = update_weights(s, update.numbers);
  update.qk_clip = clip_logits(s, update.is_skipped);
  if (s.scaler)
    s.scaler->update();
  advance_schedule(s, update.is_skipped);
  s.reached(trace::Phase::optim);
  s.reached(trace::Phase::param);
  if (s.config.train.evaluate)
    update.eval_loss = evaluate();
  const StepResult result = record(s, update);
  s.parallel.world->device().synchronize();  // the time of a step includes the work that it started
  return result;
}

}  // namespace parity::reference
