// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/logs/read/line_template.hpp"

#include <gmock/gmock.h>

namespace parity::logs {
namespace {

using testing::ElementsAre;

const std::string line = R"({"step": 1, "a\"2": {"x": -0.5e-3}, "list": [7, 8], "text": "9"})";

TEST(LineTemplate, OtherNumbers_AreRead) {
  LineTemplate pattern;
  pattern.learn(line, 4);
  std::vector<double> numbers;
  EXPECT_TRUE(pattern.match(line, numbers));
  EXPECT_THAT(numbers, ElementsAre(1, -0.5e-3, 7, 8));
  EXPECT_TRUE(pattern.match(R"({"step": 20, "a\"2": {"x": 0.1}, "list": [0, 1E2], "text": "9"})", numbers));
  EXPECT_THAT(numbers, ElementsAre(20, 0.1, 0, 100));
}

TEST(LineTemplate, OtherText_IsNoMatch) {
  LineTemplate pattern;
  std::vector<double> numbers;
  EXPECT_FALSE(pattern.match(line, numbers));
  pattern.learn(line, 4);
  for (const char* other : {R"({"step": 1, "a\"2": {"x": 1}, "list": [7, 8], "text": "10"})",
                            R"({"step": 1, "a\"2": {"x": 1}, "list": [7, 8], "text": "9"} )",
                            R"({"step": 1, "a\"2": {"x": NaN}, "list": [7, 8], "text": "9"})", "", "{"})
    EXPECT_FALSE(pattern.match(other, numbers)) << other;
}

TEST(LineTemplate, DoubtfulNumbers_AreNoMatch) {
  LineTemplate pattern;
  pattern.learn(R"({"step": 1})", 1);
  std::vector<double> numbers;
  for (const char* text : {"01", "1.", ".5", "+1", "1e", "-", "-0", "inf", "nan", "0x1", "1e400", "1e-400",
                           "9007199254740993", "1 "}) {
    EXPECT_FALSE(pattern.match("{\"step\": " + std::string(text) + "}", numbers)) << text;
  }
  EXPECT_TRUE(pattern.match(R"({"step": -0.0})", numbers));
}

TEST(LineTemplate, OtherCount_LearnsNothing) {
  LineTemplate pattern;
  pattern.learn(line, 3);
  std::vector<double> numbers;
  EXPECT_FALSE(pattern.match(line, numbers));
}

}  // namespace
}  // namespace parity::logs
