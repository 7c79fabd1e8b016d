// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/notes.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/suite/curves.hpp"

namespace parity {
namespace {

/// Updates with lr 0 that left every parameter as it was.
std::vector<int64_t> wasted_updates(const Trace* trace) {
  const StepValues rates = step_values(trace, "lr");
  const StepValues moves = step_values(trace, "update_norm");
  std::vector<int64_t> wasted;
  for (const auto& [step, rate] : rates)
    if (const auto move = moves.find(step); rate == 0 && move != moves.end() && move->second == 0)
      wasted.push_back(step);
  return wasted;
}

std::string wasted_words(const std::vector<int64_t>& updates) {
  if (updates.size() == 1)
    return fmt::format("update {} has lr 0 and leaves every parameter unchanged: a wasted step",
                       updates.front());
  return fmt::format(
      "{} updates (first {}, last {}) have lr 0 and leave every parameter unchanged: wasted steps",
      updates.size(), updates.front(), updates.back());
}

/// "updates with lr 0, of 10: titan 0, deepspeed 2", if any arm has one and another to compare with.
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

/// Arms that say the same share a note: "flex, varlen: ...".
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

/// `warnings` of the provenance; what is not a list of texts comes from another trainer and is left alone.
std::vector<std::string> warnings_of(const Trace* trace) {
  std::vector<std::string> warnings;
  const Json found = trace ? trace->provenance().value("warnings", Json()) : Json();
  if (found.is_array())
    std::copy_if(found.begin(), found.end(), std::back_inserter(warnings),
                 [](const Json& warning) { return warning.is_string(); });
  return warnings;
}

}  // namespace

std::vector<std::string> notes_on(const Case& source, const Evidence& evidence) {
  SharedNotes wasted, warned;
  for (const Arm& arm : source.arms) {
    const Trace* trace = evidence.trace(arm.name);
    if (const std::vector<int64_t> updates = wasted_updates(trace); !updates.empty())
      wasted.add(wasted_words(updates), arm.name);
    for (const std::string& warning : warnings_of(trace))
      warned.add(warning, arm.name);
  }
  std::vector<std::string> notes = wasted.sentences();
  for (const auto& more : {zero_rates(source, evidence), warned.sentences()})
    notes.insert(notes.end(), more.begin(), more.end());
  return notes;
}

}  // namespace parity
