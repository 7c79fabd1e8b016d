// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/checks/check.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace parity::compare {

std::string Check::quantity() const {
  if (of_operator) {
    const bool both = of_operator->phases.size() != 1;
    const bool gradients = !both && of_operator->phases.front() == trace::Phase::grad;
    return std::string(both        ? "outputs and gradients"
                       : gradients ? "gradients"
                                   : "outputs") +
           (tensor == "*" ? "" : " of " + tensor);
  }
  if (of_tensors())
    return std::string(name_of(phase)) + " " + tensor;
  if (relation == Relation::repeats && under != Condition::none)
    return fmt::format("run under {}", name_of(under));
  if (of_exact_twins())
    return "function";
  if (relation == Relation::lawful || relation == Relation::repeats)
    return "run";
  std::string text;
  for (const std::string& channel : channels)
    text += (text.empty() ? "" : ", ") + channel;
  return text;
}

std::vector<std::string> Check::named_laws() const {
  std::vector<std::string> named;
  for (const auto* names : {&laws, &departs})
    for (const std::string& name : *names)
      if (std::ranges::find(named, name) == named.end())
        named.push_back(name);
  return named;
}

std::vector<std::string> Check::all_arms() const {
  std::vector<std::string> all = arms;
  if (sibling && sibling->golden.empty())
    all.insert(all.end(), sibling->arms.begin(), sibling->arms.end());
  if (!before.empty())
    all.push_back(before);
  if (of_operator && !of_operator->exact.empty())
    all.push_back(of_operator->exact);
  return all;
}

}  // namespace parity::compare
