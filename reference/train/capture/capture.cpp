// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/capture/capture.hpp"

#include <algorithm>
#include <utility>

#include <torch/types.h>

#include "harness/base/error.hpp"
#include "reference/attention/first_keys.hpp"
#include "reference/comm/group.hpp"
#include "reference/data/loader.hpp"
#include "reference/exact/exact.hpp"
#include "reference/model/parameter.hpp"
#include "reference/optim/optimizer.hpp"
#include "reference/parallel/core/layout.hpp"
#include "reference/parallel/core/parallel.hpp"
#include "reference/train/capture/layout.hpp"
#include "reference/train/capture/offer.hpp"
#include "reference/train/capture/restart_state.hpp"
#include "reference/train/numerics/common_order.hpp"
#include "reference/train/numerics/exact_twin.hpp"
#include "reference/train/step/batch_input.hpp"
#include "reference/train/step/trainer.hpp"

namespace parity::reference {
namespace {

/// \param mask  name in a MaskSet
std::string first_keys_name(const std::string& mask) {
  return mask == "all" ? "first_keys" : "first_keys." + mask;
}

}  // namespace

StepCapture::StepCapture(Trainer& trainer, trace::Recorder& recorder)
    : trainer_(trainer),
      recorder_(recorder),
      activations_(
          recorder, trainer.world().device(),
          ActivationLayouts(trainer.config(), trainer.mesh(), trainer.world().rank(), trainer.parameters())),
      operators_(recorder, trainer.world().device(), trainer.world().rank(), trainer.world().size()),
      micro_batches_(trainer.leaves(), recorder, [this](const Parameter& leaf) {
        return local_gradient_layout(leaf.layout, leaf.value.sizes().vec(), trainer_.mesh(),
                                     trainer_.world().rank(), leaf.partial_gradient_over);
      }) {
  trainer_.set_phase_hook([this](trace::Phase phase) {
    offer(phase);
    begin_region_after(phase);
  });
  trainer_.observe_parts([this](const std::string& part) { operators_.entered(part); },
                         [this](const std::string& part, const at::Tensor& result, int64_t first_row) {
                           operators_.left(part);
                           activations_.left(part, result, first_row);
                         });
  trainer_.observe_routes(
      [this](const std::string& part, int64_t first_row, int64_t sequences, const Routing& routing) {
        activations_.chose(part, first_row, sequences, routing);
      });
  trainer_.set_piece_hook([this](const BatchPiece& piece) { offer_piece(piece); });
  trainer_.set_batch_hook(
      [this](int64_t step, int64_t index, const MicroBatch& batch) { offer_batch(step, index, batch); });
}

void StepCapture::initial_state() {
  recorder_.begin_step(0);
  offer(trace::Phase::param);
  if (recorder_.wants_replay())
    for (const Parameter& parameter : trainer_.parameters())
      recorder_.replay_parameter(parameter.name, view_of(parameter.value.detach().cpu()));
  recorder_.end_step();
}

void StepCapture::begin_step(int64_t step) {
  recorder_.begin_step(step);
  if (std::exchange(has_loaded_, false))
    offer_loaded(trainer_, recorder_);
  operators_.begin_step();
  trainer_.world().tap(
      recorder_.wants_operators()
          ? CollectiveTap{[this](const std::string& what, const torch::Tensor& bytes) {
                            return operators_.sent(what, bytes);
                          },
                          [this](const std::string& what, int64_t number, const torch::Tensor& bytes) {
                            operators_.received(what, number, bytes);
                          }}
          : CollectiveTap{});
  comm_.begin(trainer_.world());
}

void StepCapture::saved() {
  offer_saved(trainer_, recorder_);
}

void StepCapture::begin_region_after(trace::Phase phase) {
  if (phase == trace::Phase::grad_local)
    operators_.begin_region(trace::Phase::grad, "reduction");
  else if (phase == trace::Phase::grad)
    operators_.begin_region(trace::Phase::grad_clipped, "clip");
  else if (phase == trace::Phase::grad_clipped)
    operators_.begin_region(trace::Phase::optim, "optimizer");
  else if (phase == trace::Phase::param) {
    operators_.end_step();
    trainer_.world().tap({});
  }
}

void StepCapture::offer(trace::Phase phase) {
  activations_.end();  // all gradients are complete
  micro_batches_.end();
  if (phase == trace::Phase::optim)
    return offer_optimizer_state();
  if (phase == trace::Phase::grad)
    offer_mask_inputs();
  const DeviceMesh& mesh = trainer_.mesh();
  const int64_t rank = trainer_.world().rank();
  const auto layout_of = [&](const Parameter& parameter, const std::vector<int64_t>& shape) {
    return phase == trace::Phase::grad_local
               ? local_gradient_layout(parameter.layout, shape, mesh, rank, parameter.partial_gradient_over)
               : parameter_layout(parameter.layout, shape, mesh, rank);
  };
  for (const Parameter& parameter : trainer_.parameters()) {
    if (phase != trace::Phase::param && !parameter.value.requires_grad())
      continue;  // frozen
    const torch::Tensor own =
        phase == trace::Phase::param ? parameter.value.detach() : parameter.value.grad();
    if (!own.is_cpu() && !recorder_.wants(phase, parameter.name))
      continue;
    const Shape shape = own.sizes().vec();
    const TensorLayout layout = layout_of(parameter, shape);
    if (phase != trace::Phase::grad_local &&
        offer_in_common_order(phase, parameter.name, own, parameter.layout, layout))
      continue;
    plant_faults(recorder_, phase, parameter.name, own, shape, layout);
    torch::Tensor value = recorded(own, parameter.name);
    if (!value.is_cpu()) {
      parity::reference::offer(recorder_, trainer_.world().device(), phase, parameter.name, value,
                               view_of(value).shape, layout);
      continue;
    }
    const TensorView view = view_of(value);
    recorder_.tensor(phase, parameter.name, view, value.mutable_data_ptr(), layout);
  }
  if (phase == trace::Phase::param)
    offer_router_biases();
}

bool StepCapture::offer_in_common_order(trace::Phase phase, const std::string& name,
                                        const torch::Tensor& held, const TensorLayout& layout,
                                        const TensorLayout& in_mesh) {
  if (!exact::is_active() || !has_own_order(name, trainer_.dimensions()))
    return false;
  plant_faults(recorder_, phase, name, held, held.sizes().vec(), in_mesh);
  const torch::Tensor whole =
      logical_tensor(recorded(held, name).view(torch::kLong), layout, *trainer_.parallel().stage);
  for (const auto& [common, rows] : in_common_order(name, whole, trainer_.dimensions())) {
    const torch::Tensor value = rows.contiguous().view(torch::kUInt64);
    const Shape shape = value.sizes().vec();
    recorder_.tensor(phase, common, view_of(value), value.mutable_data_ptr(),
                     parameter_layout({}, shape, trainer_.mesh(), trainer_.world().rank()));
  }
  return true;
}

void StepCapture::offer_optimizer_state() {
  for (const Optimizer::State& state : trainer_.optimizer().state()) {
    if (state.value.dim() == 0)
      continue;
    const Shape shape = state.value.sizes().vec();
    const TensorLayout layout =
        parameter_layout(state.layout, shape, trainer_.mesh(), trainer_.world().rank());
    if (offer_in_common_order(trace::Phase::optim, state.name, state.value, state.layout, layout) ||
        !recorder_.wants(trace::Phase::optim, state.name))
      continue;
    parity::reference::offer(recorder_, trainer_.world().device(), trace::Phase::optim, state.name,
                             state.value, shape, layout);
  }
}

void StepCapture::offer_router_biases() {
  for (const Parameter& bias : own_router_biases(trainer_)) {
    const Shape shape = bias.value.sizes().vec();
    const TensorLayout layout = parameter_layout({}, shape, trainer_.mesh(), trainer_.world().rank());
    plant_faults(recorder_, trace::Phase::param, bias.name, bias.value, shape, layout);
    torch::Tensor here = recorded(bias.value.cpu(), bias.name);
    recorder_.tensor(trace::Phase::param, bias.name, view_of(here), here.mutable_data_ptr(), layout);
    if (!bias.value.is_cpu())
      bias.value.copy_(here);
  }
}

void StepCapture::offer_batch(int64_t step, int64_t index, const MicroBatch& batch) {
  recorder_.replay_batch(step, index, "tokens", {DType::int64, batch.shape(), batch.tokens.data()});
  recorder_.replay_batch(step, index, "labels", {DType::int64, batch.shape(), batch.labels.data()});
  recorder_.replay_batch(step, index, "positions", {DType::int64, batch.shape(), batch.positions.data()});
  for (const auto& [name, values] : batch.numbers)
    recorder_.replay_batch(step, index, name, {DType::float64, batch.shape(), values.data()});
  seq_len_ = batch.seq_len;
  activations_.begin_micro_batch(batch.rows);
  micro_batches_.begin(index);
  operators_.begin_region(trace::Phase::forward, "data");
  const auto keep = [&](const std::string& name, const std::vector<int64_t>& values) {
    std::vector<int64_t>& so_far = mask_inputs_[name];
    so_far.insert(so_far.end(), values.begin(), values.end());
  };
  for (const auto& [name, values] :
       {std::pair("tokens", &batch.tokens), {"labels", &batch.labels}, {"positions", &batch.positions}})
    if (recorder_.wants(trace::Phase::input, name))
      keep(name, *values);
  if (recorder_.wants(trace::Phase::input, "document_ids"))
    keep("document_ids", trainer_.document_ids(batch));
  const std::array<const char*, 3> masks = {"all", "nope", "rope"};
  if (std::ranges::any_of(masks, [&](const char* mask) {
        return recorder_.wants(trace::Phase::input, first_keys_name(mask));
      }))
    for (const auto& [mask, values] : trainer_.first_keys(batch))
      keep(first_keys_name(mask), values);
}

void StepCapture::offer_piece(const BatchPiece& piece) {
  activations_.read("read/tokens", piece.input.tokens_BS, piece.input.first_row);
  activations_.read("read/labels", piece.labels, piece.input.first_row);
  if (piece.input.positions_BS.defined())  // otherwise the model counts them
    activations_.read("read/positions", piece.input.positions_BS, piece.input.first_row);
  for (const auto& [mask, form] : piece.input.masks)
    if (const std::string name = "read/" + first_keys_name(mask); recorder_.wants(trace::Phase::input, name))
      activations_.read(name, first_keys_of(form, piece.labels.size(0), piece.places_S),
                        piece.input.first_row);
}

void StepCapture::offer_mask_inputs() {
  for (const auto& [name, values] : mask_inputs_) {
    const TensorView view = {
        DType::int64, {static_cast<int64_t>(values.size()) / seq_len_, seq_len_}, values.data()};
    recorder_.tensor(trace::Phase::input, name, view, nullptr,
                     rows_layout(view.shape, trainer_.mesh(), trainer_.world().rank()));
  }
  mask_inputs_.clear();
}

void StepCapture::offer_policy(const PolicyResult& policy) {
  const PolicyMetrics& metrics = policy.metrics;
  for (const auto& [name, value] : std::initializer_list<std::pair<const char*, double>>{
           {"ratio_mean", metrics.ratio_mean},
           {"ratio_clipped", metrics.ratio_clipped},
           {"logprob_diff_mean", metrics.logprob_diff_mean},
           {"logprob_diff_max", metrics.logprob_diff_max},
           {"logprobs_different", metrics.logprobs_different},
           {"logprobs_equal", metrics.logprobs_equal},
           {"entropy", metrics.entropy},
           {"advantage_mean", metrics.advantage_mean},
           {"advantage_std", metrics.advantage_std},
           {"reward_mean", policy.reward_mean},
           {"reward_exact", policy.reward_exact},
           {"response_length", policy.response_length}})
    recorder_.channel(name, value);
  for (const auto& [name, value] : std::initializer_list<std::pair<const char*, std::optional<double>>>{
           {"kl", metrics.kl},
           {"correction_mean", metrics.correction_mean},
           {"correction_cut", metrics.correction_cut},
           {"preference_margin", metrics.preference_margin},
           {"preference_accuracy", metrics.preference_accuracy},
           {"rollouts_checked", policy.rollouts_checked}})
    if (value)
      recorder_.channel(name, *value);
  for (const auto& [name, value] : policy.gap)
    recorder_.channel(name, value);
  recorder_.channel("rollout_digest", policy.rollout_digest);
  recorder_.channel("version_lag", policy.version_lag);
  if (policy.served_version)
    recorder_.channel("served_version", *policy.served_version);
  recorder_.channel("generated_tokens_per_second", policy.generated_tokens_per_second,
                    trace::ChannelKind::timing);
  recorder_.channel("push_seconds", policy.push_seconds.value_or(0), trace::ChannelKind::timing);
}

void StepCapture::offer_router_losses(const StepResult& result) {
  if (result.balance_loss)
    recorder_.channel("balance_loss", *result.balance_loss);
  if (result.router_z_loss)
    recorder_.channel("router_z_loss", *result.router_z_loss);
  if (result.dropped_slots)
    recorder_.channel("dropped_slots", *result.dropped_slots);
}

void StepCapture::end_step(const StepResult& result) {
  recorder_.channel("loss", result.loss);
  if (result.mtp_loss)
    recorder_.channel("mtp_loss", *result.mtp_loss);
  recorder_.channel("grad_norm", result.grad_norm);
  if (result.eval_loss)
    recorder_.channel("eval_loss", *result.eval_loss);
  if (result.max_attention_logit)
    recorder_.channel("max_attention_logit", *result.max_attention_logit);
  if (result.qk_clipped_heads)
    recorder_.channel("qk_clipped_heads", *result.qk_clipped_heads);
  recorder_.channel("lr", result.lr);
  if (result.muon_lr)
    recorder_.channel("muon_lr", *result.muon_lr);
  if (result.weight_decay)
    recorder_.channel("weight_decay", *result.weight_decay);
  if (result.loss_scale) {
    recorder_.channel("loss_scale", *result.loss_scale);
    recorder_.channel("update_skipped", int64_t{result.is_skipped});
  }
  recorder_.channel("valid_tokens", result.valid_tokens);
  recorder_.channel("update_norm", result.update_norm);
  recorder_.channel("batch_digest", result.batch_digest);
  if (result.routing_digest) {
    recorder_.channel("routing_digest", *result.routing_digest);
    recorder_.channel("expert_imbalance", *result.expert_imbalance);
  }
  offer_router_losses(result);
  if (result.policy)
    offer_policy(*result.policy);
  if (result.mask) {
    recorder_.channel("mask_pairs", result.mask->pairs);
    recorder_.channel("mask_digest", result.mask->digest);
    recorder_.channel("position_digest", result.mask->position_digest);
  }
  if (result.recomputed_blocks)
    recorder_.channel("recomputed_blocks", *result.recomputed_blocks, trace::ChannelKind::per_rank);
  if (counts_collectives_)
    for (const auto& [name, value] : comm_.end(trainer_.world()))
      recorder_.channel(name, value, trace::ChannelKind::per_rank);
  recorder_.channel("tokens_per_second", static_cast<double>(result.tokens) / result.seconds,
                    trace::ChannelKind::timing);
  recorder_.channel("step_seconds", result.seconds, trace::ChannelKind::timing);
  if (const Device& device = trainer_.world().device(); !device.is_cpu())
    recorder_.channel("device_memory_bytes", device.plugin->peak_memory(device.index()),
                      trace::ChannelKind::timing);
  recorder_.end_step();
}

}  // namespace parity::reference
