// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/checkpoint/whole_tensors.hpp"
#include "reference/train/step/trainer.hpp"
#include "reference/train/step/trainer_state.hpp"
#include "reference/weights/state_dict.hpp"

namespace parity::reference {

void Trainer::check_saves_weights(WeightNames names) const {
  const TrainerState& s = *state_;
  std::vector<OwnWeight> own;
  for (const Parameter& parameter : s.applied.parameters)
    own.push_back({parameter.name, parameter.layout.global_shape.empty() ? parameter.value.sizes().vec()
                                                                         : parameter.layout.global_shape});
  for (const Parameter& bias : router_biases())
    own.push_back({bias.name, bias.value.sizes().vec()});
  reference::check_saves_weights(names, s.config.model, s.model.dimensions(), own);
}

void Trainer::save_weights(const std::filesystem::path& file, WeightNames names) const {
  const TrainerState& s = *state_;
  Entries entries;
  for (const Parameter& parameter : s.applied.parameters)
    insert_whole(entries, parameter.name, parameter.value.detach(), parameter.layout, s.parallel);
  if (!join_stages(entries, s.parallel))
    return;
  Parameters weights;
  for (const auto& entry : entries)
    weights.push_back({entry.key(), entry.value()});
  for (const Parameter& bias : router_biases())
    weights.push_back({bias.name, bias.value.cpu()});
  reference::save_weights(file, names, s.config.model, s.model.dimensions(), weights);
}

}  // namespace parity::reference
