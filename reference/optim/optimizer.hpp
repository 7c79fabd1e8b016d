// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <torch/types.h>

#include "reference/config/run_config.hpp"
#include "reference/model/parameter.hpp"
#include "reference/optim/muon/matrix_ranks.hpp"
#include "reference/optim/update_numbers.hpp"

namespace parity::reference {

/// Updates parameters from their gradients.
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  /// Updates every parameter once from its .grad, which must be defined. The numbers may differ at each
  /// update.
  /// \param numbers  with lr and weight_decay set
  /// \throws UserError for numbers that the optimizer does not use
  virtual void step(const UpdateNumbers& numbers) = 0;

  /// A tensor that a checkpoint must hold. Its name is "<kind>/<parameter>", for example
  /// "exp_avg/output.weight".
  struct State {
    std::string name;
    torch::Tensor value;
    TensorLayout layout = {};  ///< of its parameter, if it has the parameter's shape
  };
  /// Returns the optimizer's own tensors. Writing to them changes its state.
  virtual std::vector<State> state() const = 0;

  /// Gives parameters that were written from outside the values that this optimizer can store.
  /// \return whether one of this rank's had another value
  virtual bool parameters_written() { return false; }
};

/// Returns the optimizer that a config names, with its state at zero.
/// \param context  what Muon and Adafactor need besides; the default is for one process and weights that are
/// not
///                 fused
std::unique_ptr<Optimizer> make_optimizer(const OptimizerConfig& config, const Parameters& parameters,
                                          const MatrixContext& context = {});

/// Returns the values of the parameters and of their gradients, in order.
std::vector<torch::Tensor> values_of(const Parameters& parameters);
std::vector<torch::Tensor> gradients_of(const Parameters& parameters);

}  // namespace parity::reference
