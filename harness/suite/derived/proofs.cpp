// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/derived/proofs.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "harness/suite/plan/traces_read.hpp"

namespace parity::suite {
namespace {

using compare::Relation;
using Pair = std::pair<std::string, std::string>;

/// Returns whether a check is about the work or the tokens of a run alone: collectives, blocks computed
/// again, other batches. It says nothing of the function that the run computes: a token may be masked.
bool is_of_work(const compare::Check& check) {
  return !check.channels.empty() && std::ranges::all_of(check.channels, [](const std::string& channel) {
    return channel.starts_with("comm.") || channel == "recomputed_blocks" || channel == "batch_digest";
  });
}

/// Returns whether an arm can have an exact twin. Commands and replays of another arm's routes cannot.
bool has_exact_twin(const Arm& arm) {
  return !arm.is_command() && !arm.config.contains(replay_key);
}

/// Returns the pairs of arms that a case claims to be equivalent (true) or distinct (false).
std::map<Pair, bool> claimed_pairs(const Case& item) {
  std::map<Pair, bool> claims;
  for (const compare::Check& check : item.checks) {
    if (!check.needs_twins() || check.arms.size() != 2 || is_of_work(check) ||
        std::ranges::any_of(check.arms, [&](const auto& name) { return !has_exact_twin(item.arm(name)); }))
      continue;
    const bool equivalent = check.relation == Relation::equivalent;
    const auto [claim, is_new] = claims.emplace(Pair(check.arms[0], check.arms[1]), equivalent);
    claim->second = claim->second && equivalent;
  }
  for (const compare::Check& check : item.checks)
    if (check.of_exact_twins())
      claims.erase({check.arms[0], check.arms[1]});
  return claims;
}

}  // namespace

void add_proofs(Case& item) {
  if (item.problem)
    return;
  for (const auto& [pair, equivalent] : claimed_pairs(item)) {
    compare::Check check;
    check.arms = {pair.first, pair.second};
    check.relation = equivalent ? Relation::same_function : Relation::other_function;
    check.steps = compare::two_updates;
    check.derived = true;
    check.because = fmt::format("the case claims that the two are {} (asked by --prove)",
                                equivalent ? "equivalent" : "distinct");
    item.checks.push_back(std::move(check));
    item.check_places.emplace_back();
  }
}

}  // namespace parity::suite
