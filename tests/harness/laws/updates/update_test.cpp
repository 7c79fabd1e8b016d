// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "harness/laws/laws.hpp"
#include "harness/tensor/conversions.hpp"
#include "tests/harness/laws/law_fixture.hpp"

namespace parity::laws {
namespace {

using testing::HasSubstr;

class UpdateLawTest : public LawTest {
 protected:
  /// Asks about a run that was trained with `training` while its trace says what `trained()` says.
  Finding ask_trained_as(const Training& training) {
    PlantedRun run = trained(training);
    run.config = trained().config;
    return ask(ask_update, run);
  }
};

TEST_F(UpdateLawTest, AdamW_Holds) {
  const Finding finding = ask(ask_update, trained());
  EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding);
  EXPECT_EQ(finding.checked, 4 * 5 * 3);
  EXPECT_THAT(notes(finding), HasSubstr("AdamW"));
}

TEST_F(UpdateLawTest, AdamWithL2_Holds) {
  Training training;
  training.l2 = true;
  PlantedRun run = trained(training);
  const Finding finding = ask(ask_update, run);
  EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding);
  EXPECT_THAT(notes(finding), HasSubstr("Adam with the weight decay in the gradient (L2)"));
  run.config["optimizer"]["name"] = "adamw";
  EXPECT_THAT(sentence(ask(ask_update, run)), HasSubstr("where the config names AdamW"));
}

TEST_F(UpdateLawTest, WeightsRoundedByTheOptimizer_AreNotAsked) {
  PlantedRun run = trained();
  run.config["optimizer"]["weights"] = "float32";
  EXPECT_EQ(ask(ask_update, run).answer(), Answer::holds);
  run.config["optimizer"]["weights"] = "kahan";
  const Finding finding = ask(ask_update, run);
  EXPECT_EQ(finding.answer(), Answer::not_asked);
  EXPECT_THAT(finding.why, HasSubstr("optimizer.weights"));
}

/// As a trainer does that keeps its weights in bfloat16 by a copy after each step.
TEST_F(UpdateLawTest, WeightsRoundedAfterwards_AreNamed) {
  for (const auto& [type, round] :
       {std::pair<const char*, float (*)(float)>{
            "bfloat16", [](float x) { return bfloat16_to_float(float_to_bfloat16(x)); }},
        {"float16", [](float x) { return float16_to_float(float_to_float16(x)); }}}) {
    PlantedRun run = trained();
    for (PlantedTensor& each : run.tensors)
      if (each.key.phase == Phase::param && each.key.step == 4)
        for (float& value : std::get<std::vector<float>>(each.values))
          value = round(value);
    const Finding finding = ask(ask_update, run);
    ASSERT_EQ(finding.answer(), Answer::departs);
    EXPECT_EQ(sentence(finding),
              fmt::format("every tensor: the parameter after the update was rounded to {}", type));
    scale(tensor(run, 4, Phase::param, "norm.weight"), 2);  // numbers of the type, of another update
    EXPECT_THAT(sentence(ask(ask_update, run)), HasSubstr("norm.weight: no known formula"));
  }
}

/// Puts a step between updates 2 and 3 at which the optimizer does nothing.
PlantedRun with_a_skipped_step(PlantedRun run) {
  std::vector<PlantedTensor> kept;
  for (PlantedTensor& each : run.tensors) {
    if (each.key.step == 2 && (each.key.phase == Phase::param || each.key.phase == Phase::optim)) {
      kept.push_back(each);
      kept.back().key.step = 3;
    }
    each.key.step += each.key.step >= 3 ? 1 : 0;
  }
  run.tensors.insert(run.tensors.end(), kept.begin(), kept.end());
  for (auto& [name, column] : run.channels)
    std::visit([](auto& values) { values.insert(values.begin() + 2, values[1]); }, column);
  run.channels["update_skipped"] = std::vector<double>{0, 0, 1, 0, 0};
  return run;
}

TEST_F(UpdateLawTest, AfterASkippedUpdate_TheOptimizersCountGoesOn) {
  PlantedRun run = with_a_skipped_step(trained());
  const Finding finding = ask(ask_update, run);
  EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding);
  EXPECT_EQ(finding.checked, 4 * 5 * 3);
  EXPECT_THAT(notes(finding), HasSubstr("1 skipped update(s) were not compared"));
  tensor(run, 5, Phase::param, "norm.weight")[0] += 1;
  EXPECT_EQ(ask(ask_update, run).answer(), Answer::departs);
}

