// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/step/router_pass.hpp"
#include "reference/train/step/trainer.hpp"
#include "reference/train/step/trainer_state.hpp"

// The constructors, hooks and accessors of Trainer.

namespace parity::reference {

Trainer::Trainer(const RunConfig& config, std::shared_ptr<Group> world)
    : state_(std::make_unique<TrainerState>(config, std::move(world))) {
  if (state_->model.dimensions().moe.experts > 0)
    prepare_routers(*state_);
}

Trainer::Trainer(const RunConfig& config) : Trainer(config, Group::world({}, {})) {}

Trainer::~Trainer() = default;

void Trainer::set_phase_hook(PhaseHook hook) {
  state_->phase_hook = std::move(hook);
}

void Trainer::set_batch_hook(BatchHook hook) {
  state_->batch_hook = std::move(hook);
}

void Trainer::set_piece_hook(PieceHook hook) {
  state_->piece_hook = std::move(hook);
}

void Trainer::observe_parts(PartEntered entered, PartLeft left) {
  ModuleHooks& hooks = state_->model.hooks();
  hooks.observe(std::move(entered),
                [&hooks, left = std::move(left)](const std::string& part, const torch::Tensor& result) {
                  left(part, result, hooks.first_row());
                });
}

void Trainer::observe_routes(RoutesChosen chosen) {
  state_->model.moe_pass().chosen = std::move(chosen);
}

int64_t Trainer::updates_done() const {
  return state_->updates_done;
}

int64_t Trainer::schedule_position() const {
  return state_->schedule_position;
}

int64_t Trainer::data_position() const {
  return state_->loader.position();
}

std::vector<int64_t> Trainer::rows_by_source() const {
  return state_->loader.rows_by_source();
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

const Parameters& Trainer::leaves() const {
  return state_->applied.leaves;
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

const GradientScaler* Trainer::scaler() const {
  return state_->scaler ? &*state_->scaler : nullptr;
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
  const auto& ids = masks.begin()->second.document_ids;  // all masks distinguish the same documents
  return ids ? *ids : std::vector<int64_t>(batch.tokens.size(), 0);
}

std::map<std::string, std::vector<int64_t>> Trainer::first_keys(const MicroBatch& batch) const {
  std::map<std::string, std::vector<int64_t>> keys;
  for (const auto& [name, mask] : state_->model.get_masks(batch.tokens, batch.positions, batch.seq_len))
    keys[name] = mask.first_keys();
  return keys;
}

}  // namespace parity::reference
