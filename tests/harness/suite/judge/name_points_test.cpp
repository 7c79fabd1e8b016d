// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/judge/name_points.hpp"

#include <gtest/gtest.h>

namespace parity::suite {
namespace {

class NamePointsTest : public testing::Test {
 protected:
  operators::Problem problem;

  void SetUp() override { problem.points = {{{{"n", 3}}, DType::float32}, {{{"n", 5}}, DType::bfloat16}}; }
};

TEST_F(NamePointsTest, StepsAreSaidAsPoints) {
  EXPECT_EQ(with_points("y differs at 1 of 2 steps, first at step 2: 1 against 2", problem),
            "y differs at 1 of 2 points, first at n = 5, bfloat16: 1 against 2");
  EXPECT_EQ(with_points("identical; identical until step 1", problem), "identical");
}

TEST_F(NamePointsTest, OtherTextStays) {
  EXPECT_EQ(with_points("a stepwise misstep at step 3, step 0 and step 99999999999999999999", problem),
            "a stepwise misstep at step 3, step 0 and step 99999999999999999999");
  EXPECT_EQ(with_points("", problem), "");
}

TEST_F(NamePointsTest, WorstPlaceIsAPoint) {
  compare::CheckResult result;
  result.sentence = "grad x at step 1";
  result.more = {"at step 2 too"};
  result.looks_like = "a factor that grows";
  result.worst.emplace();
  result.worst->step = 2;
  name_points(result, problem);
  EXPECT_EQ(result.sentence, "grad x at n = 3, float32");
  EXPECT_EQ(result.more.front(), "at n = 5, bfloat16 too");
  EXPECT_EQ(result.looks_like, "");
  EXPECT_EQ(result.worst->point, "n = 5, bfloat16");
}

}  // namespace
}  // namespace parity::suite
