// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/write/fault_injector.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/text/glob.hpp"
#include "harness/trace/write/fault_values.hpp"

namespace parity::trace {
namespace {

[[noreturn]] void refuse_injection(const Fault& fault, const std::string& why,
                                   const std::string& what_to_do) {
  throw UserError(fmt::format("cannot apply fault '{}' ({}); {}", fault.text(), why, what_to_do));
}

Json place_of(int64_t step, Phase phase, const std::string& name, const FaultEffect& effect) {
  Json place = {{"step", step}, {"phase", name_of(phase)}, {"name", name}};
  if (effect.element)
    place["element"] = *effect.element;
  if (effect.row)
    place["row"] = *effect.row;
  return place;
}

}  // namespace

FaultInjector::FaultInjector(const std::vector<Fault>& faults, int64_t rank, int64_t ranks)
    : rank_(rank), ranks_(ranks) {
  for (const Fault& fault : faults) {
    if (fault.rank && *fault.rank >= ranks)
      refuse_injection(fault,
                       fmt::format("the run has {} rank{}, counted from 0", ranks, ranks == 1 ? "" : "s"),
                       "name one of them");
    reports_.push_back({fault, 0, 0, 0, nullptr});
  }
}

bool FaultInjector::is_needed_later(int64_t step, Phase phase, std::string_view name) const {
  return std::any_of(reports_.begin(), reports_.end(), [&](const FaultReport& report) {
    const Fault& fault = report.fault;
    if (!is_mine(fault))
      return false;
    if (fault.kind == FaultKind::stale)
      return fault.covers(step + 1, phase, name);
    return fault.kind == FaultKind::dropped_reduction && phase == Phase::grad_local &&
           fault.covers(step, Phase::grad, name);
  });
}

bool FaultInjector::wants(int64_t step, Phase phase, std::string_view name) const {
  return is_needed_later(step, phase, name) ||
         std::any_of(reports_.begin(), reports_.end(), [&](const FaultReport& report) {
           return is_mine(report.fault) && report.fault.covers(step, phase, name);
         });
}

const std::vector<std::byte>* FaultInjector::values_before(const Fault& fault, int64_t step,
                                                           const std::string& name,
                                                           const TensorView& view) const {
  const bool is_stale = fault.kind == FaultKind::stale;
  const auto found = kept_.find({is_stale ? fault.phase : Phase::grad_local, name});
  const bool is_there = found != kept_.end() && found->second.step == (is_stale ? step - 1 : step);
  if (is_stale && !is_there) {
    if (fault.steps.empty())
      return nullptr;  // first step with this tensor
    refuse_injection(fault, fmt::format("{} was not offered at step {}", name, step - 1),
                     "name a later step");
  }
  if (!is_there)
    refuse_injection(
        fault,
        fmt::format("the trainer offers no {} in phase grad_local: it has one rank, or its ranks have no "
                    "local gradients",
                    name),
        "choose an arm with data-parallel ranks");
  if (found->second.bytes.size() != view.bytes())
    refuse_injection(fault, fmt::format("{} changes size in the reduction, because it is sharded", name),
                     "choose an arm whose ranks hold whole gradients");
  return &found->second.bytes;
}

void FaultInjector::apply(FaultReport& report, int64_t step, const std::string& name, const TensorView& view,
                          void* writable, const TensorLayout& layout) {
  const Fault& fault = report.fault;
  if (!writable)
    refuse_injection(
        fault, fmt::format("the trainer offers {} as read-only, so a change would not affect training", name),
        "name another tensor or phase");
  std::span<const std::byte> before;
  if (fault.kind == FaultKind::stale || fault.kind == FaultKind::dropped_reduction) {
    const auto* values = values_before(fault, step, name, view);
    if (values == nullptr)
      return;
    before = *values;
  }
  const FaultEffect effect = change_values(fault, name, view, writable, layout, before);
  ++report.tensors;
  report.elements += effect.elements;
  report.changed += effect.changed;
  if (report.first.is_null() && effect.elements > 0)
    report.first = place_of(step, fault.phase, name, effect);
}

void FaultInjector::offer(int64_t step, Phase phase, const std::string& name, const TensorView& view,
                          void* writable, const TensorLayout& layout) {
  offered_[phase].insert(name);
  for (size_t i = 0; i < reports_.size(); ++i) {
    const Fault& fault = reports_[i].fault;
    if (!is_mine(fault) || !fault.covers(step, phase, name))
      continue;
    apply(reports_[i], step, name, view, writable, layout);
    met_.insert(i);
  }
  if (!is_needed_later(step, phase, name))
    return;
  const auto* bytes = static_cast<const std::byte*>(view.data);
  kept_[{phase, name}] = {step, {bytes, bytes + view.bytes()}};
}

void FaultInjector::refuse_unmet(const Fault& fault, const std::string& where) const {
  const auto found = offered_.find(fault.phase);
  if (found == offered_.end())
    refuse_injection(fault,
                     fmt::format("the trainer offers no tensor in phase {} {}", name_of(fault.phase), where),
                     "choose another phase or step");
  const std::vector<std::string> names(found->second.begin(), found->second.end());
  refuse_injection(fault, fmt::format("it matches no tensor {}{}", where, suggestion(fault.name, names)),
                   "name one that is offered");
}

void FaultInjector::end_step(int64_t step) {
  for (size_t i = 0; i < reports_.size(); ++i) {
    const Fault& fault = reports_[i].fault;
    if (must_meet(fault) && !fault.steps.empty() && fault.at_step(step) && !met_.contains(i))
      refuse_unmet(fault, fmt::format("at step {}", step));
  }
  met_.clear();
  offered_.clear();
  std::erase_if(kept_, [step](const auto& entry) { return entry.second.step < step; });
}

void FaultInjector::finish() const {
  for (const FaultReport& report : reports_)
    if (must_meet(report.fault) && report.fault.steps.empty() && report.tensors == 0)
      refuse_injection(report.fault, "it matches no tensor of the run", "name one that is offered");
}

}  // namespace parity::trace
