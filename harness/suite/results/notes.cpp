// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/results/notes.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/compare/text/wording.hpp"
#include "harness/suite/results/pictures/curves.hpp"

namespace parity::suite {
namespace {

/// Returns the updates with lr 0 that changed no parameter.
std::vector<int64_t> wasted_updates(const trace::Trace* trace) {
  const StepValues rates = step_values(trace, "lr");
  const StepValues moves = step_values(trace, "update_norm");
  std::vector<int64_t> wasted;
  for (const auto& [step, rate] : rates)
    if (const auto move = moves.find(step); rate == 0 && move != moves.end() && move->second == 0)
      wasted.push_back(step);
  return wasted;
}

std::string describe_wasted_updates(const std::vector<int64_t>& updates) {
  if (updates.size() == 1)
    return fmt::format("update {} has lr 0 and leaves every parameter unchanged: a wasted step",
                       updates.front());
  return fmt::format(
      "{} updates (first {}, last {}) have lr 0 and leave every parameter unchanged: wasted steps",
      updates.size(), updates.front(), updates.back());
}

/// Returns "updates with lr 0, of 10: titan 0, deepspeed 2" if any arm has such an update and there are
/// several arms.
std::vector<std::string> zero_rates(const Case& source, const Evidence& evidence) {
  std::string counts;
  int64_t arms = 0, zeros = 0, longest = 0;
  for (const Arm& arm : source.arms) {
    const StepValues rates = step_values(evidence.trace(arm.name), "lr");
    if (rates.empty())
      continue;
    const auto found =
        std::count_if(rates.begin(), rates.end(), [](const auto& at) { return at.second == 0; });
    counts += fmt::format("{} {} {}", arms == 0 ? "" : ",", arm.name, found);
    ++arms;
    zeros += found;
    longest = std::max(longest, rates.rbegin()->first);
  }
  if (arms < 2 || zeros == 0)
    return {};
  return {fmt::format("updates with lr 0, of {}:{}", longest, counts)};
}

/// Collects notes; arms with the same note share it: "flex, varlen: ...".
class SharedNotes {
 public:
  void add(const std::string& note, const std::string& arm) {
    const auto same =
        std::find_if(notes_.begin(), notes_.end(), [&](const Note& each) { return each.text == note; });
    if (same == notes_.end())
      notes_.push_back({note, {arm}});
    else
      same->arms.push_back(arm);
  }

  std::vector<std::string> sentences() const {
    std::vector<std::string> all;
    for (const auto& [text, arms] : notes_)
      all.push_back(fmt::format("{}: {}", fmt::join(arms, ", "), text));
    return all;
  }

 private:
  struct Note {
    std::string text;
    std::vector<std::string> arms;
  };
  std::vector<Note> notes_;
};

/// Returns the `warnings` of the provenance. Ignores any other form, which is from a foreign trainer.
std::vector<std::string> warnings_of(const trace::Trace* trace) {
  std::vector<std::string> warnings;
  const Json found = trace ? trace->provenance().value("warnings", Json()) : Json();
  if (found.is_array())
    std::copy_if(found.begin(), found.end(), std::back_inserter(warnings),
                 [](const Json& warning) { return warning.is_string(); });
  return warnings;
}

/// Returns "layers.0 (1 x 40 elements)" for "layers.0: 1 x 40 elements: ...".
std::string describe_buffer(const std::string& line) {
  const size_t name = line.find(": "), layout = line.find(": ", std::min(name, line.size() - 1) + 1);
  if (name == std::string::npos || layout == std::string::npos)
    return line;
  return fmt::format("{} ({})", line.substr(0, name), line.substr(name + 2, layout - name - 2));
}

/// Returns the flat buffers in which gradients are reduced; "" if each parameter has its own.
std::string buffers_of(const trace::Trace& trace) {
  constexpr size_t most = 6;
  std::vector<std::string> buffers;
  const Json found = trace.provenance().value("reduction_buffers", Json());
  if (found.is_array())
    for (const Json& line : found)
      if (line.is_string() && !line.get<std::string>().empty())
        buffers.push_back(describe_buffer(line));
  if (buffers.empty())
    return "";
  const std::string count = compare::count_text(buffers.size(), "flat buffer");
  if (buffers.size() > most) {
    const std::string rest = fmt::format("{} more", buffers.size() - most + 1);
    buffers.resize(most - 1);
    buffers.push_back(rest);
  }
  return count + ", of " + compare::list_text(buffers);
}

/// Returns a note for each fault of a run: "defect put into it: scale by 1e-06 of grad x at step 3 (64
/// elements changed)".
std::vector<std::string> faults_of(const trace::Trace* trace) {
  std::vector<std::string> words;
  if (trace)
    for (const trace::FaultReport& report : trace->faults())
      words.push_back(fmt::format("defect put into it: {} ({} changed)", report.fault.text(),
                                  compare::count_text(static_cast<size_t>(report.changed), "element")));
  return words;
}

/// Returns the reduction buffers of arms that have equal numbers of ranks but different buffers. The order of
/// a sum over more than two ranks depends on them.
std::vector<std::string> reduction_buffers(const Case& source, const Evidence& evidence) {
  std::map<int64_t, std::set<std::string>> by_ranks;
  const auto each_arm = [&](const auto& visit) {
    for (const Arm& arm : source.arms)
      if (const trace::Trace* trace = evidence.trace(arm.name); trace && trace->ranks() > 1)
        visit(arm.name, *trace);
  };
  each_arm([&](const std::string&, const trace::Trace& trace) {
    by_ranks[trace.ranks()].insert(buffers_of(trace));
  });
  SharedNotes notes;
  each_arm([&](const std::string& arm, const trace::Trace& trace) {
    const std::string buffers = buffers_of(trace);
    if (by_ranks[trace.ranks()].size() > 1 && !buffers.empty())
      notes.add("gradients are reduced in " + buffers, arm);
  });
  return notes.sentences();
}

}  // namespace

std::vector<std::string> notes_on(const Case& source, const Evidence& evidence) {
  SharedNotes wasted, warned;
  for (const Arm& arm : source.arms) {
    const trace::Trace* trace = evidence.trace(arm.name);
    if (const std::vector<int64_t> updates = wasted_updates(trace); !updates.empty())
      wasted.add(describe_wasted_updates(updates), arm.name);
    for (const std::string& warning : warnings_of(trace))
      warned.add(warning, arm.name);
    for (const std::string& fault : faults_of(trace))
      warned.add(fault, arm.name);
  }
  std::vector<std::string> notes = wasted.sentences();
  for (const auto& more :
       {zero_rates(source, evidence), warned.sentences(), reduction_buffers(source, evidence)})
    notes.insert(notes.end(), more.begin(), more.end());
  return notes;
}

std::vector<std::string> take_unproved(std::vector<JudgedCheck>& judged) {
  std::vector<std::string> reasons;
  std::erase_if(judged, [&](const JudgedCheck& each) {
    const bool unproved = each.claim.derived && (each.result.verdict == compare::Verdict::crashed ||
                                                 each.result.verdict == compare::Verdict::missing);
    if (unproved)
      reasons.push_back(
          fmt::format("{} and {} were not proved to be {}: {}", each.claim.arms[0], each.claim.arms[1],
                      each.claim.relation == compare::Relation::same_function ? "the same function"
                                                                              : "different functions",
                      each.result.sentence));
    return unproved;
  });
  return reasons;
}

}  // namespace parity::suite
