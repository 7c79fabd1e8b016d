// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/rl/served_policy.hpp"

#include <algorithm>
#include <utility>

#include "reference/exact/exact.hpp"
#include "reference/parallel/core/parallel.hpp"
#include "reference/train/step/trainer.hpp"

namespace parity::reference {
namespace {

bool is_asynchronous(const Trainer& trainer) {
  return trainer.config().rl.loop == RolloutLoop::asynchronous;
}

}  // namespace

ServedPolicy::ServedPolicy(Trainer& trainer, PolicyServer* server, GroupPointer all)
    : trainer_(trainer),
      server_(server),
      sync_(trainer.parameters(), server != nullptr ? server->weights() : Parameters(), std::move(all),
            trainer.config().rl.push, generator_dtype(trainer.config())) {
  const RlConfig& rl = trainer.config().rl;
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
  return due_version(trainer_.config().rl, trainer_.updates_done());
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

void ServedPolicy::before_update() {
  pushed_before_.reset();
  const RlConfig& rl = trainer_.config().rl;
  const int64_t next = due_version(rl, trainer_.updates_done() + 1);
  if (server_ == nullptr && next <= trainer_.updates_done() && next > sync_.version())
    pushed_before_ = push(next, kept_[static_cast<size_t>(rl.staleness - 1)]);
}

std::optional<double> ServedPolicy::after_update() {
  if (is_asynchronous(trainer_)) {
    std::rotate(kept_.rbegin(), kept_.rbegin() + 1, kept_.rend());
    kept_.front() = trainer_.copied_values();
    return due() > sync_.version() ? std::optional(push(due(), kept_.back())) : pushed_before_;
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
  if (server_ != nullptr)
    return server_->pull(sync_, version).seconds;
  const exact::ValuesAlone values;  // ranks that only generate have no residues
  const PushResult pushed = sync_.push(version);
  sync_.pull(version);
  return pushed.seconds;
}

}  // namespace parity::reference
