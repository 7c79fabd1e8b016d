// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/rl/weight_sync/transfer_plan.hpp"

#include <functional>

#include <gmock/gmock.h>

#include "harness/base/error.hpp"

namespace parity::reference {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr int64_t plenty = 1 << 20;

PartCover part(std::vector<std::vector<IndexRange>> ranges) {
  return {std::move(ranges), {}};
}

/// "0>1 [0:2, 0:3]" for each piece.
std::vector<std::string> texts_of(const std::vector<Piece>& pieces) {
  std::vector<std::string> texts;
  for (const Piece& piece : pieces) {
    std::string text = std::to_string(piece.from) + ">" + std::to_string(piece.to);
    for (const IndexRange& range : piece.box)
      text += " " + std::to_string(range.first) + ":" + std::to_string(range.end);
    texts.push_back(text);
  }
  return texts;
}

/// 5 rows of 4 numbers: rows 0-2 and 3-4 on two ranks, columns 0-1 and 2-3 served by them.
SpreadTensor rows_to_columns() {
  return {.name = "w",
          .shape = {5, 4},
          .held = {part({{{0, 3}}, {{0, 4}}}), part({{{3, 5}}, {{0, 4}}})},
          .needed = {part({{{0, 5}}, {{0, 2}}}), part({{{0, 5}}, {{2, 4}}})}};
}

TEST(TransferPlanTest, RowsBecomeColumnsByWhatTheOtherLacks) {
  EXPECT_THAT(texts_of(plan_pieces({rows_to_columns()}, plenty)),
              testing::ElementsAre("0>0 0:3 0:2", "0>1 0:3 2:4", "1>0 3:5 0:2", "1>1 3:5 2:4"));
}

TEST(TransferPlanTest, ListsOfRangesAreCutWhereTheyMeet) {
  const SpreadTensor tensor = {.name = "w",
                               .shape = {8},
                               .held = {part({{{0, 2}, {4, 6}}}), part({{{2, 4}, {6, 8}}})},
                               .needed = {part({{{0, 3}}}), part({{{3, 8}}})}};
  const auto pieces = plan_pieces({tensor}, plenty);
  EXPECT_THAT(texts_of(pieces), testing::ElementsAre("0>0 0:2", "1>0 2:3", "1>1 3:4", "0>1 4:6", "1>1 6:8"));
  EXPECT_EQ(place_in(*tensor.held[0], pieces[3].box), Box({{2, 4}}));
  EXPECT_EQ(place_in(*tensor.held[1], {{1, 3}}), std::nullopt);
}

TEST(TransferPlanTest, ReplicasShareWhatOthersNeed) {
  const PartCover first = part({{{0, 8}}}), second = part({{{8, 16}}}), all = part({{{0, 16}}});
  const SpreadTensor tensor = {
      .name = "w", .shape = {16}, .held = {first, second, first, second}, .needed = {all, all, all, all}};
  std::vector<int64_t> given(4);
  for (const Piece& piece : plan_pieces({tensor}, plenty))
    if (piece.from != piece.to)
      given[static_cast<size_t>(piece.from)] += elements_in(piece.box);
  EXPECT_THAT(given, testing::Each(8));
}

TEST(TransferPlanTest, ScalarsAndEmptyTensors_HaveTheirPlace) {
  const std::vector<SpreadTensor> tensors = {
      {.name = "scalar", .shape = {}, .held = {part({}), {}}, .needed = {{}, part({})}},
      {.name = "empty",
       .shape = {0, 3},
       .held = {part({{}, {{0, 3}}}), {}},
       .needed = {{}, part({{}, {{0, 3}}})}}};
  const auto pieces = plan_pieces(tensors, plenty);
  EXPECT_THAT(texts_of(pieces), testing::ElementsAre("0>1"));
  check_pieces(tensors, pieces, 1);
}

TEST(TransferPlanTest, LargeBlocksAreSplit) {
  const SpreadTensor tensor = {.name = "w",
                               .shape = {2, 7},
                               .held = {part({{{0, 2}}, {{0, 7}}})},
                               .needed = {part({{{0, 2}}, {{0, 7}}})}};
  EXPECT_THAT(texts_of(plan_pieces({tensor}, 12)),  // 3 numbers
              testing::ElementsAre("0>0 0:1 0:3", "0>0 0:1 3:6", "0>0 0:1 6:7", "0>0 1:2 0:3", "0>0 1:2 3:6",
                                   "0>0 1:2 6:7"));
}

TEST(TransferPlanTest, WhatNobodyTrainsIsNamed) {
  SpreadTensor tensor = rows_to_columns();
  tensor.held[1] = part({{{4, 5}}, {{0, 4}}});
  EXPECT_THAT([&] { plan_pieces({tensor}, plenty); },
              ThrowsMessage<UserError>(AllOf(HasSubstr("no rank trains [3:4, 0:2] of w"), HasSubstr("gap"))));
}

struct Defect {
  std::string name;
  std::function<void(std::vector<Piece>&)> plant;
  std::string words;
};

class PlantedDefectTest : public testing::TestWithParam<Defect> {};

TEST_P(PlantedDefectTest, IsNoticed) {
  const std::vector<SpreadTensor> tensors = {rows_to_columns()};
  std::vector<Piece> pieces = plan_pieces(tensors, plenty);
  check_pieces(tensors, pieces, 0);
  check_pieces(tensors, pieces, 1);
  GetParam().plant(pieces);
  EXPECT_THAT([&] { check_pieces(tensors, pieces, 0); },
              ThrowsMessage<InternalError>(HasSubstr(GetParam().words)));
}

// pieces[0] is rank 0's own [0:3, 0:2], pieces[2] is [3:5, 0:2] from rank 1.
INSTANTIATE_TEST_SUITE_P(
    Regions, PlantedDefectTest,
    testing::Values(Defect{"OneRowLess", [](auto& p) { --p[2].box[0].end; },
                           "rank 0 gets 8 of 10 elements of w"},
                    Defect{"OneRowMore", [](auto& p) { ++p[2].box[0].end; }, "which does not hold it"},
                    Defect{"OneRowFurtherUp", [](auto& p) { --p[2].box[0].first; }, "which does not hold it"},
                    Defect{"OneColumnFurther",
                           [](auto& p) {
                             ++p[2].box[1].first;
                             ++p[2].box[1].end;
                           },
                           "which does not need it"},
                    Defect{"OneColumnTwice",
                           [](auto& p) {
                             p.push_back(p[2]);
                             --p.back().box[1].end;
                           },
                           "which gets some of it from rank 1"},
                    Defect{"OfTheWrongRank", [](auto& p) { p[2].from = 0; },
                           "from rank 0 to rank 0, which does not hold it"},
                    Defect{"ToTheWrongRank", [](auto& p) { p[2].to = 1; }, "rank 0 gets 6 of 10 elements"},
                    Defect{"Missing", [](auto& p) { p.erase(p.begin()); }, "rank 0 gets 4 of 10 elements"}),
    [](const testing::TestParamInfo<Defect>& tested) { return tested.param.name; });

TEST(BucketsTest, HoldWhatTheyMayAndOneDtype) {
  const PartCover first = part({{{0, 4}}}), second = part({{{4, 8}}});
  std::vector<SpreadTensor> tensors = {
      {.name = "a", .shape = {8}, .held = {first, second}, .needed = {second, first}},
      {.name = "b", .shape = {8}, .held = {first, second}, .needed = {second, first}},
      {.name = "c", .shape = {8}, .held = {first, second}, .needed = {first, second}}};
  tensors[1].moved_dtype = DType::bfloat16;
  const auto pieces = plan_pieces(tensors, 8);  // 2 numbers of a, 4 of b
  const std::vector<Bucket> buckets = fill_buckets(tensors, pieces, 8);
  std::vector<size_t> sizes;
  std::vector<bool> moves;
  std::vector<Piece> all;
  for (const Bucket& bucket : buckets) {
    sizes.push_back(bucket.pieces.size());
    moves.push_back(bucket.moves);
    all.insert(all.end(), bucket.pieces.begin(), bucket.pieces.end());
  }
  EXPECT_EQ(texts_of(all), texts_of(pieces));
  // a: 2 numbers from each rank to the other, twice, but in the order of its elements; b: 4 each; c stays.
  EXPECT_THAT(sizes, testing::ElementsAre(1, 2, 1, 2, 4));
  EXPECT_THAT(moves, testing::ElementsAre(true, true, true, true, false));
}

}  // namespace
}  // namespace parity::reference
