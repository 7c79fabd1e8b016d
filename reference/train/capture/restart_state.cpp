// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/capture/restart_state.hpp"

#include <algorithm>
#include <string>

#include <torch/types.h>

#include "reference/comm/device_mesh.hpp"
#include "reference/comm/group.hpp"
#include "reference/optim/gradient_scaler.hpp"
#include "reference/optim/optimizer.hpp"
#include "reference/train/capture/layout.hpp"
#include "reference/train/capture/offer.hpp"
#include "reference/train/step/trainer.hpp"

namespace parity::reference {
namespace {

/// Offers a tensor as an input of the step.
void offer_input(const Trainer& trainer, trace::Recorder& recorder, const std::string& name,
                 const at::Tensor& value, const TensorLayout& layout = {}) {
  const Shape shape = value.sizes().vec();
  if (!shape.empty() && recorder.wants(trace::Phase::input, name))
    offer(recorder, trainer.world().device(), trace::Phase::input, name, value, shape,
          parameter_layout(layout, shape, trainer.mesh(), trainer.world().rank()));
}

/// Returns the step counters of the parameters, which are scalars.
std::vector<int64_t> step_counters(const Optimizer& optimizer) {
  std::vector<int64_t> counters;
  for (const Optimizer::State& state : optimizer.state())
    if (state.value.dim() == 0 && state.name.starts_with("step"))
      counters.push_back(static_cast<int64_t>(state.value.item<double>()));
  return counters;
}

/// \param prefix  "saved/" or "loaded/"
void offer_parts(const Trainer& trainer, trace::Recorder& recorder, const std::string& prefix) {
  const auto offer_numbers = [&](const char* part, const std::vector<int64_t>& numbers) {
    offer_input(trainer, recorder, prefix + part, torch::tensor(numbers, torch::kInt64));
  };
  offer_input(trainer, recorder, prefix + "generator",
              at::globalContext().defaultGenerator(at::kCPU).get_state());
  offer_numbers("data_position", {trainer.data_position()});
  if (const std::vector<int64_t> rows = trainer.rows_by_source(); !rows.empty())
    offer_numbers("data_rows", rows);
  offer_numbers("schedule_position", {trainer.schedule_position()});
  if (const std::vector<int64_t> counters = step_counters(trainer.optimizer()); !counters.empty()) {
    const auto [least, most] = std::ranges::minmax(counters);
    offer_numbers("optimizer_steps", {least, most});
  }
  if (const GradientScaler* scaler = trainer.scaler()) {
    offer_input(trainer, recorder, prefix + "loss_scale", scaler->scale_state().reshape({1}));
    offer_numbers("loss_scale_streak", {scaler->streak_state().item<int64_t>()});
  }
}

}  // namespace

std::vector<Parameter> own_router_biases(const Trainer& trainer) {
  std::vector<Parameter> biases = trainer.router_biases();
  std::erase_if(biases, [&](const Parameter& bias) {
    const std::string block = bias.name.substr(0, bias.name.find("expert_bias"));
    return std::ranges::none_of(trainer.parameters(),
                                [&](const Parameter& each) { return each.name.starts_with(block); });
  });
  return biases;
}

void offer_loaded(const Trainer& trainer, trace::Recorder& recorder) {
  for (const Parameter& parameter : trainer.parameters())
    offer_input(trainer, recorder, "loaded/param/" + parameter.name, parameter.value.detach(),
                parameter.layout);
  for (const Parameter& bias : own_router_biases(trainer))
    offer_input(trainer, recorder, "loaded/param/" + bias.name, bias.value);
  for (const Optimizer::State& state : trainer.optimizer().state())
    offer_input(trainer, recorder, "loaded/optim/" + state.name, state.value, state.layout);
  offer_parts(trainer, recorder, "loaded/");
}

void offer_saved(const Trainer& trainer, trace::Recorder& recorder) {
  offer_parts(trainer, recorder, "saved/");
}

}  // namespace parity::reference
