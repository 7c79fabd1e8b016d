// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/checks/weights_digest.hpp"

#include "harness/measure/tensor/content_hash.hpp"
#include "harness/measure/tensor/digest.hpp"

namespace parity::reference {

std::string weights_digest(const Decoder& model) {
  measure::ContentHash hash;
  const auto add = [&hash](const Parameter& parameter) {
    const torch::Tensor& value = parameter.value;
    hash.add(parameter.name);
    hash.add(measure::to_string(
        measure::digest_of({value.scalar_type() == torch::kFloat64 ? DType::float64 : DType::float32,
                            value.sizes().vec(), value.const_data_ptr()})));
  };
  for (const Parameter& parameter : model.parameters())
    add(parameter);
  for (const Parameter& bias : model.router_biases())
    if (bias.value.any().item<bool>())
      add(bias);
  return hash.hex();
}

}  // namespace parity::reference
