// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/json/json.hpp"

#include <gtest/gtest.h>

namespace parity {
namespace {

std::string nested(size_t depth, const std::string& inside = "") {
  return std::string(depth, '[') + inside + std::string(depth, ']');
}

TEST(JsonTextTest, BytesThatAreNoUtf8_DoNotThrow) {
  EXPECT_EQ(json_text({{"a", "b\xFF"}}), "{\"a\":\"b\xEF\xBF\xBD\"}");
}

TEST(ReadJsonTest, DeepestValue_IsRead) {
  EXPECT_TRUE(read_json(nested(deepest_json)).is_array());
  EXPECT_TRUE(read_json(nested(deepest_json, "1, \"a\"")).is_array());
  EXPECT_TRUE(read_json(nested(deepest_json - 1, "{\"a\": 1}, {}")).is_array());
}

TEST(ReadJsonTest, DeeperValue_IsDiscarded) {
  EXPECT_TRUE(read_json(nested(deepest_json + 1)).is_discarded());
  EXPECT_TRUE(read_json(nested(deepest_json, "{\"a\": 1}")).is_discarded());
  EXPECT_TRUE(read_json(std::string(50'000'000, '[')).is_discarded());
  EXPECT_TRUE(read_json(nested(deepest_json + 1, "half")).is_discarded());
}

TEST(ReadJsonTest, BracketsInText_DoNotNest) {
  EXPECT_TRUE(read_json("\"" + std::string(1000, '[') + "\\\"" + std::string(1000, '{') + "\"").is_string());
}

TEST(ReadJsonTest, DamagedText_IsDiscarded) {
  for (const char* text : {"", "{half", "[1,]", "[1] 2", "{\"a\" 1}", "nul"})
    EXPECT_TRUE(read_json(text).is_discarded()) << text;
}

}  // namespace
}  // namespace parity
