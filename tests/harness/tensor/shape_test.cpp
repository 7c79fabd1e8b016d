// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/tensor/shape.hpp"

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "harness/tensor/placement.hpp"

namespace parity {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ShapeTest, CountsElementsAlsoOfScalarsAndEmptyTensors) {
  EXPECT_EQ(element_count({2, 3, 4}), 24);
  EXPECT_EQ(element_count({}), 1);
  EXPECT_EQ(element_count({5, 0, 3}), 0);
}

TEST(ShapeTest, RefusesImpossibleShapes) {
  EXPECT_THROW(element_count({2, -1}), InternalError);
  EXPECT_THROW(element_count({int64_t{1} << 40, int64_t{1} << 40}), InternalError);
}

TEST(ShapeTest, PrintsAsATuple) {
  EXPECT_EQ(to_string(Shape{2, 3}), "(2, 3)");
  EXPECT_EQ(to_string(Shape{}), "()");
}

TEST(ShapeTest, CoordinatesAreRowMajor) {
  EXPECT_THAT(coordinates({2, 3, 4}, 0), ElementsAre(0, 0, 0));
  EXPECT_THAT(coordinates({2, 3, 4}, 23), ElementsAre(1, 2, 3));
  EXPECT_THAT(coordinates({2, 3, 4}, 5), ElementsAre(0, 1, 1));
  EXPECT_THAT(coordinates({}, 0), IsEmpty());
  EXPECT_THROW(coordinates({2, 3}, 6), InternalError);
}

TEST(PlacementTest, PlacementsDifferByEveryPart) {
  const Placement shard{"data", 0, 2, Shard{0, {{0, 4}}}};
  Placement other = shard;
  EXPECT_EQ(shard, other);
  std::get<Shard>(other.kind).ranges[0].end = 5;
  EXPECT_NE(shard, other);
  EXPECT_NE((Placement{"data", 0, 2, Partial{Partial::Reduction::avg}}),
            (Placement{"data", 0, 2, Partial{Partial::Reduction::sum}}));
}

}  // namespace
}  // namespace parity
