// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/exact/call.hpp"

#include <utility>

#include <ATen/ATen.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include "harness/base/error.hpp"
#include "reference/exact/dispatch_key.hpp"
#include "reference/exact/shadow.hpp"

namespace parity::reference::exact {
namespace {

void append(std::vector<at::Tensor>& to, const c10::IValue& value) {
  if (value.isTensor())
    to.push_back(value.toTensor());
  else if (value.isTensorList())
    for (const at::Tensor& each : value.toTensorVector())
      to.push_back(each);
}

/// Returns the overload that returns new tensors: "dim" of "dim_out", and "" of "out".
std::string overload_without_out(const c10::FunctionSchema& schema) {
  std::string name = schema.overload_name();
  if (name.ends_with("out"))
    name.resize(name.size() - 3);
  if (name.ends_with('_'))
    name.pop_back();
  return name;
}

}  // namespace

Call::Call(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack arguments)
    : op_(op), keys_(keys), arguments_(std::move(arguments)) {}

std::vector<int64_t> Call::integers(size_t i) const {
  return has(i) ? arguments_[i].toIntVector() : std::vector<int64_t>();
}

Numbers Call::numbers(size_t i) const {
  const c10::IValue& value = arguments_.at(i);
  return value.isTensor() ? read(value.toTensor()) : constant(value.toScalar().toDouble());
}

std::vector<Numbers> Call::all_numbers(size_t i) const {
  std::vector<Numbers> result;
  for (const at::Tensor& each : arguments_.at(i).toTensorVector())
    result.push_back(read(each));
  return result;
}

void Call::run() {
  if (std::exchange(has_run_, true))
    return;
  results_ = arguments_;
  op_.redispatchBoxed(keys_ & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, dispatch_key), &results_);
}

at::Tensor Call::result(size_t i) const {
  require(has_run_, "results of a call that has not run");
  return results_.at(i).toTensor();
}

std::vector<at::Tensor> Call::written() const {
  std::vector<at::Tensor> result;
  for (const c10::IValue& each : results_)
    append(result, each);
  if (!results_.empty())
    return result;
  const std::vector<c10::Argument>& declared = op_.schema().arguments();
  for (size_t i = 0; i < declared.size(); ++i)
    if (declared[i].alias_info() != nullptr && declared[i].alias_info()->isWrite())
      append(result, arguments_[i]);
  return result;
}

at::Tensor Call::call_on(const std::vector<std::pair<size_t, c10::IValue>>& replaced) const {
  const std::string name = "aten::" + base_name(op_.schema());
  const auto found = c10::Dispatcher::singleton().findSchema({name, overload_without_out(op_.schema())});
  if (!found || found->schema().is_mutable())
    throw UserError(op_.schema().name() + "." + op_.schema().overload_name() +
                    " has no exact form, since no variant of it returns a new tensor");
  torch::jit::Stack stack = arguments_;
  for (const auto& [i, value] : replaced)
    stack.at(i) = value;
  stack.resize(found->schema().arguments().size());
  found->callBoxed(&stack);
  return stack.at(0).toTensor();
}

std::string base_name(const c10::FunctionSchema& schema) {
  if (!schema.name().starts_with("aten::"))
    return schema.name();
  std::string name = schema.name().substr(6);
  if (name.ends_with('_') && !name.ends_with("__"))
    name.pop_back();
  return name;
}

const Rules& all_rules() {
  static const Rules rules = [] {
    Rules result;
    for (const auto add :
         {add_arithmetic, add_functions, add_movement, add_choices, add_reductions, add_products,
          add_composites, add_activations, add_norms, add_losses, add_convolutions})
      add(result);
    return result;
  }();
  return rules;
}

std::vector<Numbers> from_operators(const std::function<std::vector<at::Tensor>()>& function) {
  const std::vector<at::Tensor> tensors = [&] {
    const at::AutoDispatchBelowAutograd no_graph;
    const c10::impl::LocalDispatchKeySet now = c10::impl::tls_local_dispatch_key_set();
    const c10::impl::ForceDispatchKeyGuard with_residues(now.included_.add(dispatch_key),
                                                         now.excluded_.remove(dispatch_key));
    return function();
  }();
  std::vector<Numbers> result;
  for (const at::Tensor& each : tensors)
    result.push_back(each.defined() ? read(each) : Numbers());
  return result;
}

Rule composite(std::function<std::vector<at::Tensor>(Call& call)> function) {
  return
      [function = std::move(function)](Call& call) { return from_operators([&] { return function(call); }); };
}

}  // namespace parity::reference::exact
