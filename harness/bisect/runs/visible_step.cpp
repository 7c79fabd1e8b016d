// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/runs/visible_step.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/bisect/traces/curve_json.hpp"
#include "harness/bisect/traces/first_step.hpp"

namespace parity::bisect {
namespace {

bool share_a_channel(const trace::Trace& a, const trace::Trace& b) {
  return std::ranges::any_of(a.channels(), [&](const auto& entry) {
    return entry.second.kind != trace::ChannelKind::timing && b.channels().contains(entry.first);
  });
}

/// Returns the error of sides whose records share nothing that could be compared.
UserError nothing_in_common(const Sides& sides, int64_t last) {
  return UserError(fmt::format(
      "cannot compare {} and {} (they recorded no channel and no parameter in common); record the "
      "same channels on both sides, at least loss, and the parameters after update {}",
      sides.expected, sides.actual, last));
}

void print_curve(RunProbe& probe, const SideTraces& whole, const std::vector<ChannelStation>& first) {
  const ChannelStation& one = channel_to_name(first);
  probe.report("curve",
               fmt::format("{} is the first channel that differs{}, at step {} of {}: {} against {}{}",
                           one.channel, probe.describe_excess(), one.step, probe.runs().steps(), one.expected,
                           one.actual, describe_others(first, one)),
               probe.compare_command(whole, fmt::format(" --step {}", one.step)),
               curve_json(whole.expected_trace(), whole.actual_trace()));
}

/// Records that the sides agree up to the step at which one of them ended, early or by its program.
/// \throws UserError if neither failed and they recorded no channel in common
void print_end(RunProbe& probe, const SideTraces& whole) {
  const Sides& sides = probe.sides();
  const int64_t a = whole.expected_trace().last_step(), b = whole.actual_trace().last_step();
  const bool is_of_actual = b < a || whole.failed_expected.empty();
  const std::string& failure = is_of_actual ? whole.failed_actual : whole.failed_expected;
  const std::string ends =
      a == b ? fmt::format("both sides end after update {}", a)
             : fmt::format("{} ends after update {}, {} after update {}", sides.expected, a, sides.actual, b);
  const bool shares = share_a_channel(whole.expected_trace(), whole.actual_trace());
  if (!shares && failure.empty())
    throw nothing_in_common(sides, std::max(a, b));
  probe.record.sentence =
      fmt::format("{}, and {}{}", ends,
                  !shares ? "they recorded no channel in common"
                          : fmt::format("no channel differs{} until then", probe.describe_excess()),
                  failure.empty() ? "" : ": " + failure);
  probe.record.differs = a != b || whole.failed_expected.empty() != whole.failed_actual.empty();
  if (shares)
    probe.report("curve", fmt::format("no channel differs{} up to update {}", probe.describe_excess(),
                                      std::min(a, b)));
}

bool holds_parameters(const trace::Trace& trace, int64_t step) {
  return std::ranges::any_of(trace.rank_rows(), [step](const auto& entry) {
    return entry.first.step == step && entry.first.phase == trace::Phase::param;
  });
}

/// Notes replicas that differ among the ranks of a side. The sides may agree with each other all the same.
void note_splits(RunProbe& probe, const SideTraces& traces) {
  for (const auto& [name, trace] : {std::pair(&probe.sides().expected, &traces.expected_trace()),
                                    {&probe.sides().actual, &traces.actual_trace()}})
    if (!trace->replica_differences().empty()) {
      const trace::ReplicaDifference& first = trace->replica_differences().front();
      probe.note(fmt::format(
          "ranks {} and {} of {} differ from each other, first in {}{} at step {}", first.rank, first.other,
          *name, first.phase ? std::string(name_of(*first.phase)) + " " : "", first.name, first.step));
    }
}

/// Records that nothing differs of what both sides recorded.
/// \throws UserError if they recorded nothing in common
void print_agreement(RunProbe& probe, const SideTraces& ends, int64_t last) {
  const trace::Trace &a = ends.expected_trace(), &b = ends.actual_trace();
  const bool channels = share_a_channel(a, b),
             parameters = holds_parameters(a, last) && holds_parameters(b, last);
  if (!channels && !parameters)
    throw nothing_in_common(probe.sides(), last);
  probe.record.differs = false;
  note_splits(probe, ends);
  const std::string words = parameters ? ", and no parameter after the last update" : "";
  probe.report("curve", fmt::format("no channel differs{}{}", probe.describe_excess(), words));
  if (!parameters)
    probe.note(
        fmt::format("no parameters were recorded after update {}, so they were not compared; record phase "
                    "param there on both sides",
                    last));
  probe.record.sentence = fmt::format(
      "{} and {} do not differ: {} bitwise identical", probe.sides().expected, probe.sides().actual,
      parameters ? fmt::format("every channel and the parameters after update {} are", last)
                 : "every channel is");
}

/// Returns a tensor that only one of two runs recorded.
std::optional<trace::TensorKey> tensor_alone(const trace::Trace& one, const trace::Trace& other) {
  for (const auto& [key, rows] : one.rank_rows())
    if (!other.rank_rows().contains(key))
      return key;
  return std::nullopt;
}

/// Finds whether exact twins have different residues after an update. Their channels do not count.
/// \param values  the run whose checkpoint the last update begins from; null: all updates are searched
std::optional<int64_t> find_other_residues(RunProbe& probe, const SideTraces* values) {
  const int64_t last = probe.runs().steps();
  const std::string updates = values ? fmt::format("update {}", last) : fmt::format("updates 1 to {}", last);
  trace::Capture state;
  state.sketches.push_back({{}, {trace::Phase::grad, trace::Phase::param, trace::Phase::optim}, {}});
  SideRuns::Span span = {.stop_after = last};
  if (values) {
    span.from = values;
    span.start_step = last - 1;
  }
  const SideTraces twins = probe.run("residues", span, state);
  const trace::Trace &a = twins.expected_trace(), &b = twins.actual_trace();
  if (!holds_parameters(a, last) || !holds_parameters(b, last))
    throw UserError(fmt::format("cannot compare {} and {} (no parameter was recorded after update {})",
                                probe.sides().expected, probe.sides().actual, last));
  for (const auto& [one, other, name] :
       {std::tuple(&a, &b, &probe.sides().expected), {&b, &a, &probe.sides().actual}})
    if (const auto alone = tensor_alone(*one, *other))
      throw UserError(
          fmt::format("cannot compare the residues of {} and {} (only {} has {} {} at step {}); compare arms "
                      "whose tensors have "
                      "equal names",
                      probe.sides().expected, probe.sides().actual, *name, name_of(alone->phase), alone->name,
                      alone->step));
  std::optional<int64_t> first;
  for (const trace::Phase phase : {trace::Phase::grad, trace::Phase::optim, trace::Phase::param})
    if (const auto step = first_step_of(a, b, phase, 0); step && (!first || *step < *first))
      first = step;
  if (!first) {
    probe.record.differs = false;
    probe.report("residues", fmt::format("no residue differs in {}", updates));
    probe.record.sentence = fmt::format(
        "{} and {} compute the same function in {}: every gradient, moment and parameter has equal residues",
        probe.sides().expected, probe.sides().actual, updates);
    return std::nullopt;
  }
  probe.report("residues", fmt::format("residues differ from update {} on", std::max<int64_t>(*first, 1)),
               probe.compare_command(twins, fmt::format(" --step {}", *first)));
  return std::max<int64_t>(*first, 1);
}

}  // namespace

std::optional<int64_t> find_visible_step(RunProbe& probe, const SideTraces* values) {
  if (probe.runs().are_exact())
    return find_other_residues(probe, values);
  const SideTraces whole = probe.run_as_far_as_possible("whole");
  const trace::Trace &a = whole.expected_trace(), &b = whole.actual_trace();
  const std::vector<ChannelStation> first = first_channels(a, b, probe.beyond());
  const std::optional<SplitChannel> split = first_split_channel(a, b);
  if (split && (first.empty() || split->step < first.front().step)) {
    probe.report("curve", split->text(probe.sides().expected, probe.sides().actual),
                 probe.compare_command(whole, fmt::format(" --step {}", split->step)), curve_json(a, b));
    return split->step;
  }
  if (!first.empty()) {
    print_curve(probe, whole, first);
    return first.front().step;
  }
  for (const std::string& channel : lone_channels(a, b))
    probe.note("only one side recorded " + channel);
  if (!whole.failed_expected.empty() || !whole.failed_actual.empty() || a.last_step() != b.last_step()) {
    print_end(probe, whole);
    return std::nullopt;
  }
  // The curves agree, but a weight that no batch has used, or state that no update has read, may still
  // differ.
  const int64_t last = probe.runs().steps();
  trace::Capture state;
  state.sketches.push_back({{last}, {trace::Phase::param, trace::Phase::optim}, {}});
  const SideTraces ends = probe.run("ends", {}, state);
  for (const auto& [phase, what] :
       {std::pair(trace::Phase::param, "parameters"), {trace::Phase::optim, "optimizer's tensors"}})
    if (first_step_of(ends.expected_trace(), ends.actual_trace(), phase, probe.beyond())) {
      probe.report("curve", fmt::format("no channel differs, but the {} after the last update do", what),
                   probe.compare_command(ends, fmt::format(" --phase {}", name_of(phase))));
      return last;
    }
  print_agreement(probe, ends, last);
  return std::nullopt;
}

}  // namespace parity::bisect
