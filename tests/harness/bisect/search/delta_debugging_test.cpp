// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/search/delta_debugging.hpp"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace parity::bisect {
namespace {

using enum Likeness;

std::vector<size_t> first(size_t n) {
  std::vector<size_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

bool includes(const Toggles& all, const Toggles& part) {
  return std::ranges::includes(all, part);
}

/// Bad if one of the sets is on as a whole; `refused` gives no answer.
Ask world(std::vector<Toggles> culprits, std::vector<Toggles> refused = {}) {
  return [=](const Toggles& on, Reach) {
    if (std::ranges::find(refused, on) != refused.end())
      return unknown;
    const bool is_bad = std::ranges::any_of(culprits, [&](const Toggles& set) { return includes(on, set); });
    return is_bad ? bad : good;
  };
}

TEST(DeltaDebuggingTest, TheBoundIsTheLogarithmRoundedUp) {
  EXPECT_EQ(bisection_bound(1), 0);
  EXPECT_EQ(bisection_bound(2), 1);
  EXPECT_EQ(bisection_bound(3), 2);
  EXPECT_EQ(bisection_bound(8), 3);
  EXPECT_EQ(bisection_bound(9), 4);
  EXPECT_EQ(bisection_bound(1000), 10);
}

TEST(DeltaDebuggingTest, OneCulprit_CostsTheBoundPlusOneVerifyingRun) {
  for (const size_t n : {1, 2, 3, 6, 10, 64, 100})
    for (size_t culprit = 0; culprit < n; ++culprit) {
      MemoisedAsk ask(world({{culprit}}));
      EXPECT_EQ(minimal_toggles(first(n), std::ref(ask)), Toggles{culprit});
      EXPECT_LE(ask.asked(), bisection_bound(n) + 1) << culprit << " of " << n;
    }
}

TEST(DeltaDebuggingTest, TheVerifyingRunIsTheWholeOne) {
  std::vector<Toggles> whole;
  const Ask inner = world({{5}});
  minimal_toggles(first(10), [&](const Toggles& on, Reach reach) {
    if (reach == Reach::whole_run)
      whole.push_back(on);
    return inner(on, reach);
  });
  EXPECT_EQ(whole, (std::vector<Toggles>{{5}}));
}

TEST(DeltaDebuggingTest, TwoThatInteractAreFoundTogether) {
  for (size_t a = 0; a < 12; ++a)
    for (size_t b = a + 1; b < 12; ++b) {
      MemoisedAsk ask(world({{a, b}}));
      EXPECT_EQ(minimal_toggles(first(12), std::ref(ask)), (Toggles{a, b}));
      EXPECT_LE(ask.asked(), 2 * (bisection_bound(12) + 1) + 2);
    }
}

TEST(DeltaDebuggingTest, OneOfTwoThatDoTheSameIsFound) {
  const Toggles found = minimal_toggles(first(9), world({{2}, {7}}));
  EXPECT_EQ(found.size(), 1U);
  EXPECT_TRUE(found == Toggles{2} || found == Toggles{7});
}

/// 0 and 1 cancel each other: one without the other matches neither side.
Likeness with_a_pair_that_cancels(const Toggles& on) {
  if (on.contains(0) != on.contains(1))
    return neither;
  return on.contains(2) ? bad : good;
}

TEST(DeltaDebuggingTest, APairThatCancelsIsNoCulprit) {
  const Ask ask = [](const Toggles& on, Reach) { return with_a_pair_that_cancels(on); };
  std::vector<size_t> order = first(3);
  do
    EXPECT_EQ(minimal_toggles(order, ask), Toggles{2});
  while (std::ranges::next_permutation(order).found);
}

TEST(DeltaDebuggingTest, MissingAnswersAreSearchedAround) {
  const Toggles found = minimal_toggles(first(4), world({{3}}, {{0, 1}, {0}, {1}}));
  EXPECT_EQ(found, Toggles{3});
}

TEST(DeltaDebuggingTest, DdminTakesOutWhatIsNotNeeded) {
  EXPECT_EQ(ddmin({0, 1, 2, 3, 4, 5, 6, 7}, world({{1, 6}})), (Toggles{1, 6}));
  EXPECT_EQ(ddmin({3}, world({{3}})), Toggles{3});
  MemoisedAsk ask(world({{5}}));
  EXPECT_EQ(ddmin({0, 1, 2, 3, 4, 5, 6, 7}, std::ref(ask)), Toggles{5});
  EXPECT_LE(ask.asked(), 2 * bisection_bound(8));
}

TEST(DeltaDebuggingTest, AnAnswerForAWholeRunServesAShorterOne) {
  MemoisedAsk ask(world({{0}}));
  EXPECT_EQ(ask({0}, Reach::whole_run), bad);
  EXPECT_EQ(ask({0}, Reach::diverging_step), bad);
  EXPECT_EQ(ask.asked(), 1);
  EXPECT_EQ(ask({1}, Reach::diverging_step), good);
  EXPECT_EQ(ask({1}, Reach::whole_run), good);
  EXPECT_EQ(ask.asked(), 3);
  EXPECT_EQ(ask.known({0}), bad);
  EXPECT_EQ(ask.known({2}), unknown);
}

RC_GTEST_PROP(DeltaDebuggingPropertyTest, AMonotoneCulpritIsFoundWithinTheBound, ()) {
  const auto n = *rc::gen::inRange<size_t>(1, 40);
  const auto k = *rc::gen::inRange<size_t>(1, std::min<size_t>(n, 4) + 1);
  const auto numbers = *rc::gen::unique<std::vector<size_t>>(k, rc::gen::inRange<size_t>(0, n));
  const Toggles culprit(numbers.begin(), numbers.end());
  MemoisedAsk bisecting(world({culprit}));
  RC_ASSERT(bisect_toggles(first(n), std::ref(bisecting)) == culprit);
  RC_ASSERT(bisecting.asked() <= static_cast<int64_t>(k) * (bisection_bound(n) + 1));
  RC_ASSERT(minimal_toggles(first(n), world({culprit})) == culprit);
}

RC_GTEST_PROP(DeltaDebuggingPropertyTest, WhateverTheAnswersTheSetIsBadAndNoneOfItCanBeLeftOut, ()) {
  const auto n = *rc::gen::inRange<size_t>(1, 8);
  const auto answers = *rc::gen::container<std::vector<int>>(size_t{1} << n, rc::gen::inRange(0, 4));
  const Ask ask = [&](const Toggles& on, Reach) {
    size_t number = 0;
    for (const size_t i : on)
      number |= size_t{1} << i;
    if (number == 0)
      return good;
    return on.size() == n ? bad : static_cast<Likeness>(answers[number]);
  };
  const Toggles found = minimal_toggles(first(n), ask);
  RC_ASSERT(ask(found, Reach::whole_run) == bad);
  for (const size_t i : found) {
    Toggles less = found;
    less.erase(i);
    RC_ASSERT(ask(less, Reach::whole_run) != bad);
  }
}

}  // namespace
}  // namespace parity::bisect
