// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/rl/controller.hpp"

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "harness/base/json/json.hpp"
#include "reference/train/step/trainer.hpp"
#include "tests/reference/rl/rollouts.hpp"
#include "tests/support/ranks.hpp"

namespace parity::reference {
namespace {

class ControllerTest : public RanksTest {
 protected:
  static RunConfig tiny_policy() {
    RunConfig config = policy_config();
    config.lr.base = 0.01;
    config.rl.max_new_tokens = 3;
    return config;
  }

  /// Returns the gaps of the second update of a run on one rank.
  std::map<std::string, double> second_bill(const RunConfig& config) {
    std::map<std::string, double> bill;
    const std::filesystem::path file = folder / "bill.json";
    for (const std::string& complaint : run_ranks(1, [&](Group& world) {
           Trainer trainer(config, held(world));
           Controller controller(trainer);
           controller.update();
           write_file(file, Json(controller.update().policy->gap).dump());
         }))
      EXPECT_EQ(complaint, "");
    return Json::parse(read_file(file)).get<std::map<std::string, double>>();
  }
};

TEST_F(ControllerTest, Bill_EqualWeights_AreExactlyZero) {
  RunConfig config = tiny_policy();
  config.rl.bill = true;
  const std::map<std::string, double> bill = second_bill(config);
  EXPECT_EQ(bill.at("gap_weights"), 0);
  EXPECT_EQ(bill.at("gap_dtype"), 0);
  EXPECT_EQ(bill.at("gap"), bill.at("gap_arithmetic"));
}

TEST_F(ControllerTest, Bill_AForgottenWeight_IsInItsPart) {
  RunConfig config = tiny_policy();
  config.rl.bill = true;
  config.rl.push_omits = {"layers.1.feed_forward.w2.weight"};
  const std::map<std::string, double> bill = second_bill(config);
  EXPECT_GT(bill.at("gap.layers.1"), 0);
  EXPECT_EQ(bill.at("gap_weights"), bill.at("gap.layers.1"));
  EXPECT_EQ(bill.at("gap.layers.0"), 0);
}

TEST_F(ControllerTest, Bill_ANarrowGenerator_HasAGapOfItsDtype) {
  RunConfig config = tiny_policy();
  config.rl.bill = true;
  config.rl.generator.dtype = GeneratorPrecision::bfloat16;
  const std::map<std::string, double> bill = second_bill(config);
  EXPECT_GT(bill.at("gap_dtype"), 0);
  EXPECT_EQ(bill.at("gap_weights"), 0) << "they are the trainer's, rounded";
}

TEST_F(ControllerTest, ImportedScores_OfOlderVersionsAreCompared) {
  RunConfig config = tiny_policy();
  config.steps = 2;
  config.data.path = (folder / "r.jsonl").string();
  config.rl.max_lag = 1;
  config.rl.largest_gap = 25;
  const auto write = [&](int last) {  // all are of version 0; update 2 takes the second half
    std::string text;
    for (int64_t i = 0; i < 2 * config.data.global_batch; ++i)
      text += R"({"prompt": [1, 2], "tokens": [3], "logprobs": [)" +
              std::to_string(i + 1 < 2 * config.data.global_batch ? -2 : last) +
              R"(], "reward": 0, "version": 0})"
              "\n";
    write_file(config.data.path, text);
  };
  const auto train = [&](int updates) {
    return run_ranks(1, [&](Group& world) {
      Trainer trainer(config, held(world));
      Controller controller(trainer);
      for (int update = 0; update < updates; ++update)
        require(controller.update().policy->rollouts_checked == 1.0, "a token of version 0 was not scored");
    });
  };
  write(-2);
  EXPECT_THAT(train(2), testing::Each(""));
  write(-40);
  EXPECT_THAT(train(1),
              testing::Each(testing::HasSubstr("r.jsonl:" + std::to_string(2 * config.data.global_batch) +
                                               " does not come from this policy")));
}

TEST_F(ControllerTest, ImportedScores_OfVersionsBeforeTheStart_AreNoAgreement) {
  RunConfig config = tiny_policy();
  config.steps = 2;
  config.data.path = (folder / "r.jsonl").string();
  config.rl.max_lag = 1;
  config.rl.largest_gap = 25;
  std::string text;
  for (int64_t i = 0; i < 2 * config.data.global_batch; ++i)
    text += "{\"prompt\": [1, 2], \"tokens\": [3], \"logprobs\": [-2], \"reward\": 0, \"version\": 0}\n";
  write_file(config.data.path, text);
  for (const std::string& complaint : run_ranks(1, [&](Group& world) {
         Trainer trainer(config, held(world));
         Controller(trainer).update();
         Controller(trainer).update();  // as a process that resumes at version 1
       }))
    EXPECT_THAT(complaint, testing::HasSubstr("rl.largest_gap has nothing to compare in update 2"));
}

TEST_F(ControllerTest, ImportedScores_AreRefusedAlikeOnEveryRank) {
  RunConfig config = tiny_policy();
  config.parallel.dp_shard = 2;
  config.data.path = (folder / "r.jsonl").string();
  config.rl.largest_gap = 0.01;
  std::string text;
  for (int i = 0; i < 8; ++i)  // the last rank's last row is the farthest
    text += R"({"prompt": [1, 2], "tokens": [3], "logprobs": [-)" + std::to_string(i + 20) +
            R"(], "reward": 0, "version": 0})"
            "\n";
  write_file(config.data.path, text);
  for (const std::string& complaint : run_ranks(2, [&](Group& world) {
         Trainer trainer(config, held(world));
         Controller(trainer).update();
       }))
    EXPECT_THAT(complaint, testing::HasSubstr("r.jsonl:8 does not come from this policy: it gives the token "
                                              "after position 1 the log probability -27"));
}

}  // namespace
}  // namespace parity::reference
