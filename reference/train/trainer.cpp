// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/trainer.hpp"

#include <chrono>
#include <cmath>

#include "reference/config/model_names.hpp"
#include "reference/loss/normalization.hpp"
#include "reference/model/batch_invariance.hpp"
#include "reference/optim/clip.hpp"
#include "reference/optim/scale_gradients.hpp"
#include "reference/parallel/context_parallel.hpp"
#include "reference/parallel/sharded_norm.hpp"
#include "reference/train/attention_choice.hpp"
#include "reference/train/autocast.hpp"
#include "reference/train/non_finite.hpp"
#include "reference/train/router_update.hpp"
#include "reference/train/same_config.hpp"
#include "reference/train/trainer_state.hpp"
#include "reference/train/weights_digest.hpp"
#include "reference/weights/state_dict.hpp"

namespace parity::reference {
namespace {

torch::ScalarType scalar_type(Precision precision) {
  return precision == Precision::float64 ? torch::kFloat64 : torch::kFloat32;
}

std::vector<int64_t> places_of(const RunConfig& config, const Group& context) {
  if (context.size() == 1)
    return {};
  return context_positions(config.data.seq_len, context.size(), context.rank());
}

/// The model's first weights, drawn or read on the CPU whatever the device and the ranks, and then what is
/// around it.
/// \param digest  takes theirs
Applied initialized(Decoder& model, const RunConfig& config, const Parallel& parallel, std::string& digest) {
  initialize(model, static_cast<uint64_t>(config.seed));
  if (!config.weights.path.empty())
    load_weights(model, config.model, config.weights.path);
  digest = weights_digest(model);
  if (!config.weights.path.empty())
    require_same_weights(digest, *parallel.world);
  model.move_to(parallel.world->device().place);
  if (config.train.batch_invariant)
    make_batch_invariant(model.hooks());
  return apply_parallelism(model, config.parallel, parallel);
}

/// Whether the ranks' losses and gradients are means of their own, to be averaged.
bool averages_means(const RunConfig& config) {
  if (config.data.source == DataSource::rollouts)
    return config.rl.normalization == PolicyNormalization::times_dp;
  return config.loss.normalization == Normalization::microbatch_mean &&
         config.parallel.gradient_reduction == GradientReduction::average;
}

/// Micro-batches of an update, or pieces of them, that a rank's loss is divided by.
int64_t micro_batches_of(const RunConfig& config) {
  return config.data.micro_batches * config.parallel.pp_microbatches *
         (averages_means(config) ? 1 : config.parallel.batch_ranks());
}

}  // namespace

Trainer::State::State(const RunConfig& run_config, std::shared_ptr<Group> world)
    : config(run_config),
      parallel(make_parallel(config.parallel, std::move(world))),
      model(dimensions_of(config), scalar_type(config.dtype), attention_choice(config)),
      loader(config.data, {model.dimensions().vocab_size, model.dimensions().max_seq_len},
             {parallel.batch->rank(), parallel.batch->size()}),
      places(places_of(config, *parallel.context)),
      applied(initialized(model, config, parallel, initial_weights)),
      optimizer(make_optimizer(config.optimizer, applied.parameters)),
      schedule(make_schedule(config)),
      update_norm(applied.parameters, *parallel.stage, *parallel.pipeline),
      tally(loader.first_row()),
      warnings(schedule.warnings) {
  if (config.train.float8 != Float8Scales::none && config.dtype == Precision::float32)
    float8.emplace(model, applied.parameters, parallel, config.train.float8);
  for (std::string& warning : document_warnings(config, loader.positions_restart()))
    warnings.push_back(std::move(warning));
  for (std::string& warning : autocast_warnings(config))
    warnings.push_back(std::move(warning));
  for (const std::string& warning : parallel.world->warnings())
    warnings.push_back(warning);
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

void Trainer::observe_parts(PartEntered entered, PartLeft left) {
  ModuleHooks& hooks = state_->model.hooks();
  hooks.observe(std::move(entered),
                [&hooks, left = std::move(left)](const std::string& part, const torch::Tensor& result) {
                  left(part, result, hooks.first_row());
                });
}

void Trainer::zero_grad() {
  for (const Parameter& parameter : state_->applied.parameters)
    torch::Tensor(parameter.value).mutable_grad().reset();
  state_->applied.data_parallel->zero_grad();
}

UpdateBatches Trainer::next_batches() {
  State& s = *state_;
  UpdateBatches update = s.loader.next();
  update.totals.micro_batches = micro_batches_of(s.config);
  if (s.parallel.batch->size() > 1) {
    const torch::Tensor valid = torch::full({1}, update.totals.valid_tokens, torch::kInt64);
    s.parallel.batch->all_reduce(valid);
    update.totals.valid_tokens = valid.item<int64_t>();
  }
  s.loader.check_update(update.totals.valid_tokens);
  return update;
}

void Trainer::forward_backward(const UpdateBatches& batches) {
  for (const MicroBatch& batch : batches.micro_batches)
    forward_backward(batch, batches.totals);
}

StepResult Trainer::optim_step(const UpdateNumbers& given) {
  State& s = *state_;
  const Parameters& parameters = s.applied.parameters;
  if (s.parallel.stage->size() > 1 && s.applied.data_parallel->keeps_local_gradients())
    s.reached(Phase::grad_local);
  s.tally.sum_over(*s.parallel.batch);
  s.applied.data_parallel->finish();
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
  s.parallel.loss->all_reduce(loss);
  if (averages_means(s.config))
    loss.div_(s.parallel.batch->size());
  if (s.config.loss.normalization == Normalization::gradient_scaling) {
    const torch::Tensor scale =
        gradient_scale(result.valid_tokens, parameters.front().value.scalar_type()).to(s.model.device());
    scale_gradients(parameters, scale);
    loss = loss * scale;
  }
  result.loss = loss.item<double>();
  if (s.applied.recomputed) {
    result.recomputed_blocks = *s.applied.recomputed - s.recomputed_before;
    s.recomputed_before = *s.applied.recomputed;
  }
  s.tally = UpdateTally(s.loader.first_row());
  s.reached(Phase::grad);
  const torch::Tensor norm = norm_over_stages(
      sharded_gradient_norm(parameters, *s.parallel.stage, s.config.parallel.ep > 1), *s.parallel.pipeline);
  result.grad_norm = norm.item<double>();
  if (!std::isfinite(result.grad_norm))
    throw NonFinite(result.step, "grad_norm", result.grad_norm, Phase::grad,
                    first_non_finite_gradient(parameters, s.model.parameters(), *s.parallel.world));
  if (s.config.clip.max_norm > 0)
    clip_gradients(parameters, norm, s.config.clip.max_norm);
  s.reached(Phase::grad_clipped);
  result.lr = given.lr.value_or(s.schedule.lr(s.schedule_position));
  if (s.schedule.weight_decay)
    result.weight_decay = s.schedule.weight_decay(s.schedule_position);
  if (given.weight_decay)
    result.weight_decay = given.weight_decay;
  if (!s.model.mixtures().empty()) {
    const RouterResult routers = end_update_at_routers(s.model, *s.parallel.loss, *s.parallel.pipeline);
    result.routing_digest = routers.digest;
    result.expert_imbalance = routers.imbalance;
  }
  s.update_norm.before();
  UpdateNumbers numbers = given;
  numbers.lr = result.lr;
  numbers.weight_decay = result.weight_decay.value_or(s.config.optimizer.weight_decay);
  s.optimizer->step(numbers);
  if (s.float8)
    s.float8->after_update();
  ++s.updates_done;
  ++s.schedule_position;
  s.reached(Phase::optim);
  s.reached(Phase::param);
  result.update_norm = s.update_norm.after();
  if (s.config.train.evaluate)
    result.eval_loss = evaluate();
  s.parallel.world->device().synchronize();  // the step's time is that of its work
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
  const UpdateTotals totals = {micro_batches_of(state_->config), /*valid_tokens=*/0};
  for (int64_t m = 0; m < state_->config.data.micro_batches; ++m)
    forward_backward(state_->loader.next_micro_batch(), totals);
}

int64_t Trainer::updates_done() const {
  return state_->updates_done;
}

int64_t Trainer::sequences_read() const {
  return state_->loader.sequences_read();
}

const Optimizer& Trainer::optimizer() const {
  return *state_->optimizer;
}

const RunConfig& Trainer::config() const {
  return state_->config;
}

const std::vector<Parameter>& Trainer::parameters() const {
  return state_->applied.parameters;
}

Parameters Trainer::router_biases() const {
  return state_->model.router_biases();
}

const std::vector<std::string>& Trainer::buffers() const {
  return state_->applied.buffers;
}

const std::string& Trainer::initial_weights() const {
  return state_->initial_weights;
}

const Group& Trainer::world() const {
  return *state_->parallel.world;
}

const DeviceMesh& Trainer::mesh() const {
  return state_->parallel.mesh;
}

const Parallel& Trainer::parallel() const {
  return state_->parallel;
}

const ModelDimensions& Trainer::dimensions() const {
  return state_->model.dimensions();
}

void Trainer::swap_values(std::vector<torch::Tensor>& values) {
  const torch::NoGradGuard no_grad;
  const Parameters& parameters = state_->applied.parameters;
  require(values.size() == parameters.size(), "other values than parameters");
  for (size_t i = 0; i < values.size(); ++i) {
    const torch::Tensor own = parameters[i].value.detach().clone();
    torch::Tensor(parameters[i].value.detach()).copy_(values[i]);
    values[i] = own;
  }
  state_->parameters_changed();
}

std::vector<torch::Tensor> Trainer::copied_values() const {
  std::vector<torch::Tensor> values;
  for (const Parameter& parameter : state_->applied.parameters)
    values.push_back(parameter.value.detach().clone());
  return values;
}

void Trainer::keep_in_checkpoints(const std::string& name, std::vector<torch::Tensor>& values) {
  state_->kept_values[name] = &values;
}

const std::vector<std::string>& Trainer::warnings() const {
  return state_->warnings;
}

std::vector<int64_t> Trainer::document_ids(const MicroBatch& batch) const {
  const auto masks = state_->model.get_masks(batch.tokens, batch.positions, batch.seq_len);
  const auto& ids = masks.begin()->second.document_ids;  // all masks tell the same documents apart
  return ids ? *ids : std::vector<int64_t>(batch.tokens.size(), 0);
}

std::map<std::string, std::vector<int64_t>> Trainer::first_keys(const MicroBatch& batch) const {
  std::map<std::string, std::vector<int64_t>> keys;
  for (const auto& [name, mask] : state_->model.get_masks(batch.tokens, batch.positions, batch.seq_len))
    keys[name] = mask.first_keys();
  return keys;
}

}  // namespace parity::reference
