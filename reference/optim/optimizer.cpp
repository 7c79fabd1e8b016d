// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/optim/optimizer.hpp"

#include "harness/base/error.hpp"
#include "reference/optim/adafactor/adafactor.hpp"
#include "reference/optim/adamw.hpp"
#include "reference/optim/lion.hpp"
#include "reference/optim/muon/muon.hpp"
#include "reference/optim/sgd.hpp"

namespace parity::reference {

std::unique_ptr<Optimizer> make_optimizer(const OptimizerConfig& config, const Parameters& parameters,
                                          const MatrixContext& context) {
  switch (config.name) {
    case OptimizerName::adamw:
    case OptimizerName::adam:
      return std::make_unique<AdamW>(config, parameters);
    case OptimizerName::sgd:
      return std::make_unique<Sgd>(config, parameters);
    case OptimizerName::muon:
      return std::make_unique<Muon>(config, parameters, context);
    case OptimizerName::lion:
      return std::make_unique<Lion>(config, parameters);
    case OptimizerName::adafactor:
      return std::make_unique<Adafactor>(config, parameters, context.ranks);
  }
  throw InternalError("unknown optimizer");
}

std::vector<torch::Tensor> values_of(const Parameters& parameters) {
  std::vector<torch::Tensor> values;
  values.reserve(parameters.size());
  for (const Parameter& parameter : parameters)
    values.push_back(parameter.value);
  return values;
}

std::vector<torch::Tensor> gradients_of(const Parameters& parameters) {
  std::vector<torch::Tensor> gradients;
  gradients.reserve(parameters.size());
  for (const Parameter& parameter : parameters) {
    gradients.push_back(parameter.value.grad());
    require(gradients.back().defined(), "no gradient of " + parameter.name);
  }
  return gradients;
}

}  // namespace parity::reference
