// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/checks/check.hpp"

namespace parity::compare {

std::string Check::quantity() const {
  if (of_tensors())
    return std::string(name_of(phase)) + " " + tensor;
  std::string text;
  for (const std::string& channel : channels)
    text += (text.empty() ? "" : ", ") + channel;
  return text;
}

std::vector<std::string> Check::all_arms() const {
  std::vector<std::string> all = arms;
  if (sibling && sibling->golden.empty())
    all.insert(all.end(), sibling->arms.begin(), sibling->arms.end());
  return all;
}

}  // namespace parity::compare
