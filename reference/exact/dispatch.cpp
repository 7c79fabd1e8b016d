// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernel that every operator of an exact twin passes.
#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/record_function.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/core/impl/PyInterpreter.h>
#include <torch/library.h>

#include "harness/base/error.hpp"
#include "reference/exact/call.hpp"
#include "reference/exact/dispatch_key.hpp"
#include "reference/exact/ranks/process_groups.hpp"
#include "reference/exact/shadow.hpp"
#include "reference/exact/strict.hpp"

namespace parity::reference::exact {
namespace {

template <class Function>
void for_tensors(const c10::IValue& value, const Function& function) {
  if (value.isTensor())
    function(value.toTensor());
  else if (value.isTensorList())
    for (const at::Tensor& each : value.toTensorVector())
      function(each);
  else if (value.isList())
    for (const c10::IValue& each : value.toListRef())
      for_tensors(each, function);
}

/// What the schema says of an operator.
struct Kind {
  bool gives_views = false;  ///< of memory that keeps its residues
  bool allocates = false;    ///< and writes nothing
  bool is_fresh = false;     ///< a literal of Python (lift_fresh), which no operator wrote
  bool copies = false;       ///< one tensor into new memory
  std::optional<c10::DispatchKey> decomposes = {};  ///< into other operators, by the kernel of this key
  std::string base;

