// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/sides/asked.hpp"

#include <algorithm>

#include "harness/compare/sides/quantity.hpp"
#include "harness/compare/sides/residues.hpp"
#include "harness/compare/sides/window.hpp"
#include "harness/laws/laws.hpp"

namespace parity::compare {
namespace {

/// One role of a relation: a side, and the offset of its steps from those of the window.
struct Role {
  const Side& side;
  int64_t shift = 0;
};

std::vector<Role> roles_of(const Check& check, const std::vector<Side>& sides) {
  std::vector<Role> roles;
  switch (check.relation) {
    case Relation::unchanged:
      return {{sides.at(0), -1}, {sides.at(0), 0}};
    case Relation::lagged:
      return {{sides.at(0), 0}, {sides.at(1), check.lag}};
    case Relation::identical:
    case Relation::equivalent:
    case Relation::distinct:
    case Relation::trained:
    case Relation::bounded:
    case Relation::no_farther:
    case Relation::lawful:
    case Relation::accurate:
    case Relation::invariant:
    case Relation::repeats:
    case Relation::same_function:
    case Relation::other_function:
      break;
  }
  for (const Side& side : sides)
    roles.push_back({side});
  return roles;
}

/// Returns the steps at which every role is inside the run. The initial state, step 0, has tensors only.
ResolvedWindow inside_the_run(const Check& check, const std::vector<Role>& roles, const ResolvedWindow& run) {
  ResolvedWindow inside = {check.of_tensors() ? 0 : run.first, run.last};
  for (const Role& role : roles)
    if (role.shift != 0) {
      inside.first = std::max(inside.first, (check.of_tensors() ? 0 : run.first) - role.shift);
      inside.last = std::min(inside.last, run.last - role.shift);
    }
  return inside;
}

/// Returns the names of tensors that match the check, with the steps at which any side recorded one in any
/// role.
Covered recorded_tensors(const Check& check, const std::vector<Role>& roles) {
  Covered recorded;
  for (const Role& role : roles)
    for (const trace::TensorKey& key : tensor_keys(*role.side.trace))
      if (is_about(check, key))
        recorded[quantity_of(key)].add(key.step - role.shift);
  return recorded;
}

Covered tensors_found(const Covered& asked, const Check& check, const trace::Trace& trace) {
  Covered all;
  for (const trace::TensorKey& key : tensor_keys(trace))
    if (key.phase == check.phase)
      all[quantity_of(key)].add(key.step);
  Covered found;
  for (const auto& [quantity, steps] : asked)
    if (const auto place = all.find(quantity); place != all.end())
      found[quantity] = steps.common(place->second);
  return found;
}

StepSet moved(const StepSet& steps, int64_t shift) {
  StepSet moved;
  for (const auto& [first, last] : steps.ranges())
    moved.add(first + shift, last + shift);
  return moved;
}

/// Returns the quantities of a check with the steps of its window, before any lag.
Covered asked_in_window(const Check& check, const std::vector<Side>& sides, const std::vector<Role>& roles) {
  const ResolvedWindow window = resolve(check.steps, sides);
  const ResolvedWindow inside = inside_the_run(check, roles, updates_of(sides));
  StepSet wanted, steps = asked_updates(sides);
  wanted.add(std::max(window.first, inside.first), std::min(window.last, inside.last));
  if (check.of_tensors())
    steps.add(0);
  steps = steps.common(wanted);
  Covered asked;
  if (!check.of_tensors()) {
    const std::vector<std::string> loss = {"loss"};
    for (const std::string& name : match_channels(check.channels.empty() ? loss : check.channels, sides))
      asked[name] = steps;
    return asked;
  }
  const bool named = check.steps.kind == StepWindow::Kind::range;
  const bool planned = std::ranges::all_of(sides, [](const Side& each) { return each.updates.known(); });
  for (const auto& [quantity, recorded] : recorded_tensors(check, roles)) {
    const StepSet here = planned || named ? steps : steps.common(recorded);
    if (!here.empty())
      asked[quantity] = here;
  }
  return asked;
}

/// Returns what a check of laws asks. A law that the check names must have what it reads at each update of
/// the window. Without names, the run must have each update that it was started for.
CoveredSide asked_laws(const Check& check, const Side& side) {
  CoveredSide asked;
  asked.name = side.name;
  asked.ranks_asked = side.ranks;
  asked.ranks_found = ranks_of(*side.trace);
  const StepSet wanted = steps_of_laws(check, side);
  const std::vector<std::string> names = check.named_laws();
  if (names.empty()) {
    asked.asked[all_laws_together] = wanted;
    asked.found[all_laws_together] = wanted.common(StepSet(side.trace->steps()));
  }
  for (const std::string& name : names) {
    asked.asked[quantity_of_law(name)] = wanted;
    asked.found[quantity_of_law(name)] =
        wanted.common(StepSet(updates_with_tensors(laws::law_of(name), *side.trace)));
  }
  return asked;
}

/// Returns what a check of repetitions asks of one run: every channel at every update that the run was
/// started for, and every tensor that any of the runs recorded.
CoveredSide asked_run(const std::vector<Side>& sides, const Side& side) {
  CoveredSide asked;
  asked.name = side.name;
  asked.ranks_asked = side.ranks;
  asked.ranks_found = ranks_of(*side.trace);
  const StepSet updates = asked_updates(sides);
  for (const Side& each : sides) {
    for (const auto& [name, channel] : each.trace->channels())
      if (channel.kind == trace::ChannelKind::numeric)
        asked.asked[quantity_of_channel(name)] = updates;
    for (const trace::TensorKey& key : tensor_keys(*each.trace))
      asked.asked[quantity_of(key)].add(key.step);
  }
  const StepSet there(side.trace->steps());
  for (const auto& [name, channel] : side.trace->channels())
    if (channel.kind == trace::ChannelKind::numeric)
      asked.found[quantity_of_channel(name)] = updates.common(there);
  for (const trace::TensorKey& key : tensor_keys(*side.trace))
    asked.found[quantity_of(key)].add(key.step);
  return asked;
}

/// Returns what a check of exact twins asks of one twin: at each update of the window, every tensor that
/// either recorded at any of them.
CoveredSide asked_residues(const Check& check, const std::vector<Side>& sides, const Side& side) {
  CoveredSide asked;
  asked.name = side.name;
  asked.ranks_asked = side.ranks;
  asked.ranks_found = ranks_of(*side.trace);
  StepSet updates;
  for (const int64_t step : steps_in(resolve(check.steps, sides), sides))
    updates.add(step);
  for (const Side& each : sides)
    for (const trace::TensorKey& key : residue_keys(check, sides, *each.trace))
      asked.asked[quantity_of(key)] = updates;
  for (const trace::TensorKey& key : residue_keys(check, sides, *side.trace))
    asked.found[quantity_of(key)].add(key.step);
  return asked;
}

}  // namespace

int64_t ranks_of(const trace::Trace& trace) {
  return std::max(trace.ranks(), trace.joined_ranks());
}

Covered channels_found(const Covered& asked, const std::map<std::string, trace::Channel>& channels,
                       const std::vector<int64_t>& steps) {
  const StepSet there(steps);
  Covered found;
  for (const auto& [name, wanted] : asked)
    if (channels.contains(name))
      found[name] = wanted.common(there);
  return found;
}

StepSet steps_of_laws(const Check& check, const Side& side) {
  const ResolvedWindow window = resolve(check.steps, {side});
  StepSet wanted;
  wanted.add(window.first, window.last);
  return wanted.common(asked_updates({side}));
}

std::vector<CoveredSide> asked_of(const Check& check, const std::vector<Side>& sides) {
  if (check.relation == Relation::lawful)
    return {asked_laws(check, sides.at(0))};
  if (check.relation == Relation::repeats || check.of_exact_twins()) {
    std::vector<CoveredSide> asked;
    for (const Side& side : sides)
      asked.push_back(check.of_exact_twins() ? asked_residues(check, sides, side) : asked_run(sides, side));
    return asked;
  }
  const std::vector<Role> roles = roles_of(check, sides);
  const Covered window = asked_in_window(check, sides, roles);
  std::vector<CoveredSide> asked;
  for (const Role& role : roles) {
    const trace::Trace& trace = *role.side.trace;
    CoveredSide& side = asked.emplace_back();
    side.name = role.side.name;
    side.ranks_asked = role.side.ranks;
    side.ranks_found = ranks_of(trace);
    for (const auto& [quantity, steps] : window)
      side.asked[quantity] = moved(steps, role.shift);
    side.found = check.of_tensors() ? tensors_found(side.asked, check, trace)
                                    : channels_found(side.asked, trace.channels(), trace.steps());
  }
  return asked;
}

}  // namespace parity::compare
