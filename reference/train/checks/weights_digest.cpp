// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/checks/weights_digest.hpp"

#include <c10/core/impl/LocalDispatchKeySet.h>

#include "harness/measure/tensor/content_hash.hpp"
#include "harness/measure/tensor/digest.hpp"
#include "reference/exact/dispatch_key.hpp"
#include "reference/exact/exact.hpp"
#include "reference/train/numerics/common_order.hpp"

namespace parity::reference {

std::string weights_digest(const Decoder& model) {
  measure::ContentHash hash;
  const auto add = [&hash](const std::string& name, const torch::Tensor& value) {
    hash.add(name);
    hash.add(measure::to_string(
        measure::digest_of({value.scalar_type() == torch::kFloat64 ? DType::float64 : DType::float32,
                            value.sizes().vec(), value.const_data_ptr()})));
  };
  const auto add_in_common_order = [&](const Parameter& parameter) {
    const c10::impl::ExcludeDispatchKeyGuard without_residues(exact::dispatch_key);
    for (const auto& [name, value] :
         in_common_order(parameter.name, parameter.value.detach(), model.dimensions()))
      add(name, value);
  };
  for (const Parameter& parameter : model.parameters())
    exact::is_active() ? add_in_common_order(parameter) : add(parameter.name, parameter.value);
  for (const Parameter& bias : model.router_biases())
    if (bias.value.any().item<bool>())
      add(bias.name, bias.value);
  return hash.hex();
}

}  // namespace parity::reference