  bool is_implicit() const { return decomposes == c10::DispatchKey::CompositeImplicitAutograd; }
};

Kind kind_of(const c10::OperatorHandle& op) {
  const c10::FunctionSchema& schema = op.schema();
  Kind kind;
  kind.base = base_name(schema);
  kind.gives_views = std::ranges::any_of(schema.returns(), [](const c10::Argument& result) {
    return result.alias_info() != nullptr && !result.alias_info()->isWrite();
  });
  kind.allocates = kind.base.starts_with("empty") || kind.base.starts_with("new_empty") ||
                   kind.base.starts_with("_empty") || kind.base.starts_with("resize");
  kind.is_fresh = kind.base == "lift_fresh" || kind.base == "lift";
  kind.copies = schema.name() == "aten::clone" || schema.name() == "aten::_to_copy";
  kind.gives_views |= kind.base == "set" || kind.base == "set_data" || kind.base == "_reshape_alias";
  if (!op.hasKernelForDispatchKey(c10::DispatchKey::CPU))
    for (const c10::DispatchKey key :
         {c10::DispatchKey::CompositeImplicitAutograd, c10::DispatchKey::CompositeExplicitAutograd,
          c10::DispatchKey::CompositeExplicitAutogradNonFunctional})
      if (!kind.decomposes && op.hasKernelForDispatchKey(key))
        kind.decomposes = key;
  return kind;
}

const Kind& cached_kind_of(const c10::OperatorHandle& op) {
  thread_local std::unordered_map<const c10::FunctionSchema*, Kind> kinds;
  const auto found = kinds.find(&op.schema());
  return found != kinds.end() ? found->second : kinds.emplace(&op.schema(), kind_of(op)).first->second;
}

/// Returns whether a tensor among the arguments has residues, or cannot be read.
bool needs_rule(const c10::OperatorHandle& op, const torch::jit::Stack& arguments) {
  bool any = false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const c10::AliasInfo* const alias = op.schema().arguments()[i].alias_info();
    const bool is_written = alias != nullptr && alias->isWrite();
    for_tensors(arguments[i], [&](const at::Tensor& x) {
      if (!is_numeric(x) || x.numel() == 0)
        return;
      const Known known = known_of(x);
      any |= known == Known::numbers || (!is_written && known != Known::constants);
    });
  }
  return any;
}

void store(const std::vector<at::Tensor>& written, const std::vector<Numbers>& results,
           const std::string& name) {
  if (written.size() != results.size())
    throw InternalError("the rule of " + name + " gives " + std::to_string(results.size()) + " results for " +
                        std::to_string(written.size()));
  for (size_t i = 0; i < written.size(); ++i)
    if (is_numeric(written[i])) {
      if (results[i].levels.empty())
        throw InternalError("the rule of " + name + " gives no residues for result " + std::to_string(i));
      write(written[i], results[i]);
    }
}

[[noreturn]] void rethrow_with(const std::string& name, const std::exception& error) {
  const std::string text = error.what();
  throw UserError(text.starts_with("exact twin: ") ? text : "exact twin: " + name + ": " + text);
}

std::string name_of(const Call& call) {
  return call.op().schema().name() + "." + call.op().schema().overload_name();
}

/// Calls a function; what it refuses gets the name of the operator.
template <class Function>
auto naming(const Call& call, const Function& function) {
  try {
    return function();
  } catch (const UserError& error) {
    rethrow_with(name_of(call), error);
  } catch (const c10::Error& error) {
    throw UserError("exact twin: " + name_of(call) + ": " + error.what_without_backtrace());
  }
}

void run_with_rule(Call& call, const Kind& kind) {
  const std::vector<Numbers> results = naming(call, [&] {
    check_strictly(call, chooses(kind.base) ? Use::decision : Use::number);
    return all_rules().find(kind.base)->second(call);
  });
  call.run();
  store(call.written(), results, name_of(call));
}

/// Runs an operator without a rule. Comparisons and indices have no residues. Only results that are numbers
/// need a rule.
void run_without_rule(Call& call) {
  naming(call, [&] { check_strictly(call, Use::decision); });
  call.run();
  for (const at::Tensor& each : call.written())
    if (is_numeric(each))
      throw UserError("exact twin: " + name_of(call) + " has no exact form");
}

/// Returns the interpreter of an argument that is of a subclass in Python, such as a DTensor; null without
/// one.
/// \throws UserError for an argument on another device than the CPU
c10::impl::PyInterpreter* subclass_among(const c10::OperatorHandle& op, const torch::jit::Stack& stack) {
  c10::impl::PyInterpreter* result = nullptr;
  for (const c10::IValue& each : torch::jit::last(stack, op.schema().arguments().size()))
    for_tensors(each, [&](const at::Tensor& x) {
      if (x.defined() && x.key_set().has(c10::DispatchKey::Python))
        result = x.unsafeGetTensorImpl()->pyobj_slot()->pyobj_interpreter();
      else if (x.defined() && !x.is_cpu() && !x.is_meta())
        throw UserError("exact twin: " + op.schema().name() + ": only tensors on the CPU have residues");
    });
  return result;
}

/// Calls __torch_dispatch__ as PyTorch does, but the operators that it calls compute residues.
void call_in_python(c10::impl::PyInterpreter& interpreter, const c10::OperatorHandle& op,
                    torch::jit::Stack* stack) {
  using Keys = c10::DispatchKeySet;
  constexpr auto python = c10::DispatchKey::Python;
  constexpr Keys above = Keys(Keys::FULL) - Keys(Keys::FULL_AFTER, python) - Keys(python);
  const c10::impl::ExcludeDispatchKeyGuard handled(above.remove(dispatch_key));
  interpreter->dispatch(op, stack);
}

/// Returns the keys below this room's.
c10::DispatchKeySet below(c10::DispatchKeySet keys) {
  return keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, dispatch_key);
}

/// Returns the number of tensors of an operator that changes each of several by itself, and 0 for any other.
size_t count_of_updates(const c10::OperatorHandle& op, const torch::jit::Stack& stack) {
  const c10::FunctionSchema& schema = op.schema();
  const bool updates = schema.returns().empty() && (schema.name().starts_with("aten::_foreach_") ||
                                                    schema.name().starts_with("aten::_fused_"));
  const c10::IValue& first = *(stack.end() - static_cast<int64_t>(schema.arguments().size()));
  return updates && first.isTensorList() ? first.toTensorVector().size() : 0;
}

