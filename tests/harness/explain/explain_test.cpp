// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/harness/explain/explain_fixture.hpp"

namespace parity::explain {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST_F(ExplainTest, SameRecipes_Agree) {
  const Explanation found = explain_pair(run_of(), run_of());
  EXPECT_THAT(rows(found), IsEmpty());
  EXPECT_EQ(found.exit_code(), ExitCode::agree);
  EXPECT_THAT(part(found, "weights").same, testing::Contains("initial values of 3 parameters"));
  EXPECT_THAT(part(found, "data").same, testing::Contains("batches of 4 updates, in order"));
  EXPECT_THAT(found.verdict(),
              HasSubstr("agree in everything that both traces say; 1 point could not be compared"));
}

TEST_F(ExplainTest, EmptyTraces_AreNoAgreement) {
  PlantedRun bare;
  const Explanation found = explain_pair(bare, bare);
  EXPECT_THAT(rows(found), IsEmpty());
  EXPECT_EQ(found.exit_code(), ExitCode::missing);
  EXPECT_THAT(found.verdict(), HasSubstr("nothing could be compared"));
  EXPECT_THAT(unknown(found),
              AllOf(HasSubstr("learning rate (record the channel lr)"), HasSubstr("batches (record"),
                    HasSubstr("settings of the optimizer (record")));
}

TEST_F(ExplainTest, LossesAlone_AreNoAgreement) {
  PlantedRun run;
  run.channels = {{"loss", std::vector<double>{3, 2, 1}}};
  PlantedRun longer = run;
  longer.channels = {{"loss", std::vector<double>{3, 2, 1, 0}}};
  EXPECT_EQ(explain_pair(run, run).exit_code(), ExitCode::missing);
  EXPECT_THAT(rows(explain_pair(run, longer)), ElementsAre("data: updates: 3 | 4"));
}

TEST_F(ExplainTest, WhatOneSideDoesNotSay_IsNoAgreement) {
  PlantedRun second = run_of();
  second.provenance["recipe"].erase("micro_batches");
  const Explanation found = explain_pair(run_of(), second);
  EXPECT_THAT(rows(found), IsEmpty());
  EXPECT_THAT(unknown(found), HasSubstr("micro-batches of an update (only the first says it: 2; record"));
}

TEST_F(ExplainTest, DecayOfNormsInOneRun_IsNamedByParameter) {
  PlantedRun second = run_of();
  second.channels["weight_decay.1"] = std::vector<double>(4, 0.1);
  const Explanation found = explain_pair(run_of(), second);
  EXPECT_THAT(rows(found), ElementsAre("optimizer: weight_decay of norm.weight (1 parameter): 0 | 0.1"));
  EXPECT_EQ(found.exit_code(), ExitCode::differ);
}

TEST_F(ExplainTest, GroupsInAnotherOrder_AreTheSame) {
  PlantedRun second = run_of();
  std::swap(second.channels["weight_decay"], second.channels["weight_decay.1"]);
  Json& groups = second.provenance["recipe"]["groups"];
  std::swap(groups[0], groups[1]);
  EXPECT_THAT(rows(explain_pair(run_of(), second)), IsEmpty());
}

TEST_F(ExplainTest, OneGroupAgainstTwo_IsComparedByParameter) {
  PlantedRun second = run_of();
  second.channels.erase("weight_decay.1");
  second.provenance["recipe"]["groups"] = {
      {{"parameters", {{"layers.*.wq.weight", 2}, {"norm.weight", 1}}}, {"settings", {{"amsgrad", false}}}}};
  EXPECT_THAT(rows(explain_pair(run_of(), second)),
              ElementsAre("optimizer: weight_decay of norm.weight (1 parameter): 0 | 0.1"));
}

TEST_F(ExplainTest, SomeLayersInAnotherGroup_AreCounted) {
  PlantedRun second = run_of();
  second.provenance["recipe"]["groups"] = {{{"parameters", {{"layers.*.wq.weight", 1}}}},
                                           {{"parameters", {{"layers.*.wq.weight", 1}, {"norm.weight", 1}}}}};
  const auto lines = rows(explain_pair(run_of(), second));
  EXPECT_THAT(lines,
              testing::Contains("optimizer: weight_decay of layers.*.wq.weight (2 parameters): 0.1 | 0 (1 of "
                                "2), 0.1 (1 of 2)"));
}

TEST_F(ExplainTest, ParameterWithoutOptimizer_IsNamed) {
  PlantedRun second = run_of();
  second.provenance["recipe"]["without_optimizer"] = {{"norm.weight", 1}};
  EXPECT_THAT(rows(explain_pair(run_of(), second)),
              ElementsAre("weights: parameters without an optimizer: none | norm.weight"));
}

TEST_F(ExplainTest, OtherInitialValues_AreNamedByPattern) {
  PlantedRun second = run_of();
  for (PlantedTensor& tensor : second.tensors)
    if (tensor.key.name != "norm.weight")
      tensor.values = std::vector<float>{1, 2, 4};
  EXPECT_THAT(
      rows(explain_pair(run_of(), second)),
      ElementsAre(AllOf(HasSubstr("weights: initial values of layers.*.wq.weight (2 parameters): norm 3.74"),
                        HasSubstr(" | norm 4.58"))));
}

TEST_F(ExplainTest, InitialNaN_IsNoAgreement) {
  PlantedRun run = run_of();
  run.tensors.front().values = std::vector<float>{1, 2, std::nanf("")};
  EXPECT_THAT(rows(explain_pair(run, run)), ElementsAre(HasSubstr("layers.0.wq.weight (1 parameter): norm")));
}

TEST_F(ExplainTest, OtherNames_AreNotPaired) {
  PlantedRun second = run_of();
  for (PlantedTensor& tensor : second.tensors)
    tensor.key.name = "model." + tensor.key.name;
  const Explanation found = explain_pair(run_of(), second);
  EXPECT_THAT(unknown(found), HasSubstr("initial values (no parameter has the same name in both)"));
}

TEST_F(ExplainTest, BatchesInAnotherOrder_AreTold) {
  PlantedRun second = run_of();
  second.channels["batch_digest"] = std::vector<int64_t>{11, 13, 12, 14};
  const Explanation found = explain_pair(run_of(), second);
  EXPECT_THAT(rows(found),
              ElementsAre("data: batches, from update 2 on (2 of 4 differ): read by update 3 of the "
                          "second | read by update 3 of the first"));
  EXPECT_EQ(part(found, "data").rows.front().why, "the same batches in another order");
}

TEST_F(ExplainTest, TokensAndMicroBatches_AreRows) {
  PlantedRun second = run_of();
  second.channels["tokens"] = std::vector<int64_t>{64, 64, 64, 128};
  second.provenance["recipe"]["micro_batches"] = 8;
  EXPECT_THAT(rows(explain_pair(run_of(), second)),
              ElementsAre("data: tokens of an update: 64 | from 64 to 128",
                          "data: micro-batches of an update: 2 | 8"));
}

TEST_F(ExplainTest, LaggingSchedule_HasItsCauseAndKey) {
  PlantedRun second = run_of();
  second.channels["lr"] = std::vector<double>{0.0, 0.1, 0.2, 0.3};
  second.config["lr"]["warmup_steps"] = 5;
  const Explanation found = explain_pair(run_of(), second);
  ASSERT_THAT(rows(found), ElementsAre("schedule: lr, first at update 1 (4 of 4 differ): 0.1 | 0"));
  const Row& row = part(found, "schedule").rows.front();
  EXPECT_THAT(row.why, HasSubstr("by 1 step"));
  EXPECT_THAT(row.keys, ElementsAre("lr.warmup_steps (4; 5)"));
}

TEST_F(ExplainTest, KeyOfTwoRows_AppearsAtTheFirst) {
  PlantedRun first = run_of(), second = run_of();
  first.provenance["mesh"] = "1 rank";
  second.provenance["mesh"] = "tp 2";
  first.provenance["device"] = "cpu";
  second.provenance["device"] = "cuda";
  first.config["device"] = "cpu";
  second.config["device"] = "cuda";
  second.config["parallel"] = {{"tp", 2}};
  const Explanation found = explain_pair(first, second);
  std::vector<std::string> keys;
  for (const Row& row : part(found, "layout").rows)
    keys.insert(keys.end(), row.keys.begin(), row.keys.end());
  EXPECT_THAT(keys, ElementsAre("parallel.tp (not there; 2)", "device (cpu; cuda)"));
  EXPECT_THAT(part(found, "config").rows, IsEmpty());
}

TEST_F(ExplainTest, KeyThatExplainsNoRow_IsARow) {
  PlantedRun second = run_of();
  second.config["lr"]["warmup_steps"] = 5;
  second.config["extra"] = true;
  EXPECT_THAT(rows(explain_pair(run_of(), second)),
              ElementsAre("config: extra: not there | true", "config: lr.warmup_steps: 4 | 5"));
}

TEST_F(ExplainTest, Clipping_IsCompared) {
  PlantedRun second = run_of();
  second.provenance["recipe"]["clip"] = {{"max_norm", 2.5}, {"norm_type", "inf"}};
  EXPECT_THAT(rows(explain_pair(run_of(), second)),
              ElementsAre("clipping: norm to which gradients are clipped: 1 | 2.5",
                          "clipping: order of the clipped norm: 2 | inf",
                          "clipping: updates in which clipping acts: 2 | 1"));
  second.provenance["recipe"]["clip"] = {{"max_norm", "inf"}};
  EXPECT_THAT(rows(explain_pair(run_of(), second)),
              ElementsAre("clipping: norm to which gradients are clipped: 1 | inf",
                          "clipping: updates in which clipping acts: 2 | 0"));
  second.provenance["recipe"].erase("clip");
  EXPECT_THAT(rows(explain_pair(run_of(), second)),
              ElementsAre("clipping: norm to which gradients are clipped: 1 | none seen"));
  second.provenance["recipe"]["clip"] = {{"max_norm", {1, 0.5}}, {"norm_type", 2}};  // of two calls
  EXPECT_THAT(rows(explain_pair(run_of(), second)),
              ElementsAre("clipping: norm to which gradients are clipped: 1 | [1,0.5]"));
}

TEST_F(ExplainTest, ClippingByValue_IsCompared) {
  PlantedRun first = run_of(), second = run_of();
  first.config.erase("clip");
  second.config.erase("clip");
  first.provenance["recipe"].erase("clip");
  second.provenance["recipe"]["clip"] = {{"value", 0.01}};
  EXPECT_THAT(rows(explain_pair(first, second)),
              ElementsAre("clipping: value to which elements of gradients are clipped: none seen | 0.01"));
  first.provenance["recipe"]["clip"] = {{"value", {0.01, 0.02}}};
  EXPECT_THAT(rows(explain_pair(first, second)),
              ElementsAre("clipping: value to which elements of gradients are clipped: [0.01,0.02] | 0.01"));
  EXPECT_THAT(rows(explain_pair(second, second)), IsEmpty());
}

TEST_F(ExplainTest, OperatorsAndTheirPrecision_AreCompared) {
  const auto with = [](PlantedRun run, const char* attention, auto zero) {
    using Value = decltype(zero);
    run.tensors.push_back({{1, Phase::forward, "layers.0.wq@0:aten::mm:out.0"}, std::vector<Value>{1}});
    run.tensors.push_back(
        {{1, Phase::forward, std::string("layers.0@1:") + attention + ":out.0"}, std::vector<float>{1}});
    run.tensors.push_back({{1, Phase::grad, "optimizer@0:c10d::allreduce_:out.0"}, std::vector<float>{1}});
    return run;
  };
  PlantedRun second = with(run_of(), "aten::_flash_attention_forward", double());
  second.tensors.push_back({{1, Phase::grad, "optimizer@1:c10d::allreduce_:out.0"}, std::vector<float>{1}});
  EXPECT_THAT(
      rows(explain_pair(with(run_of(), "aten::_scaled_dot_product_flash_attention_for_cpu", 0.F), second)),
      ElementsAre("operators: collectives of an update: 1 c10d::allreduce_ | 2 c10d::allreduce_",
                  "operators: attention: aten::_scaled_dot_product_flash_attention_for_cpu | "
                  "aten::_flash_attention_forward",
                  "operators: precision of matrix products: float32 | float64"));
}

TEST_F(ExplainTest, OtherEnvironmentAlone_IsAgreement) {
  PlantedRun second = run_of();
  second.provenance["torch"] = "2.12.0";
  const Explanation found = explain_pair(run_of(), second);
  EXPECT_THAT(rows(found), ElementsAre("environment: torch: 2.11.0 | 2.12.0"));
  EXPECT_EQ(found.exit_code(), ExitCode::agree);
  EXPECT_THAT(found.verdict(), HasSubstr("their environments differ in 1 point"));
}

TEST_F(ExplainTest, Json_HasAllTopics) {
  const Json json = explain_pair(run_of(), run_of()).to_json();
  EXPECT_EQ(json.at("schema"), "parity.explain/1");
  EXPECT_EQ(json.at("exit_code"), 0);
  EXPECT_EQ(json.at("topics").size(), 9);
}

/// A capture of some parameters only does not make another model.
TEST_F(ExplainTest, AParameterThatACaptureLeftOut_IsNotCompared) {
  PlantedRun second = run_of();
  second.tensors.pop_back();
  const Explanation found = explain_pair(run_of(), second);
  EXPECT_THAT(rows(found), testing::IsEmpty());
  EXPECT_THAT(unknown(found), testing::HasSubstr("1 parameter that one trace alone recorded"));
  second.provenance["recipe"]["parameters"]["count"] = 2;
  EXPECT_THAT(rows(explain_pair(run_of(), second)),
              testing::Contains("weights: parameters of one run only: norm.weight | none"));
}

}  // namespace
}  // namespace parity::explain
