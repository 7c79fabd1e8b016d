// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/golden/environment.hpp"

#include <gtest/gtest.h>

namespace parity::golden {
namespace {

TEST(JsonDifferenceTest, NamesBothValuesOfAKeyThatChanged) {
  EXPECT_EQ(
      json_difference_text({{"lr", {{"base", 1}}}, {"steps", 2}}, {{"lr", {{"base", 3}}}, {"steps", 2}}),
      "lr.base is 1 in the golden and 3 here");
  EXPECT_EQ(json_difference_text({{"a", 1}}, {{"a", 1}}), "");
}

TEST(JsonDifferenceTest, CountsWhatIsMoreThanThree) {
  Json before, after;
  for (const char* key : {"a", "b", "c", "d", "e"}) {
    before[key] = 1;
    after[key] = 2;
  }
  EXPECT_EQ(
      json_difference_text(before, after, "before", "after"),
      "a is 1 before and 2 after, b is 1 before and 2 after, c is 1 before and 2 after and 2 more differ");
}

TEST(JsonDifferenceTest, KeysThatOneSideDoesNotKnowComeLastAndTogether) {
  EXPECT_EQ(json_difference_text({{"z", 1}, {"gone", 0}}, {{"z", 2}, {"new", 5}}),
            "z is 1 in the golden and 2 here, gone (0) is absent here and new (5) is absent in the golden");
  const Json learnt = {{"a", 0}, {"b", 0}, {"c", 0}, {"d", 0}, {"e", 0}, {"z", 2}};
  EXPECT_EQ(json_difference_text({{"z", 1}}, learnt),
            "z is 1 in the golden and 2 here and a (0) and 4 more are absent in the golden");
}

}  // namespace
}  // namespace parity::golden
