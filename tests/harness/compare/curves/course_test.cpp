// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/curves/course.hpp"

#include <cmath>

#include <gmock/gmock.h>

#include "tests/support/traces/series.hpp"
#include "tests/support/traces/twin_runs.hpp"

namespace parity::compare {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(DescentErrorTest, IsTheLargestGapOverTheFallOfTheReference) {
  const Series falls = series({8, 7, 6, 5, 4});  // by 4, in a line: no noise
  EXPECT_DOUBLE_EQ(*descent_error(falls, series({8, 7.5, 6, 4, 4})), 0.25);
  EXPECT_EQ(*descent_error(falls, falls), 0);
}

TEST(DescentErrorTest, IsNotThereWithoutADescentOrANumber) {
  EXPECT_FALSE(descent_error(series({8, 7, 8, 7, 8}), series({8, 8, 8, 8, 8}))) << "noise is no descent";
  EXPECT_FALSE(descent_error(series({4, 5, 6, 7}), series({4, 5, 6, 7})));
  EXPECT_FALSE(descent_error(series({8, 7, 6}), series({8, NAN, 6})));
  EXPECT_FALSE(descent_error(series({8, 7}), series({8, 7})));
}

TEST(DivergenceHorizonTest, IsTheFirstOfThreePairsBeyondTheBand) {
  const Series a = series({0, 0, 0, 0, 0, 0, 0});
  const std::vector<double> band(7, 1);
  EXPECT_FALSE(divergence_horizon(a, series({1, -1, 1, 1, 1, 1, 1}), band)) << "on the edge of the band";
  EXPECT_EQ(divergence_horizon(a, series({0, 2, 0, 2, -2, 2, 0}), band), 3U) << "one alone is a spike";
  EXPECT_EQ(divergence_horizon(a, series({0, 0, 0, 0, 0, 0, 2}), band), 6U) << "nothing comes after the last";
  EXPECT_EQ(divergence_horizon(a, series({2, 2, NAN, 0, 0, 0, 0}), band), 0U) << "NaN is in no band";
  EXPECT_EQ(divergence_horizon(a, series({0, 2, 2, 2, 2, 2, 2}), std::vector<double>{1, 1, 1, 3, 3, 1, 1}),
            5U);
}

class CourseTest : public TwinTest {
 protected:
  /// The arms differ by `gap` from step `from` on.
  void add_pair_apart(size_t from, double gap) {
    add_pair();
    const auto apart = [&](std::vector<double> values) {
      for (size_t i = from; i < values.size(); ++i)
        values[i] += gap;
      return values;
    };
    add_arm("b", run_of(apart(noisy(u32, 2, true))));
    add_twin("b", run_of(apart(noisy(u64, 4, false))));
  }
};

TEST_F(CourseTest, Course_NamesStepBeyondRoundingAndDescent) {
  add_pair_apart(4, 0.01);  // a falls by 1 - exp(-2.7) = 0.933
  const CheckResult result = judge(check_of(Relation::equivalent, {"loss"}), arms);
  EXPECT_EQ(result.measured.at("horizon_step"), 5);
  EXPECT_NEAR(result.measured.at("descent_error").get<double>(), 0.01 / 0.9328, 1e-4);
  EXPECT_THAT(result.looks_like,
              HasSubstr("within 8 floors until step 4, beyond from step 5 on; at most 1.1 % of its descent"));
}

TEST_F(CourseTest, SaysNothingOfRounding) {
  add_pair();
  const CheckResult result = judge(check_of(Relation::equivalent, {"loss"}), arms);
  EXPECT_TRUE(result.passed);
  EXPECT_FALSE(result.measured.contains("horizon_step"));
  EXPECT_THAT(result.sentence, Not(HasSubstr("floors")));
}

TEST_F(CourseTest, NamesTheMasksWhereTheyDifferFirst) {
  const auto run = [](std::vector<double> loss, std::vector<int64_t> masks) {
    return PlantedRun{.channels = {{"loss", std::move(loss)}, {"mask_digest", std::move(masks)}}};
  };
  const auto later = [](std::vector<double> values) {
    for (size_t i = 6; i < values.size(); ++i)
      values[i] += 0.01;
    return values;
  };
  const std::vector<int64_t> same(10, 5);
  std::vector<int64_t> other = same;
  std::fill(other.begin() + 6, other.end(), 7);
  const std::vector<double> narrow = noisy(u32, 1, true), wide = noisy(u64, 3, false);
  add_arm("a", run(narrow, same));
  add_twin("a", run(wide, same));
  for (const bool masked : {true, false}) {
    add_arm("b", run(later(narrow), masked ? other : same));
    add_twin("b", run(later(wide), masked ? other : same));
    const std::string sentence = judge(check_of(Relation::equivalent, {"loss"}), arms).looks_like;
    const auto named =
        HasSubstr("identical until masks differ: from step 7 the arms attend under other masks");
    EXPECT_THAT(sentence,
                masked ? testing::Matcher<std::string>(named) : testing::Matcher<std::string>(Not(named)));
  }
}

}  // namespace
}  // namespace parity::compare
