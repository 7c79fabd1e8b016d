// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/traces/first_bad_operator.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "harness/bisect/traces/operator_calls.hpp"
#include "harness/compare/sides/residues.hpp"
#include "harness/compare/traces/collectives.hpp"
#include "harness/trace/format/operator_tensor.hpp"

namespace parity::bisect {
namespace {

/// Returns the module of a tensor; for a weight, the module that has it.
std::string module_of(const trace::TensorKey& key) {
  std::string name = key.name;
  if (key.phase == trace::Phase::optim)
    name = name.substr(name.find('/') + 1);
  constexpr std::string_view weight = ".weight";
  if (name.ends_with(weight))
    name.resize(name.size() - weight.size());
  return name;
}

void add_with_those_around(std::set<std::string>& modules, std::string module) {
  while (true) {
    modules.insert(module);
    const size_t dot = module.rfind('.');
    if (dot == std::string::npos)
      return;
    module.resize(dot);
  }
}

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
  const std::string own = module_of(first);
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

/// The calls of a step on one rank of both sides, and which belongs to which.
class PairedCalls {
 public:
  PairedCalls(const trace::Trace& expected, const trace::Trace& actual, const trace::TensorKey& end,
              int64_t rank)
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

  bool is_empty() const { return end_ == 0; }
  bool is_one_sided() const {
    return std::any_of(partners_.begin(), partners_.begin() + static_cast<ptrdiff_t>(end_),
                       [](const auto& partner) { return !partner; }) ||
           std::any_of(is_paired_.begin(), is_paired_.begin() + static_cast<ptrdiff_t>(their_end_),
                       [](bool is_paired) { return !is_paired; });
  }

