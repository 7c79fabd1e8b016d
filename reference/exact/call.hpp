// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include "reference/exact/arithmetic/numbers.hpp"

namespace parity::reference::exact {

/// One call of an operator: its arguments, and its results once it has run.
/// Arguments have the order of the schema; a variant that works in place or into `out` has the same order.
class Call {
 public:
  Call(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack arguments);

  const c10::IValue& argument(size_t i) const { return arguments_.at(i); }
  /// Returns whether an input is given: neither None, nor an undefined tensor, nor a tensor for the result.
  bool has(size_t i) const {
    return i < arguments_.size() && !op_.schema().arguments()[i].is_out() && !arguments_[i].isNone() &&
           !(arguments_[i].isTensor() && !arguments_[i].toTensor().defined());
  }
  const at::Tensor& tensor(size_t i) const { return arguments_.at(i).toTensor(); }
  int64_t integer(size_t i) const { return arguments_.at(i).toInt(); }
  double number(size_t i) const { return arguments_.at(i).toScalar().toDouble(); }
  std::vector<int64_t> integers(size_t i) const;
  /// Returns the residues of an argument, which is a tensor or a number.
  Numbers numbers(size_t i) const;
  std::vector<Numbers> all_numbers(size_t i) const;  ///< of a list of tensors

  /// Runs the operator on the values. Does nothing the second time.
  void run();
  /// Returns a result. \pre run()
  at::Tensor result(size_t i) const;
  const torch::jit::Stack& results() const { return results_; }
  void replace_result(size_t i, c10::IValue value) { results_.at(i) = std::move(value); }
  /// Returns the tensors that the call has written: its results, or what it changed in place.
  std::vector<at::Tensor> written() const;

  /// Calls the same operator, in the variant that returns a new tensor, with other arguments.
  at::Tensor call_on(const std::vector<std::pair<size_t, c10::IValue>>& replaced) const;

  const c10::OperatorHandle& op() const { return op_; }
  const torch::jit::Stack& arguments() const { return arguments_; }

 private:
  const c10::OperatorHandle& op_;
  c10::DispatchKeySet keys_;
  torch::jit::Stack arguments_;
  torch::jit::Stack results_;
  bool has_run_ = false;
};

/// Returns the name of an operator without "aten::" and without what marks a variant in place: "add" of
/// "aten::add_". An operator of another library keeps its whole name, and so gets no rule of another's.
std::string base_name(const c10::FunctionSchema& schema);

/// Computes the residues of an operator's results, one entry for each tensor; an entry without levels: none.
using Rule = std::function<std::vector<Numbers>(Call& call)>;
using Rules = std::map<std::string, Rule, std::less<>>;

/// Every rule by base name.
const Rules& all_rules();

// Each room adds the operators that it knows.
void add_arithmetic(Rules& rules);
void add_functions(Rules& rules);
void add_movement(Rules& rules);
void add_choices(Rules& rules);
void add_reductions(Rules& rules);
void add_products(Rules& rules);
void add_composites(Rules& rules);
void add_activations(Rules& rules);
void add_norms(Rules& rules);
void add_losses(Rules& rules);
void add_convolutions(Rules& rules);

/// Computes a rule from other operators: calls `function`, whose operators compute residues as well, and
/// returns those of the tensors that it returns.
std::vector<Numbers> from_operators(const std::function<std::vector<at::Tensor>()>& function);

/// Returns the rule of an operator that others express: `function` gives its results, from the same
/// arguments.
Rule composite(std::function<std::vector<at::Tensor>(Call& call)> function);

}  // namespace parity::reference::exact
