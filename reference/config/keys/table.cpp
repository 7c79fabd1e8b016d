// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
// The table of all keys, in the order of documentation: its sections one after the other.
#include "reference/config/keys/sections.hpp"

namespace parity::reference {
namespace {

std::vector<Key> make_keys() {
  using namespace rows;
  std::vector<Key> all;
  for (const auto section :
       {model_keys,    variant_keys,   moe_keys,         lora_keys,       linear_keys,    run_keys,
        data_keys,     rollout_keys,   policy_loss_keys, controller_keys, generator_keys, attention_keys,
        loss_keys,     optimizer_keys, muon_keys,        adafactor_keys,  schedule_keys,  train_keys,
        parallel_keys, pipeline_keys,  memory_keys,      checkpoint_keys, thread_keys})
    for (Key& row : section())
      all.push_back(std::move(row));
  return all;
}

}  // namespace

const std::vector<Key>& keys() {
  static const std::vector<Key> table = make_keys();
  return table;
}

}  // namespace parity::reference
