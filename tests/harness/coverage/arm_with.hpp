// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/coverage/pairs.hpp"

namespace parity::coverage {

/// Returns an arm that has some features and may have others.
inline ArmFeatures arm_with(const std::string& name, const std::vector<std::string>& has,
                            const std::vector<std::string>& may_have = {}) {
  ArmFeatures result{name, std::vector<Held>(features().size(), Held::no)};
  for (const std::string& feature : has)
    result.held[find_feature(feature)] = Held::yes;
  for (const std::string& feature : may_have)
    result.held[find_feature(feature)] = Held::unknown;
  return result;
}

}  // namespace parity::coverage
