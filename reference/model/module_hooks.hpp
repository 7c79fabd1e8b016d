// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <torch/types.h>

namespace parity::reference {

/// What is put around the parts of a model from outside: there parallelism gathers, splits and reduces, while
/// the model itself knows one device. A part has its torchtitan name, for example "layers.0.attention.wq";
/// each model lists its own. Without hooks a model is what it was.
class ModuleHooks {
 public:
  /// Takes a part's input or output and gives what is used in its place, through autograd.
  using Transform = std::function<torch::Tensor(const torch::Tensor& x)>;

  /// Several on one part act in the order they were added in before it, in the opposite order after it: what
  /// was added first lies outermost.
  void before(const std::string& part, Transform transform);
  void after(const std::string& part, Transform transform);

  /// What the model calls with a part's input, and with its output.
  torch::Tensor enter(const std::string& part, const torch::Tensor& x) const;
  torch::Tensor leave(const std::string& part, const torch::Tensor& x) const;

 private:
  std::map<std::string, std::vector<Transform>> before_;
  std::map<std::string, std::vector<Transform>> after_;
};

/// A part of a model as it runs: its name, and the hooks around it and the parts below it.
class Part {
 public:
  Part(const ModuleHooks& hooks, std::string name) : hooks_(hooks), name_(std::move(name)) {}

  Part operator/(const std::string& child) const { return {hooks_, name_ + "." + child}; }
  const std::string& name() const { return name_; }
  torch::Tensor enter(const torch::Tensor& x) const { return hooks_.enter(name_, x); }
  torch::Tensor leave(const torch::Tensor& x) const { return hooks_.leave(name_, x); }

 private:
  const ModuleHooks& hooks_;
  std::string name_;
};

}  // namespace parity::reference
