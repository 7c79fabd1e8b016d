// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/trainer.hpp"

#include <chrono>
#include <cmath>

#include "reference/config/model_names.hpp"
#include "reference/loss/chunked_loss.hpp"
#include "reference/loss/normalization.hpp"
#include "reference/optim/clip.hpp"
#include "reference/optim/scale_gradients.hpp"
#include "reference/parallel/all_reduce_gradients.hpp"
#include "reference/train/attention_choice.hpp"
#include "reference/train/non_finite.hpp"
#include "reference/train/trainer_state.hpp"

namespace parity::reference {
namespace {

torch::ScalarType scalar_type(Precision precision) {
  return precision == Precision::float64 ? torch::kFloat64 : torch::kFloat32;
}

/// [B, S] int64 over the batch's own memory.
torch::Tensor view_of(const std::vector<int64_t>& values, const MicroBatch& batch) {
  return torch::from_blob(const_cast<int64_t*>(values.data()), {batch.rows, batch.seq_len}, torch::kInt64);
}

void check_labels(const LossRule& rule, int64_t step, int64_t index) {
  if (rule.defined())
    return;
  throw UserError(
      "micro-batch " + std::to_string(index + 1) + " of update " + std::to_string(step) +
      " has no label that counts (loss.normalization = \"microbatch_mean\" would divide 0 by 0); " +
      "lower data.ignore_fraction or data.micro_batches, or choose another normalization");
}

/// Tokens, positions and masks of a micro-batch, over its own memory.
ModelInput input_of(const Llama3& model, const MicroBatch& batch) {
  const torch::Tensor tokens = view_of(batch.tokens, batch);
  const torch::Tensor positions = view_of(batch.positions, batch);
  return {tokens, batch.whole_positions ? torch::Tensor() : positions,
          model.get_attention_masks(tokens, positions)};
}

void check_loss(const Llama3& model, const ModelInput& input, int64_t step, double loss) {
  if (std::isfinite(loss))
    return;
  if (const std::string name = first_non_finite_value(model.parameters()); !name.empty())
    throw NonFinite(step, "loss", loss, Phase::param, name);
  throw NonFinite(step, "loss", loss, Phase::forward, first_non_finite_activation(model, input));
}

}  // namespace

Trainer::State::State(const RunConfig& run_config, std::shared_ptr<Group> world)
    : config(run_config),
      parallel(make_parallel(config.parallel, std::move(world))),
      model(dimensions_of(config.model, config.architecture), scalar_type(config.dtype),
            attention_choice(config)),
      loader(config.data, {model.dimensions().vocab_size, model.dimensions().max_seq_len},
             {parallel.batch->rank(), parallel.batch->size()}),
      optimizer(make_optimizer(config.optimizer, model.parameters())),
      schedule(make_schedule(config)),
      update_norm(model.parameters()),
      tally(loader.first_row()),
      warnings(schedule.warnings) {
  for (std::string& warning : document_warnings(config, loader.positions_restart()))
    warnings.push_back(std::move(warning));
  initialize(model, static_cast<uint64_t>(config.seed));
}

Trainer::Trainer(const RunConfig& config, std::shared_ptr<Group> world)
    : state_(std::make_unique<State>(config, std::move(world))) {}

Trainer::Trainer(const RunConfig& config) : Trainer(config, Group::world({}, {})) {}

Trainer::~Trainer() = default;

void Trainer::set_phase_hook(PhaseHook hook) {
  state_->phase_hook = std::move(hook);
}

void Trainer::set_batch_hook(BatchHook hook) {
  state_->batch_hook = std::move(hook);
}

void Trainer::zero_grad() {
  for (const Parameter& parameter : state_->model.parameters())
    torch::Tensor(parameter.value).mutable_grad().reset();
}

UpdateBatches Trainer::next_batches() {
  State& s = *state_;
  UpdateBatches update = s.loader.next();
  update.totals.micro_batches *= s.parallel.batch->size();
  if (s.parallel.batch->size() > 1) {
    const torch::Tensor valid = torch::full({1}, update.totals.valid_tokens, torch::kInt64);
    s.parallel.batch->all_reduce(valid);
    update.totals.valid_tokens = valid.item<int64_t>();
  }
  s.loader.check_update(update.totals.valid_tokens);
  return update;
}

void Trainer::forward_backward(const MicroBatch& batch, const UpdateTotals& totals) {
  State& s = *state_;
  if (s.batch_hook)
    s.batch_hook(s.updates_done + 1, s.tally.micro_batches(), batch);
  const LossRule rule{s.config.loss.normalization, batch.valid_tokens, totals};
  check_labels(rule, s.updates_done + 1, s.tally.micro_batches());
  s.tally.add(batch);
  if (attention_is_recorded(s.config))
    s.tally.add_mask(s.model.get_mask(batch.tokens, batch.positions, batch.seq_len));
  const ModelInput input = input_of(s.model, batch);
  const torch::Tensor labels = view_of(batch.labels, batch);
  if (s.config.loss.chunks == 0) {
    torch::Tensor loss = rule.whole(s.model.forward(input), labels);
    s.tally.add_loss(loss);
    check_loss(s.model, input, s.updates_done + 1, loss.item<double>());
    loss.backward();
    return;
  }
  const torch::Tensor hidden = s.model.hidden(input);
  const ChunkedLoss chunked = chunked_loss(
      hidden, labels, s.config.loss.chunks, [&s](const torch::Tensor& x) { return s.model.output(x); },
      [&rule](const torch::Tensor& logits, const torch::Tensor& some) { return rule.share(logits, some); });
  s.tally.add_loss(chunked.loss);
  check_loss(s.model, input, s.updates_done + 1, chunked.loss.item<double>());
  hidden.backward(chunked.hidden_grad);
}

void Trainer::forward_backward(const UpdateBatches& batches) {
  for (const MicroBatch& batch : batches.micro_batches)
    forward_backward(batch, batches.totals);
}

StepResult Trainer::optim_step() {
  State& s = *state_;
  const Parameters& parameters = s.model.parameters();
  if (s.parallel.world->size() > 1)
    s.reached(Phase::grad_local);
  s.tally.sum_over(*s.parallel.batch);
  all_reduce_gradients(parameters, *s.parallel.replicate);
  StepResult result;
  result.step = s.updates_done + 1;
  result.tokens = s.tally.tokens();
  result.valid_tokens = s.tally.valid_tokens();
  if (s.config.loss.accumulation == Accumulation::streamed)
    s.loader.check_update(result.valid_tokens);
  result.batch_digest = s.tally.digest();
  if (attention_is_recorded(s.config))
    result.mask = {s.tally.mask_pairs(), s.tally.mask_digest(), s.tally.position_digest()};
  torch::Tensor loss = sum_of_losses(s.config.loss.normalization, s.tally.losses());
  s.parallel.batch->all_reduce(loss);
  if (s.config.loss.normalization == Normalization::gradient_scaling) {
    const torch::Tensor scale = gradient_scale(result.valid_tokens, parameters.front().value.scalar_type());
    scale_gradients(parameters, scale);
    loss = loss * scale;
  }
  result.loss = loss.item<double>();
  s.tally = UpdateTally(s.loader.first_row());
  s.reached(Phase::grad);
  const torch::Tensor norm = gradient_norm(parameters);
  result.grad_norm = norm.item<double>();
  if (!std::isfinite(result.grad_norm))
    throw NonFinite(result.step, "grad_norm", result.grad_norm, Phase::grad,
                    first_non_finite_gradient(parameters));
  if (s.config.clip.max_norm > 0)
    clip_gradients(parameters, norm, s.config.clip.max_norm);
  s.reached(Phase::grad_clipped);
  result.lr = s.schedule.lr(s.schedule_position);
  if (s.schedule.weight_decay)
    result.weight_decay = s.schedule.weight_decay(s.schedule_position);
  s.update_norm.before();
  s.optimizer->step(result.lr, result.weight_decay.value_or(s.config.optimizer.weight_decay));
  ++s.updates_done;
  ++s.schedule_position;
  s.reached(Phase::param);
  result.update_norm = s.update_norm.after();
  return result;
}

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

void Trainer::stream_update() {
  const int64_t count = state_->config.data.micro_batches;
  const UpdateTotals totals = {count * state_->parallel.batch->size(), /*valid_tokens=*/0};
  for (int64_t m = 0; m < count; ++m)
    forward_backward(state_->loader.next_micro_batch(), totals);
}

int64_t Trainer::updates_done() const {
  return state_->updates_done;
}

int64_t Trainer::sequences_read() const {
  return state_->loader.sequences_read();
}

const std::vector<Parameter>& Trainer::parameters() const {
  return state_->model.parameters();
}

const Group& Trainer::world() const {
  return *state_->parallel.world;
}

const DeviceMesh& Trainer::mesh() const {
  return state_->parallel.mesh;
}

const std::vector<std::string>& Trainer::warnings() const {
  return state_->warnings;
}

std::vector<int64_t> Trainer::document_ids(const MicroBatch& batch) const {
  const Mask mask = state_->model.get_mask(batch.tokens, batch.positions, batch.seq_len);
  return mask.document_ids ? *mask.document_ids : std::vector<int64_t>(batch.tokens.size(), 0);
}

}  // namespace parity::reference
