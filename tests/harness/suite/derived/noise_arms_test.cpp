// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/derived/noise_arms.hpp"

#include <gmock/gmock.h>

namespace parity::suite {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Arm arm_of(const std::string& name = "a") {
  Arm arm;
  arm.name = name;
  return arm;
}

FlatConfig config_of(const FlatConfig& more = {}) {
  FlatConfig config = {{"dtype", "float32"},
                       {"threads", 1},
                       {"data.global_batch", 4},
                       {"data.micro_batches", 1},
                       {"parallel.dp_replicate", 1},
                       {"parallel.dp_shard", 1},
                       {"train.autocast", false},
                       {"parallel.mixed_precision", "none"},
                       {"loss.normalization", "global_tokens"}};
  for (const auto& [key, value] : more)
    config[key] = value;
  return config;
}

std::vector<std::string> arm_names_of(const NoisePlan& plan) {
  std::vector<std::string> names;
  for (const NoiseArm& noise : plan.noise)
    names.push_back(noise.arm.name());
  return names;
}

TEST(NoiseArmsTest, AnArmIsRunInEveryOtherWayToTheSameNumbers) {
  const NoisePlan plan = plan_noise(arm_of(), config_of(), Profile::portable, 2);
  EXPECT_THAT(arm_names_of(plan), ElementsAre("a~twin", "a~perturbed1", "a~perturbed2", "a~threads2",
                                              "a~native", "a~micro_batches2"));
  EXPECT_EQ(plan.noise[0].arm.config.at("dtype"), "float64");
  const trace::Fault& fault = plan.noise[2].arm.faults.at(0);
  EXPECT_EQ(fault.kind, trace::FaultKind::perturb);
  EXPECT_EQ(fault.phase, trace::Phase::param);
  EXPECT_THAT(fault.steps, ElementsAre(0));
  EXPECT_EQ(fault.size, 0x1p-23);
  EXPECT_NE(fault.seed, plan.noise[1].arm.faults.at(0).seed);
  EXPECT_EQ(plan.noise[3].arm.config.at("threads"), 2);
  EXPECT_EQ(plan.noise[4].arm.profile, Profile::native);
  EXPECT_EQ(plan.noise[5].arm.config.at("data.micro_batches"), 2);
  EXPECT_EQ(plan.origin(), "a");
  EXPECT_EQ(plan.factor(), 1);
  EXPECT_TRUE(plan.left_out.empty());
}

TEST(NoiseArmsTest, TheNoiseOf16BitsIsThatOfFloat32Times2To16) {
  for (const FlatConfig& more :
       {FlatConfig{{"train.autocast", true}}, FlatConfig{{"parallel.mixed_precision", "bf16"}}}) {
    const NoisePlan plan = plan_noise(arm_of(), config_of(more), Profile::portable, 2);
    EXPECT_EQ(plan.origin(), "a~float32");
    EXPECT_EQ(plan.factor(), 65536);
    for (const NoiseArm& noise : plan.noise) {
      EXPECT_EQ(noise.arm.config.at("train.autocast"), false) << noise.arm.name();
      EXPECT_EQ(noise.arm.config.at("parallel.mixed_precision"), "none") << noise.arm.name();
    }
    EXPECT_EQ(plan.noise[3].arm.name(), "a~float32.threads2");
  }
}

TEST(NoiseArmsTest, MicroBatchesAreCutAsRowsAllow) {
  const auto cut = [](const FlatConfig& more) {
    const NoisePlan plan = plan_noise(arm_of(), config_of(more), Profile::portable, 2);
    const auto found = std::find_if(plan.noise.begin(), plan.noise.end(), [](const NoiseArm& noise) {
      return noise.kind == compare::NoiseKind::micro_batches;
    });
    return found == plan.noise.end() ? Json(plan.left_out.back())
                                     : found->arm.config.at("data.micro_batches");
  };
  EXPECT_EQ(cut({{"data.micro_batches", 4}}), 2);  // 8 would leave half a row
  const FlatConfig two_ranks = {{"data.global_batch", 8}, {"parallel.dp_shard", 2}};
  EXPECT_EQ(cut(two_ranks), 2);
  EXPECT_THAT(cut({{"data.global_batch", 3}}).get<std::string>(), HasSubstr("cannot be split"));
  EXPECT_THAT(cut({{"loss.normalization", "microbatch_mean"}}).get<std::string>(),
              HasSubstr("change the computation"));
}

TEST(NoiseArmsTest, ACommandIsRunInOtherEnvironmentsOnly) {
  Arm arm = arm_of();
  arm.command = {"train"};
  arm.float64 = false;
  const NoisePlan plan = plan_noise(arm, {}, Profile::native, 2);
  EXPECT_THAT(arm_names_of(plan), ElementsAre("a~threads2", "a~portable"));
  EXPECT_THAT(plan.left_out, ElementsAre(HasSubstr("twin: the command"), HasSubstr("perturbed: "),
                                         HasSubstr("micro_batches: ")));
}

}  // namespace
}  // namespace parity::suite
