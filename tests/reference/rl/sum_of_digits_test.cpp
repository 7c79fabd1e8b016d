// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/rl/sum_of_digits.hpp"

#include <set>

#include <gtest/gtest.h>

namespace parity::reference {
namespace {

using Tokens = std::vector<int64_t>;
constexpr int64_t equals = SumOfDigits::equals, end = SumOfDigits::end;

TEST(SumOfDigitsTest, PromptsAreDigitsAndEquals) {
  const SumOfDigits task(3, 7);
  const Tokens prompt = task.prompt(1, 0);
  ASSERT_EQ(prompt.size(), 4);
  for (size_t i = 0; i < 3; ++i)
    EXPECT_TRUE(prompt[i] >= 0 && prompt[i] <= 9);
  EXPECT_EQ(prompt.back(), equals);
}

TEST(SumOfDigitsTest, PromptsDependOnSeedUpdateAndIndexAlone) {
  std::set<Tokens> seen;
  for (const int64_t seed : {1, 2})
    for (const int64_t update : {1, 2, 3})
      for (const int64_t index : {0, 1, 2}) {
        const Tokens prompt = SumOfDigits(6, seed).prompt(update, index);
        EXPECT_EQ(prompt, SumOfDigits(6, seed).prompt(update, index));
        EXPECT_TRUE(seen.insert(prompt).second);
      }
}

TEST(SumOfDigitsTest, Rewards_PreferSumThenNumbersThenAnythingElse) {
  const Tokens prompt = {3, 8, equals};
  EXPECT_EQ(SumOfDigits::reward(prompt, Tokens{1, 1, end}), 1);
  for (const Tokens& number : {Tokens{1, 2, end}, Tokens{9, end}, Tokens{9, 9, 9, end}})
    EXPECT_EQ(SumOfDigits::reward(prompt, number), 0);
  for (const Tokens& malformed :
       {Tokens{}, Tokens{end}, Tokens{1, 1}, Tokens{0, 1, end}, Tokens{1, equals, end}, Tokens{1, end, end},
        Tokens{12, end}, Tokens(12, 1)})
    EXPECT_EQ(SumOfDigits::reward(prompt, malformed), -1);
  EXPECT_EQ(SumOfDigits::reward(Tokens{0, 0, equals}, Tokens{0, end}), 1);
}

}  // namespace
}  // namespace parity::reference
