// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/shard.hpp"

#include <algorithm>
#include <numeric>

#include <gmock/gmock.h>

namespace parity::suite {
namespace {

using testing::ElementsAre;

ShardItem item(const std::string& name, std::map<std::string, double> runs) {
  return {name, std::move(runs)};
}

/// Returns the cost of the most expensive shard.
double slowest(const std::vector<ShardItem>& items, const std::vector<int>& shards, int count) {
  std::vector<std::map<std::string, double>> runs(static_cast<size_t>(count));
  for (size_t i = 0; i < items.size(); ++i)
    runs[static_cast<size_t>(shards[i]) - 1].insert(items[i].runs.begin(), items[i].runs.end());
  double worst = 0;
  for (const auto& shard : runs)
    worst =
        std::max(worst, std::accumulate(shard.begin(), shard.end(), 0.0,
                                        [](double sum, const auto& entry) { return sum + entry.second; }));
  return worst;
}

TEST(DealTest, EqualCasesAreSharedEvenly) {
  std::vector<ShardItem> items;
  for (int i = 0; i < 10; ++i)
    items.push_back(item("case" + std::to_string(i), {{"run" + std::to_string(i), 1}}));
  const std::vector<int> shards = deal(items, 3);
  EXPECT_EQ(slowest(items, shards, 3), 4);
}

TEST(DealTest, ADearCaseHasAShardOfItsOwn) {
  const std::vector<ShardItem> items = {item("a", {{"1", 1}}), item("b", {{"2", 1}}),
                                        item("dear", {{"3", 9}}), item("c", {{"4", 1}})};
  EXPECT_THAT(deal(items, 2), ElementsAre(2, 2, 1, 2));
}

TEST(DealTest, CasesSharingARun_AreDealtTogetherIfFree) {
  const std::vector<ShardItem> items = {item("a", {{"shared", 5}, {"1", 1}}),
                                        item("b", {{"shared", 5}, {"2", 1}}), item("c", {{"x", 5}, {"3", 1}}),
                                        item("d", {{"x", 5}, {"4", 1}})};
  const std::vector<int> shards = deal(items, 2);
  EXPECT_EQ(shards[0], shards[1]);
  EXPECT_EQ(shards[2], shards[3]);
  EXPECT_NE(shards[0], shards[2]);
}

TEST(DealTest, TheOrderAndTheNamesOfRunsDoNotMatter) {
  std::vector<ShardItem> items;
  for (int i = 0; i < 12; ++i)
    items.push_back(item("case" + std::to_string(i),
                         {{"own" + std::to_string(i), 1.0 + i % 4}, {"shared" + std::to_string(i % 3), 2}}));
  const std::vector<int> forward = deal(items, 4);
  std::reverse(items.begin(), items.end());
  std::vector<int> backward = deal(items, 4);
  std::reverse(backward.begin(), backward.end());
  EXPECT_EQ(forward, backward);
}

TEST(DealTest, MoreShardsThanCasesLeaveSomeEmpty) {
  EXPECT_THAT(deal({item("a", {{"1", 1}}), item("b", {{"2", 1}})}, 5), ElementsAre(1, 2));
  EXPECT_TRUE(deal({}, 3).empty());
}

}  // namespace
}  // namespace parity::suite
