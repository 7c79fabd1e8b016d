// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/weights_digest.hpp"

#include "harness/measure/content_hash.hpp"
#include "harness/measure/digest.hpp"

namespace parity::reference {

std::string weights_digest(const Decoder& model) {
  ContentHash hash;
  for (const auto& [name, value, layout, partial] : model.parameters()) {
    hash.add(name);
    hash.add(to_string(digest_of({value.scalar_type() == torch::kFloat64 ? DType::float64 : DType::float32,
                                  value.sizes().vec(), value.const_data_ptr()})));
  }
  return hash.hex();
}

}  // namespace parity::reference
