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

  /// What lies between a part's input and output, and a way to run it. The body may be called again, also
  /// after the model's forward pass has returned, as long as the model is there.
  using Body = std::function<torch::Tensor(const torch::Tensor& x)>;
  using Runner = std::function<torch::Tensor(const Body& body, const torch::Tensor& x)>;
  /// One a part; only for parts of which the model says that they can be run so.
  void around(const std::string& part, Runner runner);
  /// What the model calls in place of body(x).
  torch::Tensor run(const std::string& part, const Body& body, const torch::Tensor& x) const;

  /// The operators that may round a token by what stands beside it; here PyTorch's.
  struct Operators {
    /// x W^T
    std::function<torch::Tensor(const torch::Tensor& x, const torch::Tensor& weight)> linear =
        [](const torch::Tensor& x, const torch::Tensor& weight) { return at::linear(x, weight); };
    std::function<torch::Tensor(const torch::Tensor& x)> silu = [](const torch::Tensor& x) {
      return at::silu(x);
    };
    /// x / sqrt(mean(x^2) + eps) weight, over the last dimension
    std::function<torch::Tensor(const torch::Tensor& x, const torch::Tensor& weight, double eps)> rms_norm =
        [](const torch::Tensor& x, const torch::Tensor& weight, double eps) {
          return at::rms_norm(x, weight.sizes(), weight, eps);
        };
    /// a b, element by element
    std::function<torch::Tensor(const torch::Tensor& a, const torch::Tensor& b)> complex_product =
        [](const torch::Tensor& a, const torch::Tensor& b) { return a * b; };
  };
  /// What the model computes with: at first PyTorch's operators.
  const Operators& operators() const { return operators_; }
  void compute_with(Operators operators) { operators_ = std::move(operators); }

  /// Sees the parts as they run, outside of everything that is put around them: a part's name as it is
  /// entered, and what the parts around it get of it. Some parts are only entered or only left.
  using Entered = std::function<void(const std::string& part)>;
  using Left = std::function<void(const std::string& part, const torch::Tensor& result)>;
  void observe(Entered entered, Left left);

  /// What the model calls with the first row, of what it was given, that its parts see next.
  void begin_rows(int64_t first) const { first_row_ = first; }
  int64_t first_row() const { return first_row_; }

  /// What the model calls with a part's input, and with its output.
  torch::Tensor enter(const std::string& part, const torch::Tensor& x) const;
  torch::Tensor leave(const std::string& part, const torch::Tensor& x) const;

 private:
  std::map<std::string, std::vector<Transform>> before_;
  std::map<std::string, std::vector<Transform>> after_;
  std::map<std::string, Runner> around_;
  Operators operators_;
  Entered entered_;
  Left left_;
  mutable int64_t first_row_ = 0;
};

/// A part of a model as it runs: its name, and the hooks around it and the parts below it.
class Part {
 public:
  Part(const ModuleHooks& hooks, std::string name) : hooks_(hooks), name_(std::move(name)) {}

  Part operator/(const std::string& child) const { return {hooks_, name_ + "." + child}; }
  const std::string& name() const { return name_; }
  torch::Tensor enter(const torch::Tensor& x) const { return hooks_.enter(name_, x); }
  torch::Tensor leave(const torch::Tensor& x) const { return hooks_.leave(name_, x); }
  torch::Tensor run(const ModuleHooks::Body& body, const torch::Tensor& x) const {
    return hooks_.run(name_, body, x);
  }
  const ModuleHooks::Operators& operators() const { return hooks_.operators(); }

 private:
  const ModuleHooks& hooks_;
  std::string name_;
};

}  // namespace parity::reference