TEST_F(UpdateLawTest, OtherDecay_IsNamed) {
  Training training;
  training.decay = 0.2;
  EXPECT_THAT(
      sentence(ask_trained_as(training)),
      HasSubstr("every tensor: the parameter is updated with a weight decay of 0.2 where 0.1 is recorded"));
  training.decay = 0;
  EXPECT_THAT(sentence(ask_trained_as(training)), HasSubstr("without the weight decay 0.1"));
}

TEST_F(UpdateLawTest, OtherBeta_IsNamed) {
  Training training;
  training.beta2 = 0.999;
  EXPECT_THAT(sentence(ask_trained_as(training)),
              HasSubstr("exp_avg_sq: beta is 0.999 where 0.95 is recorded"));
}

TEST_F(UpdateLawTest, OtherEps_IsNamed) {
  Training training;
  training.eps = 1e-4;
  EXPECT_THAT(sentence(ask_trained_as(training)), HasSubstr("eps is 1e-04 where 1e-08 is recorded"));
}

TEST_F(UpdateLawTest, OtherRate_IsNamed) {
  PlantedRun run = trained();
  for (double& rate : channel(run, "lr"))
    rate *= 2;
  const Finding finding = ask(ask_update, run);
  EXPECT_THAT(sentence(finding), HasSubstr("a learning rate of 0.01, 0.5 times the 0.02 that is recorded"));
  EXPECT_NEAR(*finding.departures.front().factor, 0.5, 1e-4);
}

TEST_F(UpdateLawTest, TensorLeftOut_IsNamed) {
  PlantedRun run = trained();
  for (int64_t s = 1; s <= 4; ++s)
    tensor(run, s, Phase::param, "norm.weight") = tensor(run, 0, Phase::param, "norm.weight");
  const Finding finding = ask(ask_update, run);
  EXPECT_EQ(sentence(finding), "norm.weight: left out: the optimizer's state changed, the parameter did not");
  EXPECT_EQ(finding.departures.front().step, 1);
}

TEST_F(UpdateLawTest, TensorWithoutGradient_IsLeftAlone) {
  PlantedRun run = trained();
  skip_update(run, 4, "norm.weight");
  for (const std::string state : {"exp_avg/norm.weight", "exp_avg_sq/norm.weight"})
    tensor(run, 4, Phase::optim, state) = tensor(run, 3, Phase::optim, state);
  const PlantedRun moved = run;
  tensor(run, 4, Phase::param, "norm.weight") = tensor(run, 3, Phase::param, "norm.weight");
  const Finding finding = ask(ask_update, run);
  EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding);
  EXPECT_THAT(notes(finding), HasSubstr("no gradient in 1 update(s) of a tensor"));
  EXPECT_EQ(ask(ask_update, moved).answer(), Answer::departs);
}

TEST_F(UpdateLawTest, LeftOutTensorWithGradient_Departs) {
  PlantedRun run = trained();
  for (const std::string state : {"exp_avg/norm.weight", "exp_avg_sq/norm.weight"})
    tensor(run, 4, Phase::optim, state) = tensor(run, 3, Phase::optim, state);
  tensor(run, 4, Phase::param, "norm.weight") = tensor(run, 3, Phase::param, "norm.weight");
  EXPECT_EQ(ask(ask_update, run).answer(), Answer::departs);
}

/// The parameter of a run that no optimizer was given: a gradient, no state, and the first value throughout.
TEST_F(UpdateLawTest, ForgottenTensor_Departs) {
  for (const bool clipped : {true, false}) {
    PlantedRun run = trained();
    for (int64_t step = 1; step <= 4; ++step)
      tensor(run, step, Phase::param, "norm.weight") = tensor(run, 0, Phase::param, "norm.weight");
    std::erase_if(run.tensors, [&](const PlantedTensor& each) {
      return each.key.name.ends_with("/norm.weight") ||
             (!clipped && each.key.phase == Phase::grad_clipped && each.key.name == "norm.weight");
    });
    const Finding finding = ask(ask_update, run);
    EXPECT_EQ(finding.answer(), Answer::departs);
    EXPECT_THAT(sentence(finding), HasSubstr("norm.weight: has a gradient, and no optimizer updates it"));
  }
}

