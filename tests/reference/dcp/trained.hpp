// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/error.hpp"
#include "reference/optim/optimizer.hpp"
#include "reference/parallel/core/layout.hpp"
#include "reference/parallel/core/parallel.hpp"
#include "reference/train/step/trainer.hpp"
#include "tests/reference/tiny.hpp"
#include "tests/support/ranks.hpp"

namespace parity::reference {

/// A layout of the tiny model, whose vocabulary and width no number of ranks divides.
inline RunConfig sharded(int64_t dp_replicate, int64_t dp_shard, int64_t tp = 1) {
  RunConfig config = tiny_config();
  config.architecture.vocab_size = 41;
  config.data.global_batch = 12;
  config.parallel.dp_replicate = dp_replicate;
  config.parallel.dp_shard = dp_shard;
  config.parallel.tp = tp;
  return config;
}

/// All that training changes, whole: parameters, then the optimizer's tensors.
inline std::vector<torch::Tensor> state_of(const Trainer& trainer) {
  std::vector<torch::Tensor> state;
  const Group& stage = *trainer.parallel().stage;
  for (const Parameter& parameter : trainer.parameters())
    state.push_back(logical_tensor(parameter.value.detach(), parameter.layout, stage).clone());
  for (const Optimizer::State& each : trainer.optimizer().state())
    state.push_back(logical_tensor(each.value, each.layout, stage).clone());
  return state;
}

/// Throws unless both have the same bits.
inline void require_equal(const std::vector<torch::Tensor>& a, const std::vector<torch::Tensor>& b) {
  require(a.size() == b.size() && !a.empty(), "another number of tensors was loaded");
  for (size_t i = 0; i < a.size(); ++i)
    require(a[i].equal(b[i]), "tensor " + std::to_string(i) + " was loaded with other bits");
}

/// Loads a folder into a trainer of another seed, so that everything must come from the folder.
inline std::unique_ptr<Trainer> resumed(RunConfig config, std::shared_ptr<Group> world,
                                        const std::filesystem::path& folder) {
  config.seed = 99;
  auto trainer = std::make_unique<Trainer>(config, std::move(world));
  trainer->load(folder, {}, CheckpointFormat::dcp);
  return trainer;
}

}  // namespace parity::reference
