// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <torch/types.h>

namespace parity::reference {

/// Hooks that run code around the parts of a model. Parallelism uses them to gather, split and reduce, while
/// the model itself knows one device. A part has its torchtitan name, for example "layers.0.attention.wq".
/// Each model lists its parts. Without hooks the model is unchanged.
class ModuleHooks {
 public:
  /// Takes a part's input or output and returns its replacement, through autograd.
  using Transform = std::function<torch::Tensor(const torch::Tensor& x)>;

  /// Adds a transform of a part's input (before) or output (after). The first transform added is the
  /// outermost: inputs pass transforms in the order of adding, outputs in the opposite order.
  void before(const std::string& part, Transform transform);
  void after(const std::string& part, Transform transform);

  /// Computes a part's output from its input; a Runner decides how to run it. The body may be called again,
  /// also after the model's forward pass has returned, as long as the model exists.
  using Body = std::function<torch::Tensor(const torch::Tensor& x)>;
  using Runner = std::function<torch::Tensor(const Body& body, const torch::Tensor& x)>;
  /// Sets the only runner of a part. The model lists the parts that can have one.
  void around(const std::string& part, Runner runner);
  /// Runs a part's body. The model calls it in place of body(x).
  torch::Tensor run(const std::string& part, const Body& body, const torch::Tensor& x) const;

  /// The operators whose rounding of a token may depend on the other tokens. The defaults are PyTorch's.
  struct Operators {
    /// Returns x W^T + bias. \param bias  undefined = none
    std::function<torch::Tensor(const torch::Tensor& x, const torch::Tensor& weight,
                                const torch::Tensor& bias)>
        linear = [](const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias) {
          return at::linear(x, weight, bias.defined() ? std::optional(bias) : std::nullopt);
        };
    /// Returns the same of a weight whose columns tensor parallelism shards (wo, w2).
    std::function<torch::Tensor(const torch::Tensor& x, const torch::Tensor& weight,
                                const torch::Tensor& bias)>
        row_parallel_linear = linear;
    std::function<torch::Tensor(const torch::Tensor& x)> silu = [](const torch::Tensor& x) {
      return at::silu(x);
    };
    /// Returns x / sqrt(mean(x^2) + eps) weight, over the last dimension.
    std::function<torch::Tensor(const torch::Tensor& x, const torch::Tensor& weight, double eps)> rms_norm =
        [](const torch::Tensor& x, const torch::Tensor& weight, double eps) {
          return at::rms_norm(x, weight.sizes(), weight, eps);
        };
    /// Returns (x - mean(x)) / sqrt(var(x) + eps) weight + bias, over the last dimension.
    std::function<torch::Tensor(const torch::Tensor& x, const torch::Tensor& weight,
                                const torch::Tensor& bias, double eps)>
        layer_norm = [](const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias,
                        double eps) { return at::layer_norm(x, weight.sizes(), weight, bias, eps); };
    /// Returns a b, element by element.
    std::function<torch::Tensor(const torch::Tensor& a, const torch::Tensor& b)> complex_product =
        [](const torch::Tensor& a, const torch::Tensor& b) { return a * b; };
    /// Returns x W^T for the tokens of one expert. \param x  [T, K]. \param weight  of that expert, [N, K]
    std::function<torch::Tensor(const torch::Tensor& x, const torch::Tensor& weight)> expert_linear =
        [](const torch::Tensor& x, const torch::Tensor& weight) { return at::linear(x, weight); };
    /// Returns the same of a weight whose columns tensor parallelism shards (w2 of experts).
    std::function<torch::Tensor(const torch::Tensor& x, const torch::Tensor& weight)>
        row_parallel_expert_linear = expert_linear;
  };
  /// Returns the operators that the model computes with, by default PyTorch's.
  const Operators& operators() const { return operators_; }
  void compute_with(Operators operators) { operators_ = std::move(operators); }

  /// Observe the parts as they run, outside of all other hooks. `Entered` receives a part's name when it
  /// starts. `Left` receives the result that the surrounding parts see. Some parts are only entered or only
  /// left.
  using Entered = std::function<void(const std::string& part)>;
  using Left = std::function<void(const std::string& part, const torch::Tensor& result)>;
  void observe(Entered entered, Left left);

  /// Sets the first input row that the parts see next. The model calls it.
  void begin_rows(int64_t first) const { first_row_ = first; }
  int64_t first_row() const { return first_row_; }

  /// Apply the hooks to a part's input (enter) and output (leave). The model calls them.
  torch::Tensor enter(const std::string& part, const torch::Tensor& x) const;
  /// \param bias  added after the transforms of the output; undefined = none
  torch::Tensor leave(const std::string& part, const torch::Tensor& x, const torch::Tensor& bias = {}) const;
  /// Apply the hooks unseen by observers, for a part that another module uses too.
  torch::Tensor enter_unseen(const std::string& part, const torch::Tensor& x) const;
  torch::Tensor leave_unseen(const std::string& part, const torch::Tensor& x) const;

  /// Marks a part whose outputs are terms that a transform sums over ranks.
  void sum(const std::string& part) { summed_.insert(part); }
  bool is_summed(const std::string& part) const { return summed_.contains(part); }

 private:
  std::map<std::string, std::vector<Transform>> before_;
  std::map<std::string, std::vector<Transform>> after_;
  std::map<std::string, Runner> around_;
  std::set<std::string> summed_;
  Operators operators_;
  Entered entered_;
  Left left_;
  mutable int64_t first_row_ = 0;
};

/// A part of a model while it runs: its name, its hooks, and access to the parts inside it.
class Part {
 public:
  Part(const ModuleHooks& hooks, std::string name) : hooks_(hooks), name_(std::move(name)) {}

  Part operator/(const std::string& child) const { return {hooks_, name_ + "." + child}; }
  const std::string& name() const { return name_; }
  int64_t first_row() const { return hooks_.first_row(); }
  torch::Tensor enter(const torch::Tensor& x) const { return hooks_.enter(name_, x); }
  torch::Tensor leave(const torch::Tensor& x, const torch::Tensor& bias = {}) const {
    return hooks_.leave(name_, x, bias);
  }
  bool is_summed() const { return hooks_.is_summed(name_); }
  torch::Tensor run(const ModuleHooks::Body& body, const torch::Tensor& x) const {
    return hooks_.run(name_, body, x);
  }
  const ModuleHooks::Operators& operators() const { return hooks_.operators(); }

 private:
  const ModuleHooks& hooks_;
  std::string name_;
};

}  // namespace parity::reference