TEST_F(UpdateLawTest, UnclippedGradient_IsNamed) {
  PlantedRun run = trained();
  for (PlantedTensor& each : run.tensors)
    if (each.key.phase == Phase::grad_clipped)
      std::swap(std::get<std::vector<float>>(each.values),
                tensor(run, each.key.step, Phase::grad, each.key.name));
  EXPECT_THAT(sentence(ask(ask_update, run)),
              HasSubstr("every tensor: exp_avg and exp_avg_sq: the gradient before clipping enters"));
}

TEST_F(UpdateLawTest, UnclippedGradientAlone_IsNoDeparture) {
  PlantedRun run = trained();
  drop(run, Phase::grad_clipped);
  EXPECT_EQ(ask(ask_update, run).answer(), Answer::holds) << sentence(ask(ask_update, run));
  run.config.erase("clip");
  EXPECT_EQ(ask(ask_update, run).answer(), Answer::holds) << "the limit is not known";
}

TEST_F(UpdateLawTest, GradientBelowTheLimit_Enters) {
  Training training;
  training.max_norm = 1e9;
  PlantedRun run = trained(training);
  drop(run, Phase::grad_clipped);
  EXPECT_EQ(ask(ask_update, run).checked, 4 * 5 * 3);
  scale(tensor(run, 2, Phase::grad, "norm.weight"), 2);
  EXPECT_THAT(sentence(ask(ask_update, run)), HasSubstr("0.5 times the recorded gradient enters"));
}

TEST_F(UpdateLawTest, ScaledGradient_IsNamed) {
  PlantedRun run = trained();
  for (int64_t s = 1; s <= 4; ++s)
    scale(tensor(run, s, Phase::grad_clipped, "norm.weight"), 2);
  EXPECT_THAT(sentence(ask(ask_update, run)),
              HasSubstr("norm.weight: exp_avg and exp_avg_sq: 0.5 times the recorded gradient enters"));
}

TEST_F(UpdateLawTest, LostState_IsNamed) {
  PlantedRun run = trained();
  for (const std::string& name : names()) {
    const std::vector<float>& g = tensor(run, 3, Phase::grad_clipped, name);
    for (size_t i = 0; i < g.size(); ++i) {
      tensor(run, 3, Phase::optim, "exp_avg/" + name)[i] = static_cast<float>(0.1 * g[i]);
      tensor(run, 3, Phase::optim, "exp_avg_sq/" + name)[i] = static_cast<float>(0.05 * g[i] * g[i]);
    }
  }
  const Finding finding = ask(ask_update, run);
  EXPECT_EQ(sentence(finding),
            "every tensor: exp_avg and exp_avg_sq: starts from zero, so the state of the update "
            "before was lost");
  EXPECT_EQ(finding.departures.front().step, 3);
}

TEST_F(UpdateLawTest, OneElement_IsCounted) {
  PlantedRun run = trained();
  tensor(run, 4, Phase::param, "layers.0.wq.weight")[7] += 0.01F;
  const Finding finding = ask(ask_update, run);
  EXPECT_THAT(sentence(finding),
              HasSubstr("1 of 64 elements of the parameter after the update are not what the "
                        "formula gives, the first at 7"));
  EXPECT_EQ(finding.departures.front().step, 4);
}

TEST_F(UpdateLawTest, SmallestDefect_IsSeen) {
  PlantedRun run = trained();
  scale(tensor(run, 4, Phase::optim, "exp_avg/norm.weight"), 1 + 1e-5F);
  EXPECT_EQ(ask(ask_update, run).answer(), Answer::departs);
}

TEST_F(UpdateLawTest, TwoGroups_AreNoted) {
  PlantedRun run = trained();
  run.channels["lr.1"] = std::vector<double>(4, 0.01);
  run.channels["weight_decay"] = std::vector<double>(4, 0.0);
  run.channels["weight_decay.1"] = std::vector<double>(4, 0.1);
  Training plain;
  plain.decay = 0;
  PlantedRun other = trained(plain);
  for (int64_t s = 1; s <= 4; ++s)
    tensor(run, s, Phase::param, "norm.weight") = tensor(other, s, Phase::param, "norm.weight");
  const Finding finding = ask(ask_update, run);
  EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding);
  EXPECT_THAT(notes(finding), HasSubstr("group 0: norm.weight"));
  EXPECT_THAT(notes(finding), HasSubstr("group 1: layers.*.wq.weight and layers.*.wv.weight"));
}

