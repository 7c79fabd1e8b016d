// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/traces/recurrence.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/compare/curves/series_difference.hpp"
#include "harness/compare/text/wording.hpp"

namespace parity::compare {
namespace {

/// The answers of further runs. Runs of which nothing is known count as neither.
struct Answers {
  size_t all = 0, usual = 0, odd = 0, odd_elsewhere = 0, elsewhere = 0;

  explicit Answers(const std::vector<Rerun>& reruns) {
    for (const Rerun& each : reruns) {
      if (!each.is_usual && !each.is_odd)
        continue;
      ++all;
      usual += each.is_usual.value_or(false) ? 1 : 0;
      odd += each.is_odd.value_or(false) ? 1 : 0;
      elsewhere += each.elsewhere ? 1 : 0;
      odd_elsewhere += each.elsewhere && each.is_odd.value_or(false) ? 1 : 0;
    }
  }
};

/// Compares one channel of two runs at the steps first..last that both have. \return nothing if there is none
std::optional<bool> agree(const trace::Trace& one, const trace::Channel& a, const trace::Trace& other,
                          const trace::Channel& b, int64_t first, int64_t last) {
  std::vector<int64_t> steps;
  std::ranges::set_intersection(one.steps(), other.steps(), std::back_inserter(steps));
  std::erase_if(steps, [&](int64_t step) { return step < first || step > last; });
  if (steps.empty())
    return std::nullopt;
  return measure_series(series_of(a, one.steps(), steps), series_of(b, other.steps(), steps)).identical();
}

/// Compares the records of each rank of one tensor. \return nothing if no rank recorded it in both runs
std::optional<bool> agree(const std::vector<trace::RankRow>& a, const std::vector<trace::RankRow>& b) {
  std::optional<bool> agree;
  for (const trace::RankRow& row : a)
    if (const auto other = std::ranges::find(b, row.rank, &trace::RankRow::rank);
        other != b.end() && other->layout == row.layout)
      agree = agree.value_or(true) && row.digest == other->digest;
  return agree;
}

}  // namespace

Recurrence classify(const std::vector<Rerun>& reruns, bool symmetric) {
  const Answers answers(reruns);
  if (answers.all == 0)
    return Recurrence::unknown;
  if (answers.usual == answers.all || (symmetric && answers.odd == answers.all))
    return Recurrence::transient;
  const size_t here = answers.all - answers.elsewhere;
  if (answers.odd == answers.all)
    return answers.elsewhere > 0 ? Recurrence::persistent_everywhere : Recurrence::persistent_here;
  if (here > 0 && answers.odd == here && answers.odd_elsewhere == 0 && answers.usual == answers.elsewhere)
    return Recurrence::persistent_here;
  return Recurrence::nondeterministic;
}

std::string describe(Recurrence recurrence, const std::vector<Rerun>& reruns) {
  const std::string runs = count_text(reruns.size(), "further run");
  switch (recurrence) {
    case Recurrence::unknown:
      break;
    case Recurrence::transient:
      return fmt::format("transient: gone in {}", runs);
    case Recurrence::persistent_here: {
      const bool asked = std::ranges::any_of(reruns, [](const Rerun& each) { return each.elsewhere; });
      return fmt::format("persistent here: {} gave the same bits as the run that differed{}", runs,
                         asked ? ", except on other cores" : "");
    }
    case Recurrence::persistent_everywhere:
      return fmt::format(
          "persistent everywhere: {} gave the same bits as the run that differed, on other cores too", runs);
    case Recurrence::nondeterministic:
      return fmt::format("nondeterministic: {} differ among themselves", runs);
    case Recurrence::by_design:
      return fmt::format("nondeterministic by design: {} differ among themselves", runs);
  }
  return "not classified: no further run tells";
}

std::optional<bool> agree_until(const trace::Trace& one, const trace::Trace& other, int64_t step,
                                int64_t from) {
  std::optional<bool> all;
  const auto add = [&](std::optional<bool> found) {
    if (found)
      all = all.value_or(true) && *found;
  };
  for (const auto& [name, channel] : one.channels()) {
    const auto there = other.channels().find(name);
    if (channel.kind == trace::ChannelKind::numeric && there != other.channels().end() &&
        there->second.kind == trace::ChannelKind::numeric)
      add(agree(one, channel, other, there->second, std::max<int64_t>(from, 1), step));
  }
  for (const auto& [key, rows] : one.rank_rows())
    if (const auto there = other.rank_rows().find(key);
        key.step >= from && key.step <= step && there != other.rank_rows().end())
      add(agree(rows, there->second));
  return all;
}

}  // namespace parity::compare