  /// Returns the first call before the tensor that differs.
  std::optional<FirstBadOperator> find(const trace::TensorKey& first, bool& is_unclear) const {
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

  /// Returns the call that only one side runs and that computed a tensor whose digests these are.
  std::optional<FirstBadOperator> one_sided_source(const measure::Digest& mine,
                                                   const measure::Digest& theirs) const {
    for (size_t i = 0; i < end_; ++i)
      if (!partners_[i] && computes(mine_[i], mine))
        return only_one_runs(mine_[i], true);
    for (size_t j = 0; j < their_end_; ++j)
      if (!is_paired_[j] && computes(theirs_[j], theirs))
        return only_one_runs(theirs_[j], false);
    return std::nullopt;
  }

 private:
  /// Returns the number of calls before a tensor. All earlier phases', if the rank did not record it.
  static size_t calls_before(const std::vector<OperatorCall>& calls, const trace::RankRow* end,
                             trace::Phase phase) {
    return static_cast<size_t>(std::ranges::count_if(calls, [&](const OperatorCall& call) {
      return call.phase() < phase || (call.phase() == phase && end != nullptr && call.order() < end->order);
    }));
  }

  static bool computes(const OperatorCall& call, const measure::Digest& digest) {
    return std::ranges::any_of(call.slots, [&](const OperatorCall::Slot& slot) {
      return slot.tensor.is_output() && slot.row->digest == digest;
    });
  }

  static FirstBadOperator only_one_runs(const OperatorCall& call, bool is_first_side) {
    FirstBadOperator guilty = guilty_of(call.slots.front().tensor, call.slots.front().key);
    guilty.kind = FirstBadOperator::Kind::others;
    guilty.op = is_first_side ? call.op() : FirstBadOperator::no_operator;
    guilty.other_op = is_first_side ? FirstBadOperator::no_operator : call.op();
    return guilty;
  }

  FirstBadOperator at(const OperatorCall& call, const OperatorCall& partner, const OperatorCall::Slot& slot,
                      const OperatorCall::Slot& other) const {
    for (const OperatorCall::Slot& number : call.slots) {  // says more than a tensor does
      const OperatorCall::Slot* theirs = partner.find(number.tensor.slot);
      if (number.tensor.is_output() || !number.is_number || theirs == nullptr ||
          theirs->row->digest == number.row->digest)
        continue;
      FirstBadOperator guilty = guilty_of(number.tensor, number.key);
      guilty.numbers = fmt::format("{} against {}", number.row->norm, theirs->row->norm);
      return guilty;
    }
    FirstBadOperator guilty = guilty_of(slot.tensor, slot.key);
    guilty.decides = is_decision(expected_, slot.key);
    if (guilty.kind == FirstBadOperator::Kind::reads)
      return one_sided_source(slot.row->digest, other.row->digest).value_or(guilty);
    return guilty;
  }

  /// Returns the operator that the second side runs in place of a call without partner: the first of its
  /// module without partner between those of the calls around it. "" if it runs none.
  std::string in_its_place(size_t i) const {
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

  const trace::Trace& expected_;
  std::vector<OperatorCall> mine_, theirs_;
  std::vector<std::optional<size_t>> partners_;
  std::vector<bool> is_paired_;
  size_t end_ = 0, their_end_ = 0;
};

}  // namespace

std::optional<trace::CaptureRule> operators_to_watch(const trace::TensorKey& first,
                                                     const std::optional<trace::TensorKey>& last_equal) {
  if (first.step == 0 || first.phase == trace::Phase::input)
    return std::nullopt;
  std::set<std::string> modules = {"data", "loss", "reduction", "clip", "optimizer"};
  add_with_those_around(modules, module_of(first));
  if (last_equal)
    add_with_those_around(modules, module_of(*last_equal));
  trace::CaptureRule rule;
  rule.steps = {first.step};
  rule.names.assign(modules.begin(), modules.end());
  return rule;
}

std::optional<FirstBadOperator> find_first_bad_operator(const trace::Trace& expected,
                                                        const trace::Trace& actual,
                                                        const trace::TensorKey& first, int64_t rank) {
  const PairedCalls calls(expected, actual, first, rank);
  if (calls.is_empty())
    return std::nullopt;
  bool is_unclear = false;
  if (auto found = calls.find(first, is_unclear))
    return found;
  const trace::RankRow *mine = rank_row_of(expected, first, rank), *theirs = rank_row_of(actual, first, rank);
  if (mine != nullptr && theirs != nullptr)
    if (auto found = calls.one_sided_source(mine->digest, theirs->digest))
      return found;
  if (is_unclear || calls.is_one_sided())
    return std::nullopt;
  FirstBadOperator guilty;
  guilty.kind = FirstBadOperator::Kind::written;
  guilty.module = module_of(first);
  return guilty;
}

std::string FirstBadOperator::text() const {
  const std::string where = key && key->phase == trace::Phase::backward ? " in backward" : "";
  switch (kind) {
    case Kind::computes:
      if (decides)
        return fmt::format(
            "{} of {}{} decides otherwise about numbers with equal residues, because their values "
            "round differently",
            op, module, where);
      if (module == compare::collective_module)
        return fmt::format("{}{} gives this rank other bytes for the bytes that it put in", op, where);
      return fmt::format("{} of {}{} gives a different result from the same inputs", op, module, where);
    case Kind::reads:
      return fmt::format("{} of {}{} receives a different {}{}", op, module, where, slot,
                         numbers.empty() ? ", which no earlier operator computed" : ": " + numbers);
    case Kind::written:
      return "no operator computes it differently: it was changed after it was computed";
    case Kind::others:
      if (op == no_operator || other_op == no_operator)
        return fmt::format("only the {} side runs {} of {}{}", op == no_operator ? "second" : "first",
                           op == no_operator ? other_op : op, module, where);
      return fmt::format("the sides run different operators from here: {} of {}{} against {}", op, module,
                         where, other_op);
  }
  return "";
}

Json FirstBadOperator::to_json() const {
  constexpr std::array<const char*, 4> kinds = {"computes", "reads", "written", "others"};
  return {{"kind", kinds.at(static_cast<size_t>(kind))},
          {"module", module},
          {"op", op},
          {"slot", slot},
          {"other_op", other_op},
          {"numbers", numbers},
          {"tensor", key ? Json(key->name) : Json()}};
}

}  // namespace parity::bisect
