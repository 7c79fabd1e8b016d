// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/rl/imported_rollouts.hpp"

#include <cmath>

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "tests/support/scratch.hpp"

namespace parity::reference {
namespace {

constexpr const char* good =
    R"({"prompt": [1, 2], "tokens": [3, 4], "logprobs": [-1.5, -0.25], "reward": 1, "version": 0, "id": "x"})";

class ImportedRolloutsTest : public FolderTest {
 protected:
  ImportedRollouts read(const std::string& text) const {
    RunConfig config;
    config.data.path = (folder / "r.jsonl").string();
    config.data.global_batch = config.rl.group_size = 2;
    write_file(config.data.path, text);
    return {config, 12};
  }

  /// Returns what reading a good line and then another one says.
  std::string refusal(const std::string& line) const {
    try {
      read(std::string(good) + "\n" + line + "\n");
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(ImportedRolloutsTest, GivesTheRowsOfEachUpdate) {
  std::string text;
  for (int i = 0; i < 4; ++i)
    text += std::string(good) + "\n" + (i == 1 ? "\n" : "");
  const ImportedRollouts imported = read(text);
  const std::vector<Rollout> rollouts = imported.of_update(2);
  ASSERT_EQ(rollouts.size(), 2U);
  EXPECT_EQ(rollouts[0].prompt, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(rollouts[0].completion, (std::vector<int64_t>{3, 4}));
  EXPECT_EQ(rollouts[0].logprobs, (std::vector<double>{-1.5, -0.25}));
  EXPECT_EQ(rollouts[0].reward, 1);
  EXPECT_EQ(imported.place(2, 0), "r.jsonl:4") << "an empty line has a number, too";
  EXPECT_THAT([&] { imported.of_update(3); }, testing::ThrowsMessage<UserError>(testing::HasSubstr(
                                                  "has 4 rollouts, and update 3 needs those up to 6")));
}

TEST_F(ImportedRolloutsTest, GroupsOfOtherSizes_BeginAnewInEachUpdate) {
  const auto line = [](int prompt) {
    return R"({"prompt": [)" + std::to_string(prompt) +
           R"(], "tokens": [3], "logprobs": [-1], "reward": 1, "version": 0})" + "\n";
  };
  RunConfig config;
  config.data.path = (folder / "r.jsonl").string();
  config.data.global_batch = 3;
  config.rl.group_sizes = {1, 2};
  write_file(config.data.path, line(1) + line(2) + line(2) + line(3) + line(4) + line(4));
  EXPECT_EQ(ImportedRollouts(config, 12).of_update(2)[0].prompt, std::vector<int64_t>{3});
  write_file(config.data.path, line(1) + line(2) + line(2) + line(3) + line(4) + line(5));
  EXPECT_THAT([&] { ImportedRollouts(config, 12); },
              testing::ThrowsMessage<UserError>(testing::HasSubstr(
                  "r.jsonl:6 has another prompt than line 5 (of rl.group_sizes = 2 successive lines")));
}

TEST_F(ImportedRolloutsTest, NullIsAnUnknownLogProbability) {
  std::string text = good;
  text.replace(text.find("-0.25"), 5, "null");
  const Rollout rollout = read(text + "\n" + text).of_update(1)[0];
  EXPECT_TRUE(std::isnan(rollout.logprobs[1]));
}

TEST_F(ImportedRolloutsTest, MissingAndEmptyFilesAreRefused) {
  RunConfig config;
  config.data.path = (folder / "none.jsonl").string();
  EXPECT_THAT([&] { ImportedRollouts(config, 12); },
              testing::ThrowsMessage<UserError>(testing::HasSubstr("does not exist")));
  EXPECT_THAT([&] { read(""); }, testing::ThrowsMessage<UserError>(testing::HasSubstr("is empty")));
  EXPECT_THAT([&] { read(" \n\n"); }, testing::ThrowsMessage<UserError>(testing::HasSubstr("is empty")));
}

TEST_F(ImportedRolloutsTest, BadLinesAreRefusedByPlaceAndCause) {
  using testing::HasSubstr;
  const auto changed = [](const std::string& from, const std::string& to) {
    std::string text = good;
    return text.replace(text.find(from), from.size(), to);
  };
  for (const char* member : {"prompt", "tokens", "logprobs", "reward", "version"})
    EXPECT_THAT(refusal(changed("\"" + std::string(member), "\"x")),
                HasSubstr("r.jsonl:2 has no \"" + std::string(member) + "\""));
  EXPECT_THAT(refusal(changed("-0.25", "-0.25, -1")), HasSubstr("2 tokens and 3 log probabilities"));
  EXPECT_THAT(refusal(changed("-0.25", "NaN")), HasSubstr("is not JSON, which has no NaN or Infinity"));
  EXPECT_THAT(refusal(changed("-0.25", "0.25")), HasSubstr("the log probability 0.25"));
  EXPECT_THAT(refusal(changed("-0.25", "\"a\"")), HasSubstr("as a log probability"));
  EXPECT_THAT(refusal(changed("[3, 4]", "[3, 12]")),
              HasSubstr("token 12 in \"tokens\" (the vocabulary has 12)"));
  EXPECT_THAT(refusal(changed("[1, 2]", "[1, -2]")), HasSubstr("token -2 in \"prompt\""));
  EXPECT_THAT(refusal(changed("[3, 4]", "[3, 4.5]")), HasSubstr("tokens are integers"));
  EXPECT_THAT(refusal(changed("[3, 4]", "[]")), HasSubstr("no list of numbers as \"tokens\""));
  EXPECT_THAT(refusal(changed("\"reward\": 1", "\"reward\": null")), HasSubstr("as \"reward\""));
  EXPECT_THAT(refusal(changed("\"reward\": 1", "\"reward\": 1e999")), HasSubstr("r.jsonl:2"));
  EXPECT_THAT(refusal(changed("\"version\": 0", "\"version\": -1")), HasSubstr("as \"version\""));
  EXPECT_THAT(refusal(changed("[1, 2]", "[2, 2]")), HasSubstr("r.jsonl:2 has another prompt than line 1"));
  EXPECT_THAT(refusal("[1]"), HasSubstr("is not an object"));
  EXPECT_THAT(refusal(std::string(good).substr(0, 40)), HasSubstr("r.jsonl:2 is not JSON"));
}

}  // namespace
}  // namespace parity::reference
