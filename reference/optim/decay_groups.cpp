// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/optim/decay_groups.hpp"

namespace parity::reference {

std::vector<torch::Tensor> DecayGroup::pick(const std::vector<torch::Tensor>& all) const {
  std::vector<torch::Tensor> own;
  own.reserve(members.size());
  for (const size_t i : members)
    own.push_back(all[i]);
  return own;
}

bool decays(DecayedParameters rule, const Parameter& parameter) {
  return rule == DecayedParameters::all || parameter.value.dim() >= 2;
}

std::vector<DecayGroup> decay_groups(DecayedParameters rule, const Parameters& parameters) {
  DecayGroup with{.decays = true}, without{.decays = false};
  for (size_t i = 0; i < parameters.size(); ++i)
    (decays(rule, parameters[i]) ? with : without).members.push_back(i);
  std::vector<DecayGroup> groups;
  for (DecayGroup* group : {&with, &without})
    if (!group->members.empty())
      groups.push_back(std::move(*group));
  return groups;
}

}  // namespace parity::reference
