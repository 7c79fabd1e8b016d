// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/options/wording.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/compare/text/wording.hpp"

namespace parity::bisect {
namespace {

/// Returns a list of toggles: "A", "A and B", "A, B and 3 more".
std::string list_toggles(const std::vector<OptionToggle>& toggles, const Toggles& on, size_t most) {
  std::vector<std::string> words;
  for (const size_t i : on)
    if (words.size() < most)
      words.push_back(toggles[i].describe_bad());
  if (on.size() > most)
    words.push_back(fmt::format("{} more", on.size() - most));
  return compare::list_text(words);
}

std::string where(const CurveGap& gap) {
  constexpr size_t most = 4;
  std::vector<std::string> names = gap.channels;
  if (names.size() > most) {
    names.resize(most - 1);
    names.push_back(fmt::format("{} more channels", gap.channels.size() - names.size()));
  }
  return names.size() > 1 ? fmt::format("{} first differ at step {}, relative gap {}",
                                        compare::list_text(names), gap.step, compare::size_text(gap.size))
                          : fmt::format("{} first differs at step {}, relative gap {}", gap.channel, gap.step,
                                        compare::size_text(gap.size));
}

std::string with_needs(const OptionFindings& found, const OptionCause& cause, const Toggles& on) {
  std::string words = list_toggles(found.toggles, on, on.size());
  if (cause.needs.empty())
    return words;
  const std::string needs = list_toggles(found.toggles, cause.needs, 5);
  return cause.needs_likeness == Likeness::neither
             ? fmt::format("{} (needs {}, which alone does something else)", words, needs)
             : fmt::format("{} (needs {})", words, needs);
}

/// One cause and its effect, for a list of several.
struct Item {
  std::string words;
  CurveGap gap;
  bool together = false;
  std::string failure;
};

std::vector<Item> items_of(const OptionFindings& found, bool hidden) {
  std::vector<Item> items;
  for (const OptionRound& round : found.rounds) {
    if (round.hidden != hidden)
      continue;
    const OptionCause& cause = round.cause;
    if (cause.independent())
      for (const OptionAlone& each : cause.alone)
        items.push_back({found.toggles[each.toggle].describe_bad(), each.gap, false, ""});
    else
      items.push_back({with_needs(found, cause, cause.on), cause.gap, cause.on.size() > 1, round.failure});
  }
  return items;
}

/// Describes an option of a joint cause that has a different effect by itself; "" if there is none.
std::string describe_partial_causes(const OptionFindings& found) {
  for (const OptionRound& round : found.rounds)
    if (!round.cause.independent())
      for (const OptionAlone& each : round.cause.alone)
        if (each.likeness == Likeness::neither)
          return fmt::format("; {} alone does something else ({})", found.toggles[each.toggle].describe_bad(),
                             each.gap.text());
  return "";
}

std::string describe_cause(const Item& item) {
  if (!item.failure.empty())
    return fmt::format("{} {}: {}", item.words,
                       item.together ? "make the run fail only together" : "alone makes the run fail",
                       item.failure);
  if (item.together)
    return fmt::format("{} cause the difference only together ({})", item.words, where(item.gap));
  return fmt::format("{} alone causes the difference ({})", item.words, where(item.gap));
}

std::string describe_causes(const std::vector<Item>& items) {
  std::vector<std::string> words;
  for (const Item& item : items)
    words.push_back(fmt::format("{}{} ({})", item.words, item.together ? " together" : "",
                                item.failure.empty() ? where(item.gap) : item.failure));
  return fmt::format("{} causes: {}", items.size(), fmt::join(words, "; "));
}

std::string describe_rest(const OptionFindings& found) {
  std::string words;
  if (!found.rest.empty() && found.rest_alone && found.rest_alone->agrees) {
    const size_t count = found.rest.size();
    words = fmt::format("; the other {} {}", count == 1 ? "difference" : fmt::format("{} differences", count),
                        found.rest_alone->gap.size == 0 ? count == 1 ? "changes nothing" : "change nothing"
                        : count == 1                    ? "changes no more than rounding"
                                                        : "change no more than rounding");
  }
  if (const auto hidden = items_of(found, true); !hidden.empty()) {
    std::vector<std::string> also;
    for (const Item& item : hidden)
      also.push_back(
          fmt::format("{} ({})", item.words, item.failure.empty() ? where(item.gap) : item.failure));
    words += fmt::format("; masked by that: {}", fmt::join(also, ", "));
  }
  return words;
}

std::string no_difference(const OptionFindings& found) {
  return fmt::format("the sides do not differ: {} {}, but {} the same bits over {}",
                     compare::count_text(found.toggles.size(), "config key"),
                     found.toggles.size() == 1 ? "differs" : "differ",
                     compare::list_text(found.channels) + (found.channels.size() == 1 ? " has" : " have"),
                     compare::count_text(static_cast<size_t>(found.steps), "step"));
}

}  // namespace

bool OptionCause::independent() const {
  return alone.size() > 1 && std::ranges::all_of(alone, [](const OptionAlone& each) {
           return each.likeness == Likeness::neither;
         });
}

std::string option_sentence(const OptionFindings& found) {
  using Ending = OptionFindings::Ending;
  switch (found.ending) {
    case Ending::one_config:
      return "the sides do not differ: their configs are equal";
    case Ending::no_difference:
      return no_difference(found);
    case Ending::flaky:
      return fmt::format(
          "FLAKY: repeats of the good side differ ({}) as much as the two sides do; no cause can be named",
          found.noise.text());
    case Ending::causes:
      break;
  }
  const std::vector<Item> items = items_of(found, false);
  return (items.size() == 1 ? describe_cause(items.front()) + describe_partial_causes(found)
                            : describe_causes(items)) +
         describe_rest(found);
}

std::string describe_sides(const OptionFindings& found) {
  constexpr size_t most = 8;
  std::vector<std::string> keys;
  for (const OptionToggle& toggle : found.toggles)
    if (keys.size() < most)
      keys.push_back(toggle.key);
  if (found.toggles.size() > most)
    keys.push_back(fmt::format("{} more", found.toggles.size() - most));
  return fmt::format("{} {}: {}", compare::count_text(found.toggles.size(), "config key"),
                     found.toggles.size() == 1 ? "differs" : "differ", compare::list_text(keys));
}

std::string describe_round(const OptionFindings& found, const OptionRound& round) {
  const std::string what = with_needs(found, round.cause, round.cause.on);
  const std::string asked =
      fmt::format("; {} about {}, log2 bound {}", compare::count_text(round.answers.size(), "question"),
                  compare::count_text(round.high.size() - round.low.size(), "difference"),
                  bisection_bound(round.high.size() - round.low.size()));
  if (!round.failure.empty())
    return what + asked;
  const std::string earlier = round.first_bit.step < round.divergence.step
                                  ? fmt::format(" (some bits already at step {})", round.first_bit.step)
                                  : "";
  return fmt::format("{}: {}{}; gaps up to {} do not count{}", what, where(round.divergence), earlier,
                     compare::size_text(round.tau), asked);
}

std::string describe_verification(const OptionFindings& found) {
  std::string words = fmt::format("found alone against the bad side: {}", found.found_alone.why);
  if (found.rest_alone)
    words += fmt::format("; the rest alone against the good side: {}", found.rest_alone->why);
  return words +
         fmt::format("; {} in all", compare::count_text(static_cast<size_t>(found.hybrids), "hybrid run"));
}

std::vector<std::string> option_notes(const OptionFindings& found) {
  std::vector<std::string> notes = found.notes;
  if (found.noise.size > 0 && found.ending == OptionFindings::Ending::causes)
    notes.push_back("repeats of one side differ: " + found.noise.text());
  for (const size_t i : found.not_without)
    notes.push_back(found.toggles[i].describe_bad() +
                    " is invalid without the causes found, so it was not tried alone");
  constexpr double rounding = 0x1p-14;
  if (!found.rounds.empty() && found.rounds.front().failure.empty() &&
      found.rounds.front().largest.size <= rounding)
    notes.push_back(
        fmt::format("the whole difference is {}, which may be rounding; parity run judges it, --float64 "
                    "searches without rounding",
                    compare::size_text(found.rounds.front().largest.size)));
  return notes;
}

}  // namespace parity::bisect
