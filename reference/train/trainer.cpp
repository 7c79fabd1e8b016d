// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/trainer.hpp"

#include <chrono>
#include <cmath>

#include "harness/measure/digest.hpp"
#include "reference/config/model_names.hpp"
#include "reference/loss/token_cross_entropy.hpp"
#include "reference/optim/clip.hpp"
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

/// Additive over rows, so the number of micro-batches does not matter.
int64_t digest_of_batches(const UpdateBatches& batches) {
  constexpr uint64_t labels_begin = uint64_t{1} << 40;
  Digest digest;
  uint64_t first = 0;
  for (const MicroBatch& batch : batches.micro_batches) {
    digest += digest_of({DType::int64, batch.shape(), batch.tokens.data()}, first);
    digest += digest_of({DType::int64, batch.shape(), batch.labels.data()}, labels_begin + first);
    first += batch.tokens.size();
  }
  return static_cast<int64_t>(digest.low ^ digest.high);
}

void check_loss(const Llama3& model, const torch::Tensor& tokens, int64_t step, double loss) {
  if (std::isfinite(loss))
    return;
  if (const std::string name = first_non_finite_value(model.parameters()); !name.empty())
    throw NonFinite(step, "loss", loss, Phase::param, name);
  throw NonFinite(step, "loss", loss, Phase::forward, first_non_finite_activation(model, tokens));
}

}  // namespace

Trainer::State::State(const RunConfig& run_config)
    : config(run_config),
      model(dimensions_of(config.model, config.architecture), scalar_type(config.dtype)),
      loader(config.data, model.dimensions().vocab_size),
      optimizer(make_optimizer(config.optimizer, model.parameters())),
      schedule(make_schedule(config.lr, config.steps)),
      update_norm(model.parameters()) {
  initialize(model, static_cast<uint64_t>(config.seed));
}

Trainer::Trainer(const RunConfig& config) : state_(std::make_unique<State>(config)) {}

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
  return state_->loader.next();
}

double Trainer::forward_backward(const UpdateBatches& batches) {
  State& s = *state_;
  const auto count = static_cast<int64_t>(batches.micro_batches.size());
  std::vector<torch::Tensor> losses;
  for (const MicroBatch& batch : batches.micro_batches) {
    const torch::Tensor tokens = view_of(batch.tokens, batch);
    torch::Tensor loss =
        token_cross_entropy_sum(s.model.forward(tokens), view_of(batch.labels, batch)) /
        loss_divisor(s.config.loss.normalization, batches.valid_tokens, batch.valid_tokens, count);
    losses.push_back(loss.detach());
    check_loss(s.model, tokens, s.updates_done + 1, losses.back().item<double>());
    loss.backward();
  }
  const double total = torch::stack(losses).sum().item<double>();
  s.reached(Phase::grad);
  return total;
}

void Trainer::optim_step(StepResult& result) {
  State& s = *state_;
  const Parameters& parameters = s.model.parameters();
  const torch::Tensor norm = gradient_norm(parameters);
  result.grad_norm = norm.item<double>();
  if (!std::isfinite(result.grad_norm))
    throw NonFinite(s.updates_done + 1, "grad_norm", result.grad_norm, Phase::grad,
                    first_non_finite_gradient(parameters));
  if (s.config.clip.max_norm > 0)
    clip_gradients(parameters, norm, s.config.clip.max_norm);
  s.reached(Phase::grad_clipped);
  result.lr = s.config.lr.base * s.schedule.factor(s.schedule_position);
  s.update_norm.before();
  s.optimizer->step(result.lr);
  ++s.updates_done;
  ++s.schedule_position;
  s.reached(Phase::param);
  result.update_norm = s.update_norm.after();
}

StepResult Trainer::step() {
  const auto start = std::chrono::steady_clock::now();
  StepResult result;
  result.step = state_->updates_done + 1;
  zero_grad();
  const UpdateBatches batches = next_batches();
  result.valid_tokens = batches.valid_tokens;
  result.batch_digest = digest_of_batches(batches);
  if (state_->batch_hook)
    state_->batch_hook(result.step, batches);
  result.loss = forward_backward(batches);
  optim_step(result);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

int64_t Trainer::updates_done() const {
  return state_->updates_done;
}

const std::vector<Parameter>& Trainer::parameters() const {
  return state_->model.parameters();
}

const std::vector<std::string>& Trainer::warnings() const {
  return state_->schedule.warnings;
}

}  // namespace parity::reference
