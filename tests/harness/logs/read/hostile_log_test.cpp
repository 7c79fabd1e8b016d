// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// What empty, cut off, binary and hostile logs get: a sentence with file, line and what was expected.
#include "tests/harness/logs/log_fixture.hpp"

namespace parity::logs {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(HostileLog, DeepJson_IsRefused) {
  const std::string deep = "{\"step\": 1, \"a\": " + std::string(1'000'000, '[') + "}\n";
  EXPECT_THAT(message_of([&] { json_lines(deep); }),
              AllOf(HasSubstr("a.jsonl (line 1: "), HasSubstr("expected")));
  EXPECT_THAT(message_of([&] { trainer_state(std::string(1'000'000, '[')); }), HasSubstr("nests more than"));
}

TEST(HostileLog, CutOffLine_IsNamed) {
  EXPECT_THAT(message_of([] { json_lines("{\"step\": 1, \"loss\": 2}\n{\"step\": 2, \"lo"); }),
              HasSubstr("a.jsonl (line 2: an object that does not end"));
  EXPECT_THAT(message_of([] { table("step,loss\n1,2\n2"); }),
              HasSubstr("a.csv (line 3: 1 cells, expected 2"));
  EXPECT_THAT(message_of([] { table("step,loss\n1,\"2"); }), HasSubstr("never closed"));
}

TEST(HostileLog, LongLine_IsRefused) {
  const std::string line(longest_line + 1, 'x');
  EXPECT_THAT(message_of([&] { json_lines(line); }), HasSubstr("line 1: longer than"));
  EXPECT_THAT(message_of([&] { table("step,loss\n1,\"" + line); }), HasSubstr("line 2: longer than"));
}

TEST(HostileLog, Binary_IsRefused) {
  EXPECT_THAT(message_of([] { text_lines(std::string("ab\0c", 4)); }), HasSubstr("NUL byte"));
}

TEST(HostileLog, CompressedFile_IsNamed) {
  using namespace std::string_literals;
  const std::pair<std::string, const char*> files[] = {{"\x1f\x8b\x08\0"s, "compressed by gzip"},
                                                       {"\x28\xb5\x2f\xfd"s, "compressed by zstd"},
                                                       {"\xfd"
                                                        "7zXZ\0"s,
                                                        "compressed by xz"},
                                                       {"BZh9"s, "compressed by bzip2"}};
  for (const auto& [bytes, cause] : files)
    EXPECT_THAT(message_of([&] { text_lines(bytes); }), HasSubstr("line 1: "s + cause)) << cause;
}

TEST(HostileLog, BadNames_AreRefused) {
  for (const char* name : {"../../x", "a\\u001b[2J", "a/../b", "", ".."})
    EXPECT_THAT(message_of([&] { json_lines("{\"step\": 1, \"" + std::string(name) + "\": 2}\n"); }),
                HasSubstr("line 1: "))
        << name;
}

TEST(HostileLog, BadSteps_AreRefused) {
  for (const char* step : {"-1", "1.5", "1e300", "NaN"})
    EXPECT_THAT(message_of([&] { json_lines("{\"step\": " + std::string(step) + ", \"loss\": 2}\n"); }),
                HasSubstr("expected a whole number"))
        << step;
  EXPECT_THAT(message_of([] { json_lines("{\"loss\": 2}\n"); }), HasSubstr("no entry has a step number"));
}

TEST(HostileLog, BigInteger_IsRefused) {
  EXPECT_THAT(message_of([] { json_lines("{\"step\": 1, \"sum\": 9007199254740993}\n"); }),
              HasSubstr("2^53"));
  EXPECT_THAT(message_of([] { table("step,sum\n1,9007199254740993\n"); }), HasSubstr("2^53"));
}

}  // namespace
}  // namespace parity::logs
