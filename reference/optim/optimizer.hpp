// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <torch/types.h>

#include "reference/config/run_config.hpp"
#include "reference/model/parameter.hpp"
#include "reference/optim/update_numbers.hpp"

namespace parity::reference {

/// Changes parameters by their gradients.
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  /// One update of every parameter with its .grad, which must be there. The numbers may differ at each
  /// update.
  /// \param numbers  with lr and weight_decay, which are the caller's to choose
  /// \throws UserError for numbers that the optimizer has not
  virtual void step(const UpdateNumbers& numbers) = 0;

  /// A tensor that must be saved to go on, under "<kind>/<parameter>", for example "exp_avg/output.weight".
  struct State {
    std::string name;
    torch::Tensor value;
    TensorLayout layout = {};  ///< of its parameter, where it has the parameter's shape
  };
  /// The optimizer's own tensors; writing to them changes its state.
  virtual std::vector<State> state() const = 0;
};

/// The optimizer that a config names, with its state at zero.
std::unique_ptr<Optimizer> make_optimizer(const OptimizerConfig& config, const Parameters& parameters);

/// Values of the parameters and of their gradients, in order.
std::vector<torch::Tensor> values_of(const Parameters& parameters);
std::vector<torch::Tensor> gradients_of(const Parameters& parameters);

}  // namespace parity::reference
