// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/api/recorder/strides.hpp"

#include <limits>
#include <numeric>

#include <gmock/gmock.h>

#include "harness/base/error.hpp"

namespace parity::capi {
namespace {

using testing::ElementsAre;

std::vector<int32_t> gathered(const Shape& shape, const std::vector<int64_t>& strides) {
  const StridedPlaces places = places_of(shape, strides.data());
  std::vector<int32_t> memory(static_cast<size_t>(places.span));
  std::iota(memory.begin(), memory.end(), 0);
  std::vector<int32_t> result(static_cast<size_t>(element_count(shape)));
  gather(places, sizeof(int32_t), reinterpret_cast<const std::byte*>(memory.data()),
         reinterpret_cast<std::byte*>(result.data()));
  return result;
}

TEST(Strides, Gather_AnyStrides_RowMajor) {
  EXPECT_THAT(gathered({2, 3}, {3, 1}), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(gathered({2, 3}, {1, 2}), ElementsAre(0, 2, 4, 1, 3, 5));
  EXPECT_THAT(gathered({2, 2}, {4, 2}), ElementsAre(0, 2, 4, 6));
  EXPECT_THAT(gathered({3}, {-1}), ElementsAre(2, 1, 0));
  EXPECT_THAT(gathered({2, 2}, {0, 1}), ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(gathered({2, 1, 2}, {2, 7, 1}), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(gathered({}, {}), ElementsAre(0));
  EXPECT_THAT(gathered({2, 0}, {5, 1}), ElementsAre());
}

TEST(Strides, Scatter_AfterGather_LeavesMemory) {
  const std::vector<int64_t> strides = {2, 12, -4};
  const StridedPlaces places = places_of({2, 2, 3}, strides.data());
  std::vector<int32_t> memory(static_cast<size_t>(places.span)), rows(12);
  std::iota(memory.begin(), memory.end(), 100);
  const std::vector<int32_t> before = memory;
  auto* lowest = reinterpret_cast<std::byte*>(memory.data());
  gather(places, sizeof(int32_t), lowest, reinterpret_cast<std::byte*>(rows.data()));
  ASSERT_TRUE(places.unique);
  scatter(places, sizeof(int32_t), reinterpret_cast<const std::byte*>(rows.data()), lowest);
  EXPECT_EQ(memory, before);
}

TEST(Strides, Places_OfKinds_RowMajorAndUnique) {
  const auto places = [](const Shape& shape, const std::vector<int64_t>& strides) {
    return places_of(shape, strides.data());
  };
  EXPECT_TRUE(places_of({2, 3}, nullptr).row_major);
  EXPECT_TRUE(places({2, 1, 3}, {3, 77, 1}).row_major);
  EXPECT_FALSE(places({2, 3}, {1, 2}).row_major);
  EXPECT_TRUE(places({2, 3}, {1, 2}).unique);
  EXPECT_FALSE(places({3, 3}, {1, 1}).unique);
  EXPECT_FALSE(places({3, 3}, {0, 1}).unique);
}

TEST(Strides, Runs_OfKinds_AsLongAsPossible) {
  const auto runs = [](const Shape& shape, const std::vector<int64_t>& strides) {
    return runs_of(places_of(shape, strides.data()));
  };
  EXPECT_EQ(runs({2, 3}, {1, 2}).length, 6);
  EXPECT_EQ(runs({2, 3}, {5, 1}).length, 3);
  EXPECT_THAT(runs({2, 3}, {5, 1}).starts, ElementsAre(0, 5));
  EXPECT_THAT(runs({3}, {2}).starts, ElementsAre(0, 2, 4));
  EXPECT_EQ(runs({4, 3}, {0, 1}).length, 3);
  EXPECT_TRUE(runs({0, 3}, {3, 1}).starts.empty());
}

TEST(Strides, ImpossibleShape_IsRefused) {
  const int64_t most = std::numeric_limits<int64_t>::max();
  const std::vector<int64_t> lowest = {std::numeric_limits<int64_t>::min(), 1};
  EXPECT_THROW(places_of({-1, 2}, nullptr), UserError);
  EXPECT_THROW(places_of({most, most}, nullptr), UserError);
  EXPECT_THROW(places_of({3, 2}, lowest.data()), UserError);
  EXPECT_THROW(places_of({most, 0, most}, nullptr), UserError);
}

}  // namespace
}  // namespace parity::capi
