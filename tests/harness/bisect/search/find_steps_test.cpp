// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/search/find_steps.hpp"

#include <cmath>
#include <limits>
#include <set>

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

namespace parity::bisect {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// Revisions with a number each; some cannot be judged.
struct History {
  std::vector<double> score;
  std::set<size_t> broken = {};

  size_t last() const { return score.size() - 1; }
  RevisionProbe probe() const {
    return {[this](size_t i) { return !broken.contains(i); },
            [this](size_t a, size_t b) { return std::abs(score[a] - score[b]); }};
  }
  StepSearch search(const StepLimits& limits = {}) const { return find_steps(last(), probe(), limits); }
};

std::vector<std::pair<size_t, size_t>> places(const StepSearch& found) {
  std::vector<std::pair<size_t, size_t>> all;
  for (const RevisionStep& step : found.steps)
    all.emplace_back(step.before, step.after);
  return all;
}

TEST(FindStepsTest, BoundIsBothEndsAndTheLogarithm) {
  EXPECT_EQ(evaluation_bound(1), 2U);
  EXPECT_EQ(evaluation_bound(2), 3U);
  EXPECT_EQ(evaluation_bound(8), 5U);
  EXPECT_EQ(evaluation_bound(9), 6U);
  EXPECT_EQ(evaluation_bound(1024), 12U);
}

TEST(FindStepsTest, EveryPlaceOfOneStepIsFoundWithinTheBound) {
  for (size_t last = 1; last <= 70; ++last)
    for (size_t culprit = 1; culprit <= last; ++culprit) {
      History history{std::vector<double>(last + 1, 0)};
      for (size_t i = culprit; i <= last; ++i)
        history.score[i] = 0.5;
      const StepSearch found = history.search();
      ASSERT_THAT(places(found), ElementsAre(std::pair(culprit - 1, culprit)));
      ASSERT_LE(found.evaluated.size(), evaluation_bound(last));
    }
}

TEST(FindStepsTest, EndsThatAreTheSameCostTwoEvaluations) {
  const StepSearch found = History{{1, 1, 1, 1, 1}}.search();
  EXPECT_THAT(found.steps, IsEmpty());
  EXPECT_THAT(found.evaluated, ElementsAre(0, 4));
}

TEST(FindStepsTest, SeveralStepsComeBiggestFirst) {
  const StepSearch found = History{{0, 0, 1, 1, 1, 5, 5, 5, 7, 7}}.search();
  EXPECT_THAT(places(found), ElementsAre(std::pair(4, 5), std::pair(7, 8), std::pair(1, 2)));
  EXPECT_EQ(found.steps[0].size, 4);
}

TEST(FindStepsTest, StepNextToUnjudgeableRevisions_IsARange) {
  const StepSearch found = History{{0, 0, 0, 9, 9, 9, 9}, {2, 3}}.search();
  EXPECT_THAT(places(found), ElementsAre(std::pair(1, 4)));
  EXPECT_TRUE(found.steps[0].is_range());
  EXPECT_TRUE(found.steps[0].narrowed);
}

TEST(FindStepsTest, ALongRowThatDoesNotBuildIsLeftByGrowingJumps) {
  History history{std::vector<double>(129, 0)};
  history.score[127] = history.score[128] = 1;
  for (size_t i = 40; i < 90; ++i)
    history.broken.insert(i);
  const StepSearch found = history.search();
  EXPECT_THAT(places(found), ElementsAre(std::pair(126, 127)));
  EXPECT_LE(found.skipped.size(), 12U);
}

TEST(FindStepsTest, AChangeAsLargeAsTheToleranceIsNone) {
  const History history{{0, 0, 0.5, 0.5, 2, 2}};
  EXPECT_THAT(places(history.search({0.5})), ElementsAre(std::pair(3, 4)));
  EXPECT_THAT(places(history.search({0.49})), SizeIs(2));
}

TEST(FindStepsTest, ManySmallChangesLeadToTheBiggestOfThem) {
  const History history{{0, 0.4, 0.8, 1.5, 1.8, 2.2, 2.6, 3.0, 3.2}};
  EXPECT_THAT(places(history.search({2.0})), ElementsAre(std::pair(2, 3)));
}

TEST(FindStepsTest, ARangeThatIsNotNarrowedSaysSo) {
  History history{std::vector<double>(65, 0)};
  history.score[64] = 1;
  const StepSearch found = history.search({0, 4});
  ASSERT_THAT(found.steps, SizeIs(1));
  EXPECT_FALSE(found.steps[0].narrowed);
  EXPECT_THAT(places(found), ElementsAre(std::pair(48, 64)));
  EXPECT_EQ(found.evaluated.size(), 4U);
}

TEST(FindStepsTest, InfiniteDistancesAreTheBiggest) {
  History history{{0, 1, 1, std::numeric_limits<double>::infinity()}};
  RevisionProbe probe = history.probe();
  probe.distance = [&](size_t a, size_t b) {
    return history.score[a] == history.score[b] ? 0.0 : std::abs(history.score[a] - history.score[b]);
  };
  EXPECT_THAT(places(find_steps(3, probe)), ElementsAre(std::pair(2, 3), std::pair(0, 1)));
}

// Distances of steps are powers of two, so that no sum of some cancels another: the assumption of the search.
RC_GTEST_PROP(FindStepsProperty, StepsThatDoNotCancelAreAllFoundAndNothingElse, ()) {
  const size_t last = *rc::gen::inRange<size_t>(1, 200);
  const auto culprits =
      *rc::gen::container<std::set<size_t>>(rc::gen::inRange<size_t>(1, last + 1)).as("commits that step");
  RC_PRE(culprits.size() <= 40U);
  const auto broken = *rc::gen::container<std::set<size_t>>(rc::gen::inRange<size_t>(0, last + 1))
                           .as("commits that do not build");
  History history{std::vector<double>(last + 1, 0), broken};
  history.broken.erase(0);
  history.broken.erase(last);
  double size = 1;
  for (size_t i = 1; i <= last; ++i) {
    history.score[i] = history.score[i - 1] + (culprits.contains(i) ? size : 0);
    size *= culprits.contains(i) ? 2 : 1;
  }
  const StepSearch found = history.search();
  std::set<size_t> covered;
  for (const RevisionStep& step : found.steps) {
    bool any = false;
    for (size_t i = step.before + 1; i <= step.after; ++i) {
      any = any || culprits.contains(i);
      covered.insert(i);
      RC_ASSERT(i == step.after || history.broken.contains(i));
    }
    RC_ASSERT(any);
    RC_ASSERT(step.size == history.score[step.after] - history.score[step.before]);
  }
  for (const size_t culprit : culprits)
    RC_ASSERT(covered.contains(culprit));
  RC_ASSERT(std::is_sorted(found.steps.begin(), found.steps.end(),
                           [](const auto& a, const auto& b) { return a.size > b.size; }));
  const size_t logarithm = evaluation_bound(last) - 2;
  RC_ASSERT(found.evaluated.size() <= 2 + std::max<size_t>(culprits.size(), 1) * logarithm);
}

}  // namespace
}  // namespace parity::bisect
