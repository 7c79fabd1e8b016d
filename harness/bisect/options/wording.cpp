// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/options/wording.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/compare/text/wording.hpp"

namespace parity {
namespace {

/// Returns a list of toggles: "A", "A and B", "A, B and 3 more".
std::string describe_toggles(const std::vector<OptionToggle>& toggles, const Toggles& on, size_t most) {
  std::vector<std::string> words;
  for (const size_t i : on)
    if (words.size() < most)
      words.push_back(toggles[i].describe_bad());
  if (on.size() > most)
    words.push_back(fmt::format("{} more", on.size() - most));
  return list_text(words);
}

std::string where(const CurveGap& gap) {
  constexpr size_t most = 4;
  std::vector<std::string> names = gap.channels;
  if (names.size() > most) {
    names.resize(most - 1);
    names.push_back(fmt::format("{} more channels", gap.channels.size() - names.size()));
  }
  return names.size() > 1 ? fmt::format("{} first differ at step {}, relative gap {}", list_text(names),
                                        gap.step, size_text(gap.size))
                          : fmt::format("{} first differs at step {}, relative gap {}", gap.channel, gap.step,
                                        size_text(gap.size));
}

std::string with_needs(const OptionFindings& found, const OptionCause& culprit, const Toggles& on) {
  std::string words = describe_toggles(found.toggles, on, on.size());
  if (culprit.needs.empty())
    return words;
  const std::string needs = describe_toggles(found.toggles, culprit.needs, 5);
  return culprit.needs_likeness == Likeness::neither
             ? fmt::format("{} (which cannot be set without {}, something else by itself)", words, needs)
             : fmt::format("{} (which cannot be set without {})", words, needs);
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
    const OptionCause& culprit = round.culprit;
    if (culprit.independent())
      for (const OptionAlone& each : culprit.alone)
        items.push_back({found.toggles[each.toggle].describe_bad(), each.gap, false, ""});
    else
      items.push_back(
          {with_needs(found, culprit, culprit.on), culprit.gap, culprit.on.size() > 1, round.failure});
  }
  return items;
}

/// Describes an option of a joint cause that has a different effect by itself; "" if there is none.
std::string describe_partial_causes(const OptionFindings& found) {
  for (const OptionRound& round : found.rounds)
    if (!round.culprit.independent())
      for (const OptionAlone& each : round.culprit.alone)
        if (each.likeness == Likeness::neither)
          return fmt::format("; {} alone does something else ({})", found.toggles[each.toggle].describe_bad(),
                             each.gap.text());
  return "";
}

std::string one_culprit(const Item& item) {
  if (!item.failure.empty())
    return fmt::format("{} {}: {}", item.words,
                       item.together ? "make the run fail, only together" : "alone makes the run fail",
                       item.failure);
  if (item.together)
    return fmt::format("{} carry the difference only together ({})", item.words, where(item.gap));
  return fmt::format("{} alone carries the difference ({})", item.words, where(item.gap));
}

std::string several_culprits(const std::vector<Item>& items) {
  std::vector<std::string> words;
  for (const Item& item : items)
    words.push_back(fmt::format("{}{} ({})", item.words, item.together ? " together" : "",
                                item.failure.empty() ? where(item.gap) : item.failure));
  return fmt::format("{} culprits: {}", items.size(), fmt::join(words, "; "));
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
    words += "; without that, also " + fmt::format("{}", fmt::join(also, ", ")) + ", which it hides";
  }
  return words;
}

std::string no_difference(const OptionFindings& found) {
  return fmt::format("the sides do not differ: {} {}, but {} the same bits over {}",
                     count_text(found.toggles.size(), "config key"),
                     found.toggles.size() == 1 ? "differs" : "differ",
                     list_text(found.channels) + (found.channels.size() == 1 ? " has" : " have"),
                     count_text(static_cast<size_t>(found.steps), "step"));
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
      return "the sides do not differ: they have one config, and no option can carry a difference";
    case Ending::no_difference:
      return no_difference(found);
    case Ending::flaky:
      return fmt::format(
          "FLAKY: the good side is as far from itself ({}) as from the bad one; no option can be named",
          found.noise.text());
    case Ending::culprits:
      break;
  }
  const std::vector<Item> items = items_of(found, false);
  return (items.size() == 1 ? one_culprit(items.front()) + describe_partial_causes(found)
                            : several_culprits(items)) +
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
  return fmt::format("{} {}: {}", count_text(found.toggles.size(), "config key"),
                     found.toggles.size() == 1 ? "differs" : "differ", list_text(keys));
}

std::string describe_round(const OptionFindings& found, const OptionRound& round) {
  const std::string what = with_needs(found, round.culprit, round.culprit.on);
  const std::string asked =
      fmt::format("; {} of {} asked, log2 bound {}", count_text(round.answers.size(), "question"),
                  count_text(round.high.size() - round.low.size(), "difference"),
                  bisection_bound(round.high.size() - round.low.size()));
  if (!round.failure.empty())
    return what + asked;
  const std::string earlier = round.first_bit.step < round.parting.step
                                  ? fmt::format(" (in some bit at step {})", round.first_bit.step)
                                  : "";
  return fmt::format("{}: {}{}; gaps up to {} count as none{}", what, where(round.parting), earlier,
                     size_text(round.tau), asked);
}

std::string describe_verification(const OptionFindings& found) {
  std::string words = fmt::format("found alone against the bad side: {}", found.found_alone.why);
  if (found.rest_alone)
    words += fmt::format("; the rest alone against the good side: {}", found.rest_alone->why);
  return words + fmt::format("; {} of hybrids in all", count_text(static_cast<size_t>(found.hybrids), "run"));
}

std::vector<std::string> option_notes(const OptionFindings& found) {
  std::vector<std::string> notes = found.notes;
  if (found.noise.size > 0 && found.ending == OptionFindings::Ending::culprits)
    notes.push_back("repeats of one side differ: " + found.noise.text());
  for (const size_t i : found.not_without)
    notes.push_back(found.toggles[i].describe_bad() +
                    " is refused without what was found, and was not tried alone");
  constexpr double rounding = 0x1p-14;
  if (!found.rounds.empty() && found.rounds.front().failure.empty() &&
      found.rounds.front().largest.size <= rounding)
    notes.push_back(
        fmt::format("the whole difference is {}, which may be rounding; parity run judges it, --float64 "
                    "searches without rounding",
                    size_text(found.rounds.front().largest.size)));
  return notes;
}

}  // namespace parity
