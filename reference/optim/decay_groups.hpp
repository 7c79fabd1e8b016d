// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "reference/config/run_config.hpp"
#include "reference/model/parameter.hpp"

namespace parity::reference {

/// Parameters that share a weight decay: the optimizer's, or none.
struct DecayGroup {
  bool decays = true;
  std::vector<size_t> members = {};  ///< indices of the optimizer's parameters, ascending

  double decay_of(double weight_decay) const { return decays ? weight_decay : 0; }
  /// Returns the group's tensors of a list that has one for each parameter.
  std::vector<torch::Tensor> pick(const std::vector<torch::Tensor>& all) const;
};

/// Returns whether weight decay changes a parameter. With "matrices" it leaves out what has one dimension:
/// norms and biases (nanoGPT, Megatron-LM).
bool decays(DecayedParameters rule, const Parameter& parameter);

/// Returns the groups of a config: one of all parameters, or those that decay and those that do not. None is
/// empty.
std::vector<DecayGroup> decay_groups(DecayedParameters rule, const Parameters& parameters);

}  // namespace parity::reference