TEST_F(UpdateLawTest, UpdateBelowRounding_IsNotAsked) {
  Training training;
  training.lr = 1e-9;
  PlantedRun run = trained(training);
  drop(run, Phase::grad);
  drop(run, Phase::grad_clipped);
  const Finding finding = ask(ask_update, run);
  EXPECT_EQ(finding.answer(), Answer::not_asked) << sentence(finding);
  EXPECT_THAT(finding.why, HasSubstr("smaller than the rounding"));
}

TEST_F(UpdateLawTest, MissingPieces_AreNotAsked) {
  PlantedRun run = trained();
  drop(run, Phase::param);
  EXPECT_EQ(ask(ask_update, run).answer(), Answer::not_asked);
  run = trained();
  run.channels.erase("lr");
  EXPECT_THAT(ask(ask_update, run).why, HasSubstr("no channel lr"));
}

TEST_F(UpdateLawTest, NotANumber_Departs) {
  PlantedRun run = trained();
  tensor(run, 2, Phase::param, "norm.weight")[3] = NAN;
  EXPECT_EQ(ask(ask_update, run).answer(), Answer::departs);
}

/// Which parameters may go without the decay.
TEST_F(UpdateLawTest, DecayOfMatrices_LeavesOutVectors) {
  Training plain;
  plain.decay = 0;
  PlantedRun run = trained(), other = trained(plain);
  for (PlantedTensor& each : run.tensors)
    if (each.key.name != "norm.weight")
      each.shape = {8, 8};
  EXPECT_EQ(ask(ask_update, run).answer(), Answer::holds);
  run.config["optimizer"]["decay"] = "matrices";
  EXPECT_THAT(sentence(ask(ask_update, run)), HasSubstr("norm.weight"));
  for (int64_t s = 1; s <= 4; ++s)
    tensor(run, s, Phase::param, "norm.weight") = tensor(other, s, Phase::param, "norm.weight");
  EXPECT_EQ(ask(ask_update, run).answer(), Answer::holds) << sentence(ask(ask_update, run));
}

TEST_F(UpdateLawTest, FrozenTensorThatMoves_Departs) {
  PlantedRun run = trained();
  run.config["train"]["freeze"] = Json::array({"norm.*"});
  for (int64_t s = 1; s <= 4; ++s)
    skip_update(run, s, "norm.weight");
  std::erase_if(run.tensors, [](const PlantedTensor& each) {
    return each.key.phase == Phase::optim && each.key.name.ends_with("norm.weight");
  });
  EXPECT_THAT(sentence(ask(ask_update, run)),
              HasSubstr("norm.weight: moves, though the config leaves it untrained"));
  for (int64_t s = 1; s <= 4; ++s)
    tensor(run, s, Phase::param, "norm.weight") = tensor(run, 0, Phase::param, "norm.weight");
  EXPECT_EQ(ask(ask_update, run).answer(), Answer::holds);
}

TEST_F(UpdateLawTest, RouterBiasOfAFrozenLayer_MayMove) {
  PlantedRun run = trained();
  run.config["train"]["freeze"] = Json::array({"layers.9.*"});
  for (int64_t s = 0; s <= 4; ++s)
    for (const char* name : {"layers.9.moe.expert_bias", "layers.9.ffn_norm.weight"})
      run.tensors.push_back({{s, Phase::param, name}, std::vector<float>(8, static_cast<float>(s))});
  EXPECT_EQ(sentence(ask(ask_update, run)),
            "layers.9.ffn_norm.weight: moves, though the config leaves it untrained");
}

TEST_F(UpdateLawTest, FrozenTensorThatTrains_Departs) {
  PlantedRun run = trained();
  run.config["train"]["freeze"] = Json::array({"norm.*"});
  EXPECT_THAT(sentence(ask(ask_update, run)),
              HasSubstr("norm.weight: moves, though the config leaves it untrained"));
}

TEST_F(UpdateLawTest, DecoupledDecayWhereAdamIsPromised_Departs) {
  PlantedRun run = trained();
  run.config["optimizer"]["name"] = "adam";
  EXPECT_EQ(ask(ask_update, run).answer(), Answer::holds) << "other programs call AdamW so";
  run.provenance = {{"producer", "parity-train 1"}};
  EXPECT_THAT(sentence(ask(ask_update, run)),
              HasSubstr("weight decay is decoupled (AdamW), where the config names Adam"));
}

}  // namespace
}  // namespace parity::laws
