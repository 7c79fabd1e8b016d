// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Laws over runs of parity-train that stop and resume: nothing is lost, or what is lost has a name.
#include "tests/end_to_end/laws/lawful_fixture.hpp"

namespace parity {
namespace {
using testing::HasSubstr;

class RestartRunTest : public LawfulRunTest {
 protected:
  static suite::PlannedRun restarted(const Json& excluded = Json::array()) {
    suite::PlannedRun run = run_of();
    run.restart_after = 3;
    run.config["checkpoint.restart_after"] = 3;
    run.config["checkpoint.exclude_from_loading"] = excluded;
    return run;
  }
  static suite::PlannedRun with_experts(suite::PlannedRun run) {
    run.config["model"] = "qwen3.debug_moe_8";
    run.config["moe.hidden"] = 16;
    return run;
  }
  /// The sentences of the law about a run that loaded all but these parts.
  std::vector<std::string> lost(const Json& excluded) const {
    std::vector<std::string> sentences;
    const Audit audit = laws::audit(train(restarted(excluded)));
    for (const laws::Departure& each : finding(audit, "restart").departures)
      sentences.push_back(each.sentence);
    return sentences;
  }
};

TEST_F(RestartRunTest, WholeState_IsLawful) {
  const trace::Trace trace = train(restarted());
  expect_lawful(trace);
  const Audit audit = laws::audit(trace);
  const laws::Finding& found = finding(audit, "restart");
  EXPECT_EQ(found.answer(), Answer::holds) << found.why;
  EXPECT_THAT(found.notes, testing::IsEmpty());
}

TEST_F(RestartRunTest, OtherLayout_IsLawful) {
  suite::PlannedRun run = restarted();
  run.ranks = 2;
  run.config["parallel.dp_replicate"] = 2;
  run.config["checkpoint.resume_dp_replicate"] = 1;
  run.config["checkpoint.resume_dp_shard"] = 2;
  EXPECT_EQ(finding(laws::audit(train(run)), "restart").answer(), Answer::holds);
}

TEST_F(RestartRunTest, LostState_IsNamed) {
  const Audit audit = laws::audit(train(restarted(Json::array({"optimizer"}))));
  EXPECT_EQ(finding(audit, "update").departures.at(0).step, 4);
  EXPECT_EQ(
      sentence(audit, "update"),
      "every tensor: exp_avg and exp_avg_sq: starts from zero, so the state of the update before was lost");
  EXPECT_EQ(finding(audit, "restart").departures.size(), 2U);
}

TEST_F(RestartRunTest, EachLostPart_IsNamed) {
  EXPECT_THAT(lost(Json::array({"optimizer"})),
              testing::Contains("exp_avg and exp_avg_sq of every tensor: not restored after update 3: starts "
                                "from zero"));
  EXPECT_THAT(lost(Json::array({"optimizer.step"})),
              testing::ElementsAre("optimizer_steps: not restored after update 3: is 0 in place of 3"));
  EXPECT_THAT(lost(Json::array({"schedule"})),
              testing::ElementsAre("schedule_position: not restored after update 3: is 0 in place of 3"));
  EXPECT_THAT(lost(Json::array({"data"})),
              testing::ElementsAre("data_position: not restored after update 3: is 0 in place of 36"));
}

TEST_F(RestartRunTest, RowsOfABlend_AreSeen) {
  const auto blended = [](suite::PlannedRun run) {
    const std::string texts = places::source + "/cases/data/texts/";
    run.config["architecture.vocab_size"] = 320;
    run.config["data.source"] = "tokens";
    run.config["data.paths"] = Json::array({texts + "prose.idx", texts + "sums.idx"});
    run.config["data.weights"] = Json::array({3, 1});
    return run;
  };
  EXPECT_EQ(finding(laws::audit(train(blended(restarted()))), "restart").answer(), Answer::holds);
  std::vector<std::string> sentences;
  const Audit audit = laws::audit(train(blended(restarted(Json::array({"data"})))));
  for (const laws::Departure& each : finding(audit, "restart").departures)
    sentences.push_back(each.sentence);
  EXPECT_THAT(sentences, testing::UnorderedElementsAre(
                             "data_position: not restored after update 3: is 0 in place of 36",
                             "data_rows: not restored after update 3: is 0, 0 in place of 27, 9"));
}

TEST_F(RestartRunTest, RouterBiases_AreSeen) {
  const Audit right = laws::audit(train(with_experts(restarted())));
  EXPECT_EQ(finding(right, "restart").answer(), Answer::holds);
  const Audit wrong = laws::audit(train(with_experts(restarted(Json::array({"router_biases"})))));
  EXPECT_THAT(sentence(wrong, "restart"), HasSubstr("router bias of layers.0.moe.expert_bias: not restored"));
}

}  // namespace
}  // namespace parity
