// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/traces/paired_calls.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "harness/compare/sides/residues.hpp"

namespace parity::bisect {
namespace {

FirstBadOperator guilty_of(const trace::OperatorTensor& tensor, const trace::TensorKey& key) {
  FirstBadOperator guilty;
  guilty.kind = tensor.is_output() ? FirstBadOperator::Kind::computes : FirstBadOperator::Kind::reads;
  guilty.module = tensor.module;
  guilty.op = tensor.op;
  guilty.slot = tensor.slot.substr(tensor.slot.find('.') + 1);
  guilty.key = key;
  return guilty;
}

/// Returns whether an operator's module computes a tensor: it is the tensor's, one in it, or one around it.
bool may_compute(const trace::OperatorTensor& tensor, const trace::TensorKey& key,
                 const trace::TensorKey& first) {
  const std::string own = module_of_tensor(first);
  const bool is_region = first.phase >= trace::Phase::grad && key.phase >= trace::Phase::grad;
  return is_region || tensor.module == own || own.starts_with(tensor.module + ".") ||
         tensor.module.starts_with(own + ".");
}

/// Returns whether a tensor of an exact twin is a decision, which has no residues: indices or truth values.
bool is_decision(const trace::Trace& trace, const trace::TensorKey& key) {
  const trace::SketchRow* row = trace.find_sketch(key);
  return row != nullptr && row->dtype != DType::residue64 && !is_floating(row->dtype) &&
         !compare::draw_of(trace).is_null();
}

/// Returns the number of calls before a tensor. All earlier phases', if the rank did not record it.
size_t calls_before(const std::vector<OperatorCall>& calls, const trace::RankRow* end, trace::Phase phase) {
  return static_cast<size_t>(std::ranges::count_if(calls, [&](const OperatorCall& call) {
    return call.phase() < phase || (call.phase() == phase && end != nullptr && call.order() < end->order);
  }));
}

bool computes(const OperatorCall& call, const measure::Digest& digest) {
  return std::ranges::any_of(call.slots, [&](const OperatorCall::Slot& slot) {
    return slot.tensor.is_output() && slot.row->digest == digest;
  });
}

FirstBadOperator only_one_runs(const OperatorCall& call, bool is_first_side) {
  FirstBadOperator guilty = guilty_of(call.slots.front().tensor, call.slots.front().key);
  guilty.kind = FirstBadOperator::Kind::others;
  guilty.op = is_first_side ? call.op() : FirstBadOperator::no_operator;
  guilty.other_op = is_first_side ? FirstBadOperator::no_operator : call.op();
  return guilty;
}

/// Module and operator -> number of calls.
using CallCounts = std::map<std::pair<std::string, std::string>, size_t>;

/// Returns the counts of the model's calls in forward.
CallCounts forward_calls(const std::vector<OperatorCall>& calls) {
  CallCounts counts;
  for (const OperatorCall& call : calls)
    if (call.phase() == trace::Phase::forward && call.module() != "data" && call.module() != "loss")
      ++counts[{call.module(), call.op()}];
  return counts;
}

/// Returns how many values the trainer reads from tensors while it prepares its batches: parity-train counts
/// the labels of each micro-batch and each piece.
size_t values_read(const std::vector<OperatorCall>& calls) {
  return static_cast<size_t>(std::ranges::count_if(
      calls, [](const OperatorCall& call) { return call.module() == "data" && call.op() == "aten::item"; }));
}

/// Returns whether the sides cut their batches into different numbers of micro-batches: they read other
/// numbers of values, or one side runs each operator k times as often, with one k of at least 2.
bool are_cut_otherwise(const std::vector<OperatorCall>& calls, const std::vector<OperatorCall>& others) {
  if (values_read(calls) != values_read(others))
    return true;
  CallCounts few = forward_calls(calls), many = forward_calls(others);
  if (few.size() != many.size() || few.size() < 2)
    return false;
  if (few.begin()->second > many.begin()->second)
    std::swap(few, many);
  const size_t k = many.begin()->second / few.begin()->second;
  return k >= 2 && std::ranges::equal(few, many, [k](const auto& a, const auto& b) {
           return a.first == b.first && a.second * k == b.second;
         });
}

/// Returns what an argument has, where the other side leaves it at its default.
std::string own_value(const OperatorCall::Slot& slot) {
  return slot.is_number ? fmt::format("{}", slot.row->norm) : "a tensor";
}

/// Returns an argument that only one of two calls was given, such as the scale or the mask of attention: with
/// it the inputs are not the same. \param output  the tensor that the calls compute differently
std::optional<FirstBadOperator> argument_of_one(const OperatorCall& mine, const OperatorCall& theirs,
                                                const OperatorCall::Slot& output) {
  constexpr std::string_view none = "its default";
  const auto guilty = [&](const OperatorCall::Slot& slot, std::string numbers) {
    FirstBadOperator found = guilty_of(slot.tensor, output.key);
    found.numbers = std::move(numbers);
    return found;
  };
  for (const OperatorCall::Slot& slot : mine.slots)
    if (!slot.tensor.is_output() && theirs.find(slot.tensor.slot) == nullptr)
      return guilty(slot, fmt::format("{} against {}", own_value(slot), none));
  for (const OperatorCall::Slot& slot : theirs.slots)
    if (!slot.tensor.is_output() && mine.find(slot.tensor.slot) == nullptr)
      return guilty(slot, fmt::format("{} against {}", none, own_value(slot)));
  return std::nullopt;
}

}  // namespace

std::string module_of_tensor(const trace::TensorKey& key) {
  std::string name = key.name;
  if (key.phase == trace::Phase::optim)
    name = name.substr(name.find('/') + 1);
  constexpr std::string_view weight = ".weight";
  if (name.ends_with(weight))
    name.resize(name.size() - weight.size());
  return name;
}

PairedCalls::PairedCalls(const trace::Trace& expected, const trace::Trace& actual,
                         const trace::TensorKey& end, int64_t rank)
    : expected_(expected),
      mine_(calls_of_step(expected, end.step, rank)),
      theirs_(calls_of_step(actual, end.step, rank)),
      partners_(pair_calls(mine_, theirs_)),
      is_paired_(theirs_.size(), false) {
  for (const auto& partner : partners_)
    if (partner)
      is_paired_[*partner] = true;
  end_ = calls_before(mine_, rank_row_of(expected, end, rank), end.phase);
  their_end_ = calls_before(theirs_, rank_row_of(actual, end, rank), end.phase);
}

bool PairedCalls::are_cut_otherwise() const {
  return parity::bisect::are_cut_otherwise(mine_, theirs_);
}

bool PairedCalls::is_one_sided() const {
  return std::any_of(partners_.begin(), partners_.begin() + static_cast<ptrdiff_t>(end_),
                     [](const auto& partner) { return !partner; }) ||
         std::any_of(is_paired_.begin(), is_paired_.begin() + static_cast<ptrdiff_t>(their_end_),
                     [](bool is_paired) { return !is_paired; });
}

std::optional<FirstBadOperator> PairedCalls::find(const trace::TensorKey& first, bool& is_unclear) const {
  for (size_t i = 0; i < end_; ++i) {
    if (!partners_[i]) {
      FirstBadOperator guilty = guilty_of(mine_[i].slots.front().tensor, mine_[i].slots.front().key);
      guilty.kind = FirstBadOperator::Kind::others;
      guilty.other_op = in_its_place(i);
      if (!guilty.other_op.empty() && may_compute(mine_[i].slots.front().tensor, guilty.key.value(), first))
        return guilty;
      continue;
    }
    for (const OperatorCall::Slot& slot : mine_[i].slots) {
      const OperatorCall::Slot* other = theirs_[*partners_[i]].find(slot.tensor.slot);
      is_unclear = is_unclear || other == nullptr;
      if (other == nullptr || other->row->digest == slot.row->digest)
        continue;
      if (other->shape != slot.shape) {
        is_unclear = true;
        return std::nullopt;
      }
      return at(mine_[i], theirs_[*partners_[i]], slot, *other);
    }
  }
  return std::nullopt;
}

std::optional<FirstBadOperator> PairedCalls::one_sided_source(const measure::Digest& mine,
                                                              const measure::Digest& theirs) const {
  for (size_t i = 0; i < end_; ++i)
    if (!partners_[i] && computes(mine_[i], mine))
      return only_one_runs(mine_[i], true);
  for (size_t j = 0; j < their_end_; ++j)
    if (!is_paired_[j] && computes(theirs_[j], theirs))
      return only_one_runs(theirs_[j], false);
  return std::nullopt;
}

FirstBadOperator PairedCalls::at(const OperatorCall& call, const OperatorCall& partner,
                                 const OperatorCall::Slot& slot, const OperatorCall::Slot& other) const {
  for (const OperatorCall::Slot& number : call.slots) {  // says more than a tensor does
    const OperatorCall::Slot* theirs = partner.find(number.tensor.slot);
    if (number.tensor.is_output() || !number.is_number || theirs == nullptr ||
        theirs->row->digest == number.row->digest)
      continue;
    FirstBadOperator guilty = guilty_of(number.tensor, number.key);
    guilty.numbers = fmt::format("{} against {}", number.row->norm, theirs->row->norm);
    return guilty;
  }
  if (slot.tensor.is_output())
    if (auto given = argument_of_one(call, partner, slot))
      return *given;
  FirstBadOperator guilty = guilty_of(slot.tensor, slot.key);
  guilty.decides = is_decision(expected_, slot.key);
  if (guilty.kind == FirstBadOperator::Kind::reads)
    return one_sided_source(slot.row->digest, other.row->digest).value_or(guilty);
  return guilty;
}

/// Returns the operator that the second side runs in place of a call without partner: the first of its
/// module without partner between those of the calls around it. "" if it runs none.
std::string PairedCalls::in_its_place(size_t i) const {
  const auto is_of_module = [&](const OperatorCall& call) {
    return call.phase() == mine_[i].phase() && call.module() == mine_[i].module();
  };
  size_t begin = 0, end = theirs_.size();
  for (size_t before = i; before-- > 0 && begin == 0;)
    if (partners_[before] && is_of_module(mine_[before]))
      begin = *partners_[before] + 1;
  for (size_t after = i + 1; after < mine_.size() && end == theirs_.size(); ++after)
    if (partners_[after] && is_of_module(mine_[after]))
      end = *partners_[after];
  for (size_t j = begin; j < end; ++j)
    if (!is_paired_[j] && is_of_module(theirs_[j]))
      return theirs_[j].op();
  return "";
}

}  // namespace parity::bisect
