// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/runs/failed_rank.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <string_view>

namespace parity::suite {
namespace {

bool failed(const RankState& rank) {
  return rank.ended && !rank.ended->succeeded();
}

bool by_signal(const RankState& rank) {
  return failed(rank) && !rank.ended->exit_status();
}

bool by_itself(const RankState& rank) {
  return failed(rank) && rank.ended->exit_status() &&
         !(rank.reports_lost_peer && *rank.ended->exit_status() == peer_lost_status);
}

/// "[W1121 10:00:00 ...", "[rank0]:[E1121 ...", "[Gloo] ...", "frame #3: ..."; not the "[W] " of
/// parity-train.
bool is_noise(std::string_view line) {
  constexpr std::array<std::string_view, 5> beginnings = {"[rank", "[c10d]", "[Gloo]", "frame #",
                                                          "Exception raised from"};
  const bool is_log = line.size() > 2 && line[0] == '[' &&
                      std::string_view("IWEF").find(line[1]) != std::string_view::npos && line[2] >= '0' &&
                      line[2] <= '9';
  return is_log || std::any_of(beginnings.begin(), beginnings.end(),
                               [&](std::string_view beginning) { return line.starts_with(beginning); });
}

/// Returns the rank that made the fewest updates while a rank still runs; nothing if all made as many, or if
/// that rank failed by itself.
std::optional<FailedRank> find_rank_with_fewest_updates(std::span<const RankState> ranks) {
  if (std::ranges::all_of(ranks, [](const RankState& rank) { return rank.ended.has_value(); }))
    return std::nullopt;
  const auto [least, most] = std::ranges::minmax_element(ranks, {}, &RankState::updates);
  if (least->updates == most->updates || failed(*least))
    return std::nullopt;
  return FailedRank{static_cast<size_t>(least - ranks.begin()),
                    least->ended ? FailedRank::Kind::left : FailedRank::Kind::behind};
}

}  // namespace

std::optional<FailedRank> find_late_rank(std::span<const RankState> ranks) {
  using enum FailedRank::Kind;
  std::optional<size_t> works, waits, fewest;
  bool differ = false;
  for (size_t i = 0; i < ranks.size(); ++i) {
    const RankState& rank = ranks[i];
    if (rank.ended)
      continue;
    if (rank.stopped)
      return FailedRank{i, stopped};
    std::optional<size_t>& like_it = rank.waits_in.empty() ? works : waits;
    like_it = like_it.value_or(i);
    differ = differ || (fewest && rank.collectives != ranks[*fewest].collectives);
    if (!fewest || rank.collectives < ranks[*fewest].collectives)
      fewest = i;
  }
  const auto done = std::find_if(ranks.begin(), ranks.end(),
                                 [](const RankState& rank) { return rank.ended && rank.ended->succeeded(); });
  if (waits && done != ranks.end())
    return FailedRank{static_cast<size_t>(done - ranks.begin()), left};
  if (works && waits)
    return FailedRank{*works, behind};
  return differ ? FailedRank{*fewest, behind} : find_rank_with_fewest_updates(ranks);
}

std::optional<FailedRank> find_failed_rank(std::span<const RankState> ranks, bool waited) {
  using enum FailedRank::Kind;
  const auto first = [&](const auto& is) -> std::optional<size_t> {
    const auto found = std::find_if(ranks.begin(), ranks.end(), is);
    return found == ranks.end() ? std::nullopt : std::optional<size_t>(found - ranks.begin());
  };
  if (const auto rank = first(by_signal))
    return FailedRank{*rank, ended};
  if (const auto rank = first(by_itself))
    return FailedRank{*rank, ended};
  const auto lost_one = first(failed);
  if (!lost_one)
    return std::nullopt;
  if (const auto rank = first([](const RankState& state) { return state.stopped; }))
    return FailedRank{*rank, stopped};
  if (!waited)
    return std::nullopt;
  if (const auto rank = first([](const RankState& state) { return state.ended && state.ended->succeeded(); }))
    return FailedRank{*rank, left};
  if (const auto late = find_late_rank(ranks))
    return late;
  const auto rank = first([](const RankState& state) { return !state.ended; });
  return rank ? FailedRank{*rank, behind} : FailedRank{*lost_one, lost};
}

bool is_stopped(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(file, text);
  const size_t name_end = text.rfind(") ");  // the name may contain any character
  return name_end != std::string::npos && name_end + 2 < text.size() && text[name_end + 2] == 'T';
}

std::string without_noise(const std::string& text) {
  std::string kept, line;
  for (std::istringstream lines(text); std::getline(lines, line);)
    if (!is_noise(line))
      kept += (kept.empty() ? "" : "\n") + line;
  return kept.empty() ? text : kept;
}

}  // namespace parity::suite
