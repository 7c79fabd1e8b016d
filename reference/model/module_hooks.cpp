// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/model/module_hooks.hpp"

namespace parity::reference {

void ModuleHooks::before(const std::string& part, Transform transform) {
  before_[part].push_back(std::move(transform));
}

void ModuleHooks::after(const std::string& part, Transform transform) {
  std::vector<Transform>& transforms = after_[part];
  transforms.insert(transforms.begin(), std::move(transform));
}

torch::Tensor ModuleHooks::enter(const std::string& part, const torch::Tensor& x) const {
  torch::Tensor result = x;
  if (const auto found = before_.find(part); found != before_.end())
    for (const Transform& transform : found->second)
      result = transform(result);
  return result;
}

torch::Tensor ModuleHooks::leave(const std::string& part, const torch::Tensor& x) const {
  torch::Tensor result = x;
  if (const auto found = after_.find(part); found != after_.end())
    for (const Transform& transform : found->second)
      result = transform(result);
  return result;
}

}  // namespace parity::reference
