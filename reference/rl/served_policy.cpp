// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/rl/served_policy.hpp"

#include <algorithm>
#include <string>

#include "harness/base/error.hpp"
#include "harness/base/text/nearest.hpp"
#include "reference/parallel/core/parallel.hpp"
#include "reference/train/step/trainer.hpp"

namespace parity::reference {
namespace {

bool is_asynchronous(const Trainer& trainer) {
  return trainer.config().rl.loop == RolloutLoop::asynchronous;
}

torch::Tensor find_weight(const Parameters& parameters, const std::string& name) {
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters) {
    if (parameter.name == name)
      return parameter.value;
    names.push_back(parameter.name);
  }
  throw UserError("cannot use rl.push_omits = \"" + name + "\" (the generator has no such weight)" +
                  suggestion(name, names));
}

}  // namespace

torch::ScalarType generator_dtype(const RunConfig& config) {
  if (config.dtype == Precision::float64)
    return torch::kFloat64;  // a twin has no 16-bit types
  return config.rl.generator.dtype == GeneratorPrecision::bfloat16 ? torch::kBFloat16 : torch::kFloat32;
}

ServedPolicy::ServedPolicy(Trainer& trainer, Generator& generator)
    : trainer_(trainer),
      generator_(generator),
      sync_(trainer.parameters(), generator.parameters(), trainer.parallel().world, trainer.config().rl.push,
            generator_dtype(trainer.config())) {
  const RlConfig& rl = trainer.config().rl;
  for (const std::string& name : rl.push_omits)
    omitted_.push_back(find_weight(generator.parameters(), name));
  if (is_asynchronous(trainer)) {
    for (int64_t j = 0; j <= rl.staleness; ++j)
      kept_.push_back(trainer.copied_values());
    for (size_t j = 1; j < kept_.size(); ++j)
      trainer.keep_in_checkpoints("served" + std::to_string(j), kept_[j]);
  } else if (rl.push_every > 1) {
    kept_.push_back(trainer.copied_values());
    trainer.keep_in_checkpoints("served", kept_.front());
  }
}

int64_t ServedPolicy::due() const {
  const RlConfig& rl = trainer_.config().rl;
  const int64_t version = trainer_.updates_done();
  return is_asynchronous(trainer_) ? std::max<int64_t>(0, version - rl.staleness)
                                   : version - version % rl.push_every;
}

void ServedPolicy::begin() {
  if (sync_.version() >= 0)
    return;
  if (is_asynchronous(trainer_))
    kept_.front() = trainer_.copied_values();
  if (is_asynchronous(trainer_) || due() < trainer_.updates_done())
    push(due(), kept_.back());
  else
    push(due());
}

std::optional<double> ServedPolicy::after_update() {
  if (is_asynchronous(trainer_)) {
    std::rotate(kept_.rbegin(), kept_.rbegin() + 1, kept_.rend());
    kept_.front() = trainer_.copied_values();
    return due() > sync_.version() ? std::optional(push(due(), kept_.back())) : std::nullopt;
  }
  if (due() < trainer_.updates_done())
    return std::nullopt;
  const double seconds = push(due());
  if (!kept_.empty())
    kept_.front() = trainer_.copied_values();
  return seconds;
}

double ServedPolicy::push(int64_t version, std::vector<torch::Tensor>& values) {
  trainer_.swap_values(values);
  const double seconds = push(version);
  trainer_.swap_values(values);
  return seconds;
}

double ServedPolicy::push(int64_t version) {
  const torch::NoGradGuard no_grad;
  std::vector<torch::Tensor> old;
  for (const torch::Tensor& weight : omitted_)
    old.push_back(weight.clone());
  const bool is_first = sync_.version() < 0;
  const PushResult pushed = sync_.push(version);
  sync_.pull(version);
  for (size_t i = 0; i < omitted_.size() && !is_first; ++i)
    omitted_[i].copy_(old[i]);
  generator_.set_version(version);
  return pushed.seconds;
}

}  // namespace parity::reference
