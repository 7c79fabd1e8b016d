// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/coverage/spare.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace parity::coverage {
namespace {

using PairCounts = std::map<std::pair<size_t, size_t>, int64_t>;

void count_pairs(PairCounts& counts, const ArmFeatures& arm) {
  for (size_t one = 0; one < arm.held.size(); ++one)
    for (size_t other = one + 1; other < arm.held.size(); ++other)
      if (arm.both(one, other) == Held::yes)
        ++counts[{one, other}];
}

std::string case_of(const ArmFeatures& arm) {
  return arm.name.substr(0, arm.name.find(':'));
}

bool is_plain(const ArmFeatures& arm) {
  return arm.name.ends_with(":plain");
}

bool is_candidate(const ArmFeatures& arm, std::string_view topic) {
  return arm.name.starts_with(topic) && !is_plain(arm) && std::ranges::count(arm.held, Held::unknown) == 0;
}

/// Arms of one survey, from which spare ones are taken one at a time.
class Arms {
 public:
  explicit Arms(const std::vector<ArmFeatures>& arms) {
    for (const ArmFeatures& arm : arms) {
      count_pairs(counts_, arm);
      if (is_plain(arm))
        plain_[case_of(arm)] = &arm;
      else
        ++others_[case_of(arm)];
    }
  }

  /// Takes an arm, and the plain arm with the last other one of its case. \return whether no pair is lost
  bool take(const ArmFeatures& arm) {
    PairCounts taken;
    count_pairs(taken, arm);
    if (const auto plain = plain_.find(case_of(arm)); others_[case_of(arm)] == 1 && plain != plain_.end())
      count_pairs(taken, *plain->second);
    if (std::ranges::any_of(taken, [&](const auto& each) { return counts_[each.first] <= each.second; }))
      return false;
    for (const auto& [pair, count] : taken)
      counts_[pair] -= count;
    --others_[case_of(arm)];
    return true;
  }

 private:
  PairCounts counts_;
  std::map<std::string, const ArmFeatures*> plain_;
  std::map<std::string, int> others_;
};

}  // namespace

std::vector<std::string> spare_arms(const std::vector<ArmFeatures>& arms, std::string_view topic) {
  std::vector<const ArmFeatures*> candidates;
  for (const ArmFeatures& arm : arms)
    if (is_candidate(arm, topic))
      candidates.push_back(&arm);
  std::ranges::stable_sort(candidates, {},
                           [](const ArmFeatures* arm) { return std::ranges::count(arm->held, Held::yes); });
  Arms left(arms);
  std::vector<std::string> spare;
  for (const ArmFeatures* arm : candidates)
    if (left.take(*arm))
      spare.push_back(arm->name);
  return spare;
}

}  // namespace parity::coverage
