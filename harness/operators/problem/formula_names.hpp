// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace parity::operators {

/// Returns the names of the exact formulas, which parity-exact computes (exact/formulas.hpp).
inline std::vector<std::string> formula_names() {
  return {"rms_norm", "softmax",        "cross_entropy", "rope", "swiglu", "attention",
          "matmul",   "grouped_matmul", "sum",           "norm", "adamw",  "top_k_routing"};
}

}  // namespace parity::operators
