// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/tensor/part.hpp"

#include <random>

#include <gmock/gmock.h>

#include "harness/base/error.hpp"

namespace parity {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// Returns the flat global indices of the part, in its order.
std::vector<int64_t> indices_of(const TensorLayout& layout) {
  std::vector<int64_t> indices;
  for_each_run(cover_of(layout), layout.global_shape, [&](const PartRun& run) {
    EXPECT_EQ(run.local, static_cast<int64_t>(indices.size()));
    for (int64_t i = 0; i < run.count; ++i)
      indices.push_back(run.global + i);
  });
  return indices;
}

int runs_of(const TensorLayout& layout) {
  int count = 0;
  for_each_run(cover_of(layout), layout.global_shape, [&](const PartRun&) { ++count; });
  return count;
}

Placement shard(const std::string& mesh, int64_t dim, std::vector<IndexRange> ranges) {
  return {mesh, 0, 2, Shard{dim, std::move(ranges)}};
}

TEST(PartTest, RowsAreOneRunAndColumnsOneARow) {
  const TensorLayout rows = {{4, 3}, {shard("dp_shard", 0, {{1, 3}})}};
  EXPECT_THAT(indices_of(rows), ElementsAre(3, 4, 5, 6, 7, 8));
  EXPECT_EQ(runs_of(rows), 1);
  const TensorLayout columns = {{4, 3}, {shard("tp", 1, {{0, 2}})}};
  EXPECT_THAT(indices_of(columns), ElementsAre(0, 1, 3, 4, 6, 7, 9, 10));
  EXPECT_EQ(runs_of(columns), 4);
  EXPECT_EQ(shape_of(cover_of(columns)), Shape({4, 2}));
}

TEST(PartTest, BothDimensionsAndTheOneBetweenMayBeCut) {
  EXPECT_THAT(indices_of({{4, 4}, {shard("dp_shard", 0, {{2, 4}}), shard("tp", 1, {{3, 4}})}}),
              ElementsAre(11, 15));
  EXPECT_THAT(indices_of({{2, 3, 2}, {shard("tp", 1, {{1, 3}})}}), ElementsAre(2, 3, 4, 5, 8, 9, 10, 11));
}

TEST(PartTest, RangesKeepTheirOrder) {
  EXPECT_THAT(indices_of({{8}, {shard("cp", 0, {{6, 8}, {0, 2}})}}), ElementsAre(6, 7, 0, 1));
}

TEST(PartTest, TwoMeshDimensionsOnOne_HoldTheIntersection) {
  EXPECT_THAT(indices_of({{8}, {shard("dp_shard", 0, {{4, 6}}), shard("tp", 0, {{4, 8}})}}),
              ElementsAre(4, 5));
}

TEST(PartTest, EmptyPartsScalarsAndWholeTensors) {
  EXPECT_EQ(runs_of({{4, 3}, {shard("dp_shard", 0, {{4, 4}})}}), 0);
  EXPECT_THAT(indices_of({{}, {{"tp", 1, 2, Replicate{}}}}), ElementsAre(0));
  EXPECT_THAT(indices_of({{2}, {{"tp", 1, 2, Replicate{}}}}), ElementsAre(0, 1));
  EXPECT_TRUE(is_whole({{2}, {{"tp", 1, 2, Replicate{}}}}));
  EXPECT_TRUE(is_whole({}));
  EXPECT_FALSE(is_whole({{2}, {{"tp", 1, 2, Partial{}}}}));
}

TEST(PartTest, ReplicasHaveOneCoverAndTermsDoNot) {
  const Placement shards = shard("tp", 0, {{0, 2}});
  const auto with = [&](int64_t coordinate, auto kind) {
    return cover_of({{4}, {shards, {"dp_replicate", coordinate, 2, kind}}});
  };
  EXPECT_EQ(with(0, Replicate{}), with(1, Replicate{}));
  EXPECT_NE(with(0, Partial{}), with(1, Partial{}));
  EXPECT_TRUE(overlap(with(0, Replicate{}), with(1, Replicate{})));
  EXPECT_FALSE(overlap(with(0, Partial{}), with(1, Partial{})));
  EXPECT_TRUE(overlap(with(0, Replicate{}), cover_of({{4}, {shard("tp", 0, {{1, 3}})}})));
  EXPECT_FALSE(overlap(with(0, Replicate{}), cover_of({{4}, {shard("tp", 0, {{2, 4}})}})));
}

/// Returns whether find_overlap() finds a pair that overlaps exactly if there is one.
bool agrees_with_all_pairs(const std::vector<PartCover>& covers) {
  std::vector<const PartCover*> pointers;
  bool any = false;
  for (size_t i = 0; i < covers.size(); ++i) {
    pointers.push_back(&covers[i]);
    for (size_t j = 0; j < i; ++j)
      any = any || overlap(covers[i], covers[j]);
  }
  const auto found = find_overlap(pointers);
  if (!found)
    return !any;
  return any && found->first < found->second && overlap(covers[found->first], covers[found->second]);
}

TEST(PartTest, OverlapsAreFoundAmongMany) {
  std::mt19937 random(7);
  const auto below = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
  for (int round = 0; round < 3000; ++round) {
    std::vector<PartCover> covers;
    for (int64_t i = 0, n = below(7); i < n; ++i) {
      PartCover cover;
      for (int dim = 0; dim < 2; ++dim) {
        std::vector<IndexRange> ranges;
        for (int64_t k = 0, count = below(3); k < count; ++k) {
          const int64_t first = below(12);
          ranges.push_back({first, first + below(4)});
        }
        cover.ranges.push_back(ranges);
      }
      cover.term = {below(2)};
      covers.push_back(cover);
    }
    ASSERT_TRUE(agrees_with_all_pairs(covers)) << "round " << round;
  }
}

TEST(PartTest, ScalarsAndEmptyPartsOverlapAsTheirPairsDo) {
  EXPECT_EQ(find_overlap({}), std::nullopt);
  const PartCover scalar = cover_of({{}, {}}), empty = cover_of({{4}, {shard("tp", 0, {{2, 2}})}});
  EXPECT_EQ(find_overlap({&scalar, &scalar}), std::pair(size_t{0}, size_t{1}));
  EXPECT_EQ(find_overlap({&empty, &empty}), std::nullopt);
}

TEST(PartTest, NeighbouringIndices_AreOneRange) {
  EXPECT_TRUE(ranges_of({}).empty());
  const std::vector<IndexRange> expected = {{3, 6}, {0, 1}, {7, 8}};
  EXPECT_EQ(ranges_of({3, 4, 5, 0, 7}), expected);
}

TEST(PartTest, ImpossibleLayoutsAreRefused) {
  EXPECT_THAT([] { cover_of({{4}, {shard("tp", 1, {{0, 2}})}}); },
              ThrowsMessage<UserError>(HasSubstr("tp shards dimension 1 of shape (4)")));
  EXPECT_THAT([] { cover_of({{4}, {shard("tp", 0, {{2, 5}})}}); },
              ThrowsMessage<UserError>(HasSubstr("tp has indices 2 to 5 of dimension 0")));
  EXPECT_THAT([] { cover_of({{4}, {{"tp", 2, 2, Replicate{}}}}); },
              ThrowsMessage<UserError>(HasSubstr("coordinate 2")));
}

}  // namespace
}  // namespace parity
