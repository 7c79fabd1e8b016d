// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/capture/operators.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/record_function.h>
#include <torch/types.h>

#include "harness/base/error.hpp"
#include "harness/trace/format/operator_tensor.hpp"
#include "reference/exact/exact.hpp"
#include "reference/train/capture/offer.hpp"

namespace parity::reference {
namespace {

std::atomic<OperatorCapture*> watching = nullptr;  // callbacks are plain functions

using Values = std::vector<std::pair<std::string, at::Tensor>>;

/// Visits the tensors of an argument or result; a number becomes a tensor.
void take(Values& to, const std::string& slot, const c10::IValue& value) {
  if (value.isTensor()) {
    to.emplace_back(slot, value.toTensor());
  } else if (value.isDouble()) {
    to.emplace_back(slot, at::scalar_tensor(value.toDouble(), at::kDouble));
  } else if (value.isInt() || value.isBool()) {
    to.emplace_back(slot,
                    at::scalar_tensor(value.isBool() ? int64_t{value.toBool()} : value.toInt(), at::kLong));
  } else if (value.isScalar() && value.toScalar().isFloatingPoint()) {
    to.emplace_back(slot, at::scalar_tensor(value.toScalar().toDouble(), at::kDouble));
  } else if (value.isTensorList()) {
    int64_t i = 0;
    for (const at::Tensor& each : value.toTensorVector())
      to.emplace_back(slot + "[" + std::to_string(i++) + "]", each);
  } else if (value.isList()) {
    int64_t i = 0;
    for (const c10::IValue& each : value.toListRef())
      take(to, slot + "[" + std::to_string(i++) + "]", each);
  }
}

/// Returns a complex tensor as its numbers, [..., 2], and any other tensor unchanged. Adds no graph node.
at::Tensor as_real(const at::Tensor& x) {
  return x.defined() && x.is_complex() ? at::view_as_real(at::resolve_conj(x.detach())) : x;
}

bool can_be_kept(const at::Tensor& x) {
  return x.defined() && x.layout() == c10::kStrided && !x.is_meta() && x.has_storage() &&
         x.storage().nbytes() > 0 && dtype_of(x).has_value();
}

const c10::FunctionSchema* schema_of(const at::RecordFunction& function) {
  const std::optional<c10::OperatorName> name = function.operator_name();
  if (!name)
    return nullptr;
  const auto handle = c10::Dispatcher::singleton().findSchema(*name);
  return handle ? &handle->schema() : nullptr;
}

bool is_written(const c10::Argument& argument) {
  return argument.alias_info() != nullptr && argument.alias_info()->isWrite();
}

/// Returns whether an operator's result is memory of another tensor, or memory that was never written.
bool gives_nothing_new(const c10::FunctionSchema& schema) {
  const std::string& name = schema.name();
  const std::string_view own = std::string_view(name).substr(name.rfind(':') + 1);
  if (own.starts_with("empty") || own.starts_with("new_empty") || own.starts_with("_empty") ||
      own.starts_with("resize") || own == "set_")
    return true;
  return std::ranges::any_of(schema.returns(), [](const c10::Argument& result) {
    return result.alias_info() != nullptr && !result.alias_info()->isWrite();
  });
}

}  // namespace

/// An operator or a node of the graph, from its start to its end.
struct OperatorCapture::Context : at::ObserverContext {
  bool is_node = false;
  Place at;
  int64_t number = 0;
  std::string op;
  Values written;
};

OperatorCapture::OperatorCapture(trace::Recorder& recorder, const Device& device, int64_t rank, int64_t ranks)
    : recorder_(recorder), device_(device) {
  if (ranks > 1)
    rank_ = rank;
}

OperatorCapture::~OperatorCapture() {
  stop_watching();
}

void OperatorCapture::begin_step() {
  if (!recorder_.wants_operators())
    return;
  require(watching.exchange(this) == nullptr, "two captures watch the operators of one process");
  handle_ =
      at::addGlobalCallback(at::RecordFunctionCallback(&on_start, &on_end)
                                .needsInputs(true)
                                .needsOutputs(true)
                                .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION}));
  begin_region(trace::Phase::forward, "data");
}

void OperatorCapture::begin_region(trace::Phase phase, std::string region) {
  region_ = {phase, std::move(region)};
  parts_.clear();
}

void OperatorCapture::end_step() {
  stop_watching();
  if (problem_)
    std::rethrow_exception(std::exchange(problem_, nullptr));
  parts_.clear();
  nodes_.clear();
  modules_.clear();
  counts_.clear();
}

void OperatorCapture::stop_watching() {
  if (!handle_)
    return;
  at::removeCallback(*handle_);
  handle_.reset();
  watching = nullptr;
}

void OperatorCapture::entered(const std::string& part) {
  if (!handle_)
    return;
  while (!parts_.empty() && !part.starts_with(parts_.back() + "."))
    parts_.pop_back();
  parts_.push_back(part);
}

void OperatorCapture::left(const std::string& part) {
  const auto found = std::ranges::find(parts_, part);
  parts_.erase(found, parts_.end());
  if (part == "output")
    region_ = {trace::Phase::forward, "loss"};
}

OperatorCapture::Place OperatorCapture::place() const {
  if (!parts_.empty())
    return {trace::Phase::forward, parts_.back()};
  if (!nodes_.empty())
    return {trace::Phase::backward, nodes_.back()};
  return region_;
}

std::unique_ptr<at::ObserverContext> OperatorCapture::on_start(const at::RecordFunction& function) {
  OperatorCapture* self = watching;
  if (self == nullptr || self->problem_)
    return nullptr;
  try {
    return self->start(function);
  } catch (...) {  // or the dispatcher would swallow it
    self->problem_ = std::current_exception();
    return nullptr;
  }
}