/// Returns a list with one element of another: a tensor, or a number for it.
c10::IValue only(const c10::List<c10::IValue>& all, size_t i) {
  c10::impl::GenericList one(all.elementType());
  one.push_back(all.get(i));
  return one;
}

/// Calls the operator for one tensor after the other, so that the residues of all need not exist at once.
void update_one_by_one(const c10::OperatorHandle& op, torch::jit::Stack& stack, size_t updates) {
  const at::DisableRecordFunctionGuard unseen;
  const torch::jit::Stack arguments = torch::jit::last(stack, op.schema().arguments().size()).vec();
  torch::jit::drop(stack, arguments.size());
  for (size_t i = 0; i < updates; ++i) {
    torch::jit::Stack own;
    for (const c10::IValue& each : arguments)
      own.push_back(each.isList() && each.toList().size() == updates ? only(each.toList(), i) : each);
    op.callBoxed(own);
  }
}

/// Runs a call and gives its results residues.
/// \param views  it shows memory that keeps its residues
void run_here(Call& call, const Kind& kind, bool views) {
  if (is_collective(call.op().schema()))
    return naming(call, [&] { run_collective(call); });
  if (kind.copies && known_of(call.tensor(0)) == Known::unwritten && is_numeric(call.tensor(0))) {
    call.run();
    return mark_unwritten(call.result(0));
  }
  if (!views && !kind.allocates && needs_rule(call.op(), call.arguments()))
    return all_rules().contains(kind.base) ? run_with_rule(call, kind) : run_without_rule(call);
  naming(call, [&] { check_strictly(call, views ? Use::view : Use::constant); });
  call.run();
  for (const at::Tensor& each : call.written())
    if (is_numeric(each) && !views)
      kind.allocates ? mark_unwritten(each) : mark_constant(each);
    else if (is_numeric(each) && kind.is_fresh && known_of(each) == Known::nothing)
      mark_constant(each);
}

/// Returns whether a call decomposes into operators that pass here one by one.
bool decomposes(const c10::OperatorHandle& op, const Kind& kind, const torch::jit::Stack& stack) {
  if (all_rules().contains(kind.base) || !kind.decomposes || kind.allocates)
    return false;
  if (kind.is_implicit())
    return true;
  const c10::impl::ExcludeDispatchKeyGuard without_residues(dispatch_key);
  return !kind.gives_views && needs_rule(op, torch::jit::last(stack, op.schema().arguments().size()).vec());
}

void intercept(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
  if (const size_t updates = count_of_updates(op, *stack); updates > 1)
    return update_one_by_one(op, *stack, updates);
  if (c10::impl::PyInterpreter* const interpreter = subclass_among(op, *stack))
    return keys.has(c10::DispatchKey::Python) ? call_in_python(*interpreter, op, stack)
                                              : op.redispatchBoxed(below(keys), stack);  // shapes alone
  if (op.schema().name().starts_with("fsdp::"))
    return op.redispatchBoxed(below(keys), stack);  // written with other operators
  const Kind& kind = cached_kind_of(op);
  if (decomposes(op, kind, *stack))
    return op.callBoxedForDispatchKey(*kind.decomposes, *stack);
  const at::DisableRecordFunctionGuard
      unseen;  // whoever watches the run's operators does not see those of rules
  const c10::impl::ExcludeDispatchKeyGuard without_residues(dispatch_key);
  const size_t count = op.schema().arguments().size();
  Call call(op, keys, torch::jit::last(*stack, count).vec());
  torch::jit::drop(*stack, count);
  run_here(call, kind, kind.gives_views && !kind.is_implicit());  // an implicit one may copy, as reshape does
  for (const c10::IValue& each : call.results())
    stack->push_back(each);
}

}  // namespace

TORCH_LIBRARY_IMPL(_, Fake, library) {
  library.fallback(torch::CppFunction::makeFromBoxedFunction<&intercept>());
}

}  // namespace parity::reference::exact
