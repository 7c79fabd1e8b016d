// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/model/module_hooks.hpp"

#include "harness/base/error.hpp"

namespace parity::reference {

void ModuleHooks::before(const std::string& part, Transform transform) {
  before_[part].push_back(std::move(transform));
}

void ModuleHooks::after(const std::string& part, Transform transform) {
  std::vector<Transform>& transforms = after_[part];
  transforms.insert(transforms.begin(), std::move(transform));
}

void ModuleHooks::around(const std::string& part, Runner runner) {
  require(around_.emplace(part, std::move(runner)).second, part + " is run in two ways");
}

void ModuleHooks::observe(Entered entered, Left left) {
  entered_ = std::move(entered);
  left_ = std::move(left);
}

torch::Tensor ModuleHooks::run(const std::string& part, const Body& body, const torch::Tensor& x) const {
  const auto found = around_.find(part);
  return found == around_.end() ? body(x) : found->second(body, x);
}

torch::Tensor ModuleHooks::enter(const std::string& part, const torch::Tensor& x) const {
  if (entered_)
    entered_(part);
  return enter_unseen(part, x);
}

torch::Tensor ModuleHooks::enter_unseen(const std::string& part, const torch::Tensor& x) const {
  torch::Tensor result = x;
  if (const auto found = before_.find(part); found != before_.end())
    for (const Transform& transform : found->second)
      result = transform(result);
  return result;
}

torch::Tensor ModuleHooks::leave(const std::string& part, const torch::Tensor& x,
                                 const torch::Tensor& bias) const {
  torch::Tensor result = leave_unseen(part, x);
  if (bias.defined())
    result = result + bias;
  if (left_)
    left_(part, result);
  return result;
}

torch::Tensor ModuleHooks::leave_unseen(const std::string& part, const torch::Tensor& x) const {
  torch::Tensor result = x;
  if (const auto found = after_.find(part); found != after_.end())
    for (const Transform& transform : found->second)
      result = transform(result);
  return result;
}

}  // namespace parity::reference