void OperatorCapture::on_end(const at::RecordFunction& function, at::ObserverContext* context) {
  OperatorCapture* self = watching;
  if (self == nullptr || context == nullptr || self->problem_)
    return;
  try {
    self->end(function, static_cast<Context&>(*context));
  } catch (...) {
    self->problem_ = std::current_exception();
  }
}

std::unique_ptr<at::ObserverContext> OperatorCapture::start_node(const at::RecordFunction& function) {
  auto context = std::make_unique<Context>();
  context->is_node = true;
  // Nodes of our own functions have no operator's number: they belong to the previous node.
  auto next = modules_.upper_bound(function.seqNr());
  const bool is_known = function.seqNr() >= 0 && next != modules_.begin();
  nodes_.push_back(is_known ? std::prev(next)->second : nodes_.empty() ? region_.module : nodes_.back());
  return context;
}

std::unique_ptr<at::ObserverContext> OperatorCapture::start(const at::RecordFunction& function) {
  const at::DisableRecordFunctionGuard unseen;
  const std::lock_guard guard(mutex_);
  if (function.scope() == at::RecordScope::BACKWARD_FUNCTION)
    return start_node(function);
  const c10::FunctionSchema* schema = schema_of(function);
  if (schema == nullptr || gives_nothing_new(*schema))
    return nullptr;
  auto context = std::make_unique<Context>();
  context->at = place();
  if (function.seqNr() >= 0 && context->at.phase == trace::Phase::forward)
    modules_.emplace(function.seqNr(), context->at.module);
  if (!recorder_.wants_operators(context->at.phase, context->at.module))
    return nullptr;
  context->number = counts_[{context->at.phase, context->at.module}]++;
  context->op = schema->name();
  Values read;
  const auto inputs = function.inputs();
  const std::vector<c10::Argument>& arguments = schema->arguments();
  for (size_t i = 0; i < inputs.size() && i < arguments.size(); ++i)
    if (is_written(arguments[i]))
      take(context->written, "out." + arguments[i].name(), inputs[i]);
    else
      take(read, "in." + arguments[i].name(), inputs[i]);
  for (const auto& [slot, value] : read)
    offer_one(*context, slot, value);
  return context;
}

void OperatorCapture::end(const at::RecordFunction& function, Context& context) {
  const at::DisableRecordFunctionGuard unseen;
  const std::lock_guard guard(mutex_);
  if (context.is_node) {
    if (!nodes_.empty())
      nodes_.pop_back();
    return;
  }
  for (const auto& [slot, value] : context.written)
    offer_one(context, slot, value);
  if (!context.written.empty())
    return;
  Values results;
  const std::vector<c10::IValue>& outputs = function.outputs();
  for (size_t i = 0; i < outputs.size(); ++i)
    take(results, "out." + std::to_string(i), outputs[i]);
  for (const auto& [slot, value] : results)
    offer_one(context, slot, value);
}

/// Returns the context of a collective. \param number  of the collective; -1: count one more
OperatorCapture::Context OperatorCapture::collective(const std::string& what, int64_t number) {
  Context context;
  context.at = {place().phase, "comm"};
  context.number = number >= 0 ? number : counts_[{context.at.phase, context.at.module}]++;
  context.op = what;
  return context;
}

/// Applies faults to bytes between the checksums of a collective.
void OperatorCapture::disturb(const Context& context, const std::string& slot, const at::Tensor& bytes) {
  const std::string name =
      trace::OperatorTensor{context.at.module, context.number, context.op, slot, rank_}.name();
  if (!can_be_kept(bytes) || !recorder_.may_change(context.at.phase, name))
    return;
  if (exact::is_active())
    throw UserError("cannot plant a fault in " + name +
                    " of an exact twin (residues pass ranks by a way of their own); name another tensor");
  const torch::Tensor target = bytes.variable_data(), here = target.cpu();
  recorder_.disturb(context.at.phase, name, view_of(here), here.mutable_data_ptr());
  if (!here.is_alias_of(target))
    target.copy_(here);
}

int64_t OperatorCapture::sent(const std::string& what, const at::Tensor& bytes) {
  if (!handle_)
    return -1;
  const at::DisableRecordFunctionGuard unseen;
  const torch::NoGradGuard no_grad;
  const std::lock_guard guard(mutex_);
  const Context context = collective(what, -1);
  if (!recorder_.wants_operators(context.at.phase, context.at.module))
    return context.number;
  offer_one(context, "in.sent", bytes);
  disturb(context, "wire.sent", bytes);
  return context.number;
}

void OperatorCapture::received(const std::string& what, int64_t number, const at::Tensor& bytes) {
  if (!handle_)
    return;
  const at::DisableRecordFunctionGuard unseen;
  const torch::NoGradGuard no_grad;
  const std::lock_guard guard(mutex_);
  const Context context = collective(what, number);
  if (!recorder_.wants_operators(context.at.phase, context.at.module))
    return;
  disturb(context, "wire.received", bytes);
  offer_one(context, "out.received", bytes);
}

void OperatorCapture::offer_one(const Context& context, const std::string& slot, const at::Tensor& given) {
  const at::Tensor value = as_real(given);
  if (!can_be_kept(value))
    return;
  const trace::OperatorTensor tensor = {context.at.module, context.number, context.op, slot, rank_};
  const std::string name = tensor.name();
  if (!recorder_.wants(context.at.phase, name))
    return;
  // An operator may read an expanded tensor, whose elements share memory: a copy is offered.
  const at::NoGradGuard no_grad;
  offer(recorder_, device_, context.at.phase, name, value.contiguous(), value.sizes().vec());
}

}  // namespace parity::reference
