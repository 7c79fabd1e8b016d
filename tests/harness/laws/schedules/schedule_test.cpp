// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <numbers>

#include "harness/laws/laws.hpp"
#include "tests/harness/laws/law_fixture.hpp"

namespace parity::laws {
namespace {

using testing::HasSubstr;

class ScheduleLawTest : public LawTest {
 protected:
  /// torchtitan's schedule of 12 updates: 2 of warmup, then a linear decay.
  static std::vector<double> rates() {
    std::vector<double> list;
    for (int c = 0; c < 12; ++c)
      list.push_back(0.01 * (c < 2 ? (c + 1) / 2.0 : c < 3 ? 1.0 : 1 - (c - 2) / 10.0));
    return list;
  }
  static Json config() {
    return {{"steps", 12},
            {"lr", {{"schedule", "titan"}, {"base", 0.01}, {"warmup_steps", 2}, {"decay", "linear"}}}};
  }
  Finding ask_rates(const std::vector<double>& rates, const Json& config = Json::object()) {
    PlantedRun run;
    run.channels = {{"lr", rates}};
    run.config = config;
    return ask(ask_schedule, run);
  }
};

TEST_F(ScheduleLawTest, PromisedSchedule_Holds) {
  const Finding finding = ask_rates(rates(), config());
  EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding);
  EXPECT_EQ(finding.checked, 12);
  EXPECT_THAT(notes(finding), HasSubstr("lr follows the config's titan"));
}

TEST_F(ScheduleLawTest, ConfigOfAnotherArm_IsNoPromise) {
  PlantedRun run;
  run.channels = {{"lr", std::vector<double>(12, 0.5)}};
  run.config = config();
  run.config["architecture"] = run.config["parallel"] = Json::object();
  EXPECT_EQ(ask(ask_schedule, run).answer(), Answer::holds) << sentence(ask(ask_schedule, run));
  run.provenance = {{"producer", "parity-train 1"}};
  EXPECT_EQ(ask(ask_schedule, run).answer(), Answer::departs);
}

TEST_F(ScheduleLawTest, WithoutConfig_IsDescribed) {
  const Finding finding = ask_rates(rates());
  EXPECT_EQ(finding.answer(), Answer::holds);
  EXPECT_THAT(notes(finding),
              HasSubstr("linear warmup over 2 updates, 1-indexed, then 0.01 for 1 update, then linear "
                        "by -0.001 an update, to 0 at update 13"));
}

TEST_F(ScheduleLawTest, Cosine_IsDescribed) {
  std::vector<double> list;
  for (int c = 0; c < 20; ++c)
    list.push_back(c < 4 ? 0.1 * c / 4 : 0.01 + 0.09 * 0.5 * (1 + std::cos(std::numbers::pi * (c - 4) / 50)));
  EXPECT_THAT(notes(ask_rates(list)),
              HasSubstr("linear warmup over 4 updates, 0-indexed, then cosine over 50 updates "
                        "from update 5, down to 0.01"));
}

TEST_F(ScheduleLawTest, ZeroIndexedWarmup_IsNamed) {
  std::vector<double> list = rates();
  list.insert(list.begin(), 0.0);
  list.pop_back();
  const Finding finding = ask_rates(list, config());
  EXPECT_THAT(sentence(finding), HasSubstr("lr is 0 at update 1"));
  EXPECT_THAT(sentence(finding), HasSubstr("linear warmup over 2 updates, 0-indexed"));
}

TEST_F(ScheduleLawTest, Restart_IsNamed) {
  for (const Json& known : {config(), Json::object()}) {
    std::vector<double> list = rates();
    const std::vector<double> early = rates();
    std::copy_n(early.begin(), 6, list.begin() + 6);
    const Finding finding = ask_rates(list, known);
    EXPECT_THAT(sentence(finding), HasSubstr("it starts again there"));
    EXPECT_EQ(finding.departures.at(0).step, 7);
  }
}

TEST_F(ScheduleLawTest, LagAndFactor_AreNamed) {
  for (const Json& known : {config(), Json::object()}) {
    const std::vector<double> usual = rates();
    std::vector<double> list = usual;
    std::copy_n(usual.begin() + 6, 5, list.begin() + 7);
    EXPECT_THAT(sentence(ask_rates(list, known)), HasSubstr("from there on it is 1 update behind"));
    list = rates();
    for (size_t i = 8; i < 12; ++i)
      list[i] /= 2;
    EXPECT_THAT(sentence(ask_rates(list, known)), HasSubstr("from there on it is 0.5 times that"));
    list = rates();
    list[6] *= 2;
    EXPECT_THAT(sentence(ask_rates(list, known)), HasSubstr("only this update"));
  }
}

TEST_F(ScheduleLawTest, Decay_IsComparedWithItsRamp) {
  PlantedRun run;
  run.config = config();
  run.config["optimizer"] = {
      {"weight_decay", 0.1}, {"weight_decay_ramp", "linear"}, {"weight_decay_start", 0.0}};
  std::vector<double> decays;
  for (int c = 0; c < 12; ++c)
    decays.push_back(0.1 * c / 12);
  run.channels = {{"lr", rates()}, {"weight_decay", decays}};
  EXPECT_EQ(ask(ask_schedule, run).answer(), Answer::holds);
  for (size_t i = 6; i < 12; ++i)
    channel(run, "weight_decay")[i] = decays[i - 6];
  EXPECT_THAT(sentence(ask(ask_schedule, run)), HasSubstr("weight_decay is 0 at update 7"));
  EXPECT_THAT(sentence(ask(ask_schedule, run)), HasSubstr("it starts again there"));
}

TEST_F(ScheduleLawTest, Float32Rates_AreDescribed) {
  std::vector<double> list = rates();
  for (double& rate : list)
    rate = static_cast<float>(rate);
  EXPECT_THAT(notes(ask_rates(list)), HasSubstr("linear warmup over 2 updates"));
}

TEST_F(ScheduleLawTest, LongRun_IsDecidedInTime) {
  std::vector<double> list;
  for (int c = 0; c < 6000; ++c)
    list.push_back(c < 100 ? c / 100.0 : 0.5 * (1 + std::cos(std::numbers::pi * (c - 100) / 9000.0)));
  EXPECT_THAT(notes(ask_rates(list)), HasSubstr("cosine over 9000 updates"));
  for (size_t i = 4500; i < list.size(); ++i)
    list[i] = list[i - 4500];
  EXPECT_THAT(sentence(ask_rates(list)), HasSubstr("it starts again there"));
}

TEST_F(ScheduleLawTest, DigitsOfALog_DoNotDepart) {
  PlantedRun run;
  std::vector<double> list = rates();
  for (double& rate : list)
    rate = std::round(rate * 1e4) / 1e4;
  list[7] = 0.0051;
  run.channels = {{"lr", list}};
  run.provenance = {{"imported", "text"}};
  EXPECT_EQ(ask(ask_schedule, run).answer(), Answer::not_asked);
}

TEST_F(ScheduleLawTest, OneWrongRateAnywhere_IsNamed) {
  for (const int wrong : {3, 5, 9}) {
    std::vector<double> list;
    for (int c = 0; c < 16; ++c)
      list.push_back(0.01 * (c < 3 ? (c + 1) / 3.0 : (1 + std::cos(std::numbers::pi * (c - 3) / 17)) / 2));
    list[static_cast<size_t>(wrong)] /= 2;
    EXPECT_THAT(sentence(ask_rates(list)),
                AllOf(HasSubstr(fmt::format("at update {}, where the schedule of all "
                                            "other updates",
                                            wrong + 1)),
                      HasSubstr("only this update")));
  }
}

TEST_F(ScheduleLawTest, OneWrongRateOfAConstant_IsNamed) {
  for (const double wrong : {0.05, 0.2})
    for (const size_t at : {2, 5, 9}) {
      std::vector<double> list(12, 0.1);
      list[at] = wrong;
      EXPECT_THAT(sentence(ask_rates(list)), HasSubstr(fmt::format("lr is {} at update {}", wrong, at + 1)));
      EXPECT_THAT(sentence(ask_rates(list)), HasSubstr("only this update"));
    }
}

TEST_F(ScheduleLawTest, RatesOfOtherGroups_AreJudgedAlone) {
  PlantedRun run;
  std::vector<double> second(12, 0.5);
  second[5] = 1;
  run.channels = {{"lr", rates()}, {"lr.1", second}, {"weight_decay.1", std::vector<double>(12, 0.1)}};
  EXPECT_THAT(sentence(ask(ask_schedule, run)), HasSubstr("lr.1 is 1 at update 6"));
  run.channels["lr.1"] = std::vector<double>(12, 0.5);
  EXPECT_EQ(ask(ask_schedule, run).answer(), Answer::holds) << sentence(ask(ask_schedule, run));
  channel(run, "weight_decay.1")[7] = 0.3;
  EXPECT_THAT(sentence(ask(ask_schedule, run)), HasSubstr("weight_decay.1 is 0.3 at update 8"));
}

TEST_F(ScheduleLawTest, GroupWithStagesOfItsOwn_IsDescribed) {
  PlantedRun run;
  std::vector<double> jump(12, 0.5), steps(12, 0.5);
  for (size_t i = 4; i < 12; ++i) {
    jump[i] = 1;
    steps[i] = i < 8 ? 0.05 : 0.005;
  }
  run.channels = {{"lr", std::vector<double>(12, 0.5)}, {"lr.1", jump}, {"lr.2", steps}};
  const Finding finding = ask(ask_schedule, run);
  EXPECT_EQ(finding.answer(), Answer::holds) << "as for the first group";
  EXPECT_THAT(notes(finding), HasSubstr("lr.1: 0.5 for 4 updates, then 1 for"));
  EXPECT_THAT(notes(finding), HasSubstr("lr.2 is not judged: the values of lr.2 fall in 2 steps"));
}

TEST_F(ScheduleLawTest, RatesThatAreNotAsked_AreNoted) {
  PlantedRun run;
  std::vector<double> steps(12, 0.5);
  for (size_t i = 4; i < 12; ++i)
    steps[i] = i < 8 ? 0.05 : 0.005;
  run.channels = {{"lr", steps}, {"weight_decay.1", std::vector<double>(12, 0.1)}};
  const Finding finding = ask(ask_schedule, run);
  EXPECT_EQ(finding.answer(), Answer::holds) << "the decay of the second group";
  EXPECT_THAT(notes(finding), HasSubstr("not all of it is judged: the values of lr fall in 2 steps"));
}

TEST_F(ScheduleLawTest, BetaThatJumps_Departs) {
  PlantedRun run;
  std::vector<double> beta(12, 0.9), other(12, 0.9);
  run.channels = {
      {"lr", rates()}, {"beta1", beta}, {"beta1.1", other}, {"eps.1", std::vector<double>(12, 1e-8)}};
  EXPECT_EQ(ask(ask_schedule, run).answer(), Answer::holds) << sentence(ask(ask_schedule, run));
  channel(run, "eps.1")[7] = 1e-5;
  EXPECT_THAT(
      sentence(ask(ask_schedule, run)),
      HasSubstr("eps.1 is 1e-05 at update 8, where the updates before have 1e-08, and no config says that "
                "it changes: from update 9 on it is 1e-08 again"));
  channel(run, "eps.1")[7] = 1e-8;
  std::fill(other.begin() + 4, other.end(), 0.8);
  run.channels["beta1.1"] = other;
  EXPECT_THAT(sentence(ask(ask_schedule, run)), HasSubstr("beta1.1 is 0.8 at update 5, where the updates"));
  EXPECT_EQ(ask(ask_schedule, run).departures.front().step, 5);
  run.channels["beta1"] = other;
  EXPECT_EQ(ask(ask_schedule, run).departures.size(), 1) << "one sentence for groups that change alike";
  run.provenance["imported"] = "log.csv";
  EXPECT_EQ(ask(ask_schedule, run).answer(), Answer::holds) << "rounded numbers of a log";
}

/// As OneCycleLR does, and trainers that warm up their momentum.
TEST_F(ScheduleLawTest, BetaWithASchedule_IsNoted) {
  PlantedRun run;
  std::vector<double> cycle, momentum(12, 0.9);
  for (int c = 0; c < 12; ++c)
    cycle.push_back(0.9 + 0.05 * std::cos(std::numbers::pi * c / 6));
  momentum[0] = 0.5;
  run.channels = {{"lr", rates()}, {"beta1", cycle}, {"momentum", momentum}};
  const Finding finding = ask(ask_schedule, run);
  EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding);
  EXPECT_THAT(notes(finding), HasSubstr("beta1 changes at 11 updates, the first time from 0.95 to 0.943"));
  EXPECT_THAT(notes(finding), HasSubstr("momentum changes at 1 update, from 0.5 to 0.9 at update 2"));
}

TEST_F(ScheduleLawTest, AConstantBeforeAnother_IsNoWarmup) {
  EXPECT_THAT(notes(ask_rates({0.1, 0.1, 0.1, 0.3, 0.3, 0.3})),
              HasSubstr("lr: 0.1 for 3 updates, then 0.3 for"));
}

TEST_F(ScheduleLawTest, Steps_AreNotAsked) {
  std::vector<double> list;
  for (int c = 0; c < 14; ++c)
    list.push_back(c < 6 ? 0.01 : c < 9 ? 0.001 : 0.0001);
  EXPECT_EQ(ask_rates(list).answer(), Answer::not_asked) << sentence(ask_rates(list));
  EXPECT_THAT(ask_rates(list).why, HasSubstr("the values of lr fall in 2 steps, and no config says whether"));
  for (size_t i = 9; i < list.size(); ++i)
    list[i] = 0.0005;  // a fall by another factor
  EXPECT_EQ(ask_rates(list).answer(), Answer::departs);
}

TEST_F(ScheduleLawTest, AStalledExponential_Departs) {
  std::vector<double> list;
  for (int c = 0; c < 300; ++c)
    list.push_back(1e-3 * std::pow(0.99, c < 150 ? c : c < 153 ? 149 : c - 3));
  EXPECT_THAT(sentence(ask_rates(list)), HasSubstr("lr is "));
}

TEST_F(ScheduleLawTest, TwoRepetitions_AreNotAsked) {
  std::vector<double> list;
  for (int c = 0; c < 19; ++c)
    list.push_back(c < 4 ? 0.01 * (c + 1) / 4
                         : 0.01 * 0.5 * (1 + std::cos(std::numbers::pi * ((c - 4) % 5) / 5)));
  EXPECT_EQ(ask_rates(list).answer(), Answer::not_asked) << sentence(ask_rates(list));
  EXPECT_THAT(ask_rates(list).why, HasSubstr("repeat every 5 updates"));
  list.back() *= 2;
  EXPECT_NE(ask_rates(list).answer(), Answer::holds) << "a wrong rate in a cycle";
  list.resize(12);  // one repetition
  EXPECT_EQ(ask_rates(list).answer(), Answer::departs);
}

TEST_F(ScheduleLawTest, SeveralOtherValuesOfAConstant_AreNamed) {
  std::vector<double> list(12, 0.1);
  list[3] = list[8] = 0.05;
  EXPECT_THAT(sentence(ask_rates(list)),
              HasSubstr("lr is 0.05 at update 4, where the value of most updates"));
}

TEST_F(ScheduleLawTest, LongPlateaus_AreDecidedInTime) {
  std::vector<double> list;
  for (int c = 0; c < 6000; ++c)
    list.push_back(c < 100 ? c / 100.0 : c < 3000 ? std::pow(1 - (c - 100) / 3000.0, 0.9) : 0.04);
  EXPECT_EQ(ask_rates(list).answer(), Answer::not_asked) << sentence(ask_rates(list));
}

TEST_F(ScheduleLawTest, UnknownFamily_IsNotAsked) {
  std::vector<double> list;
  for (int c = 0; c < 12; ++c)
    list.push_back(1 + 0.5 * std::sin(c * c));
  EXPECT_EQ(ask_rates(list).answer(), Answer::not_asked);
  EXPECT_EQ(ask_rates({0.1, 0.1, 0.1}).answer(), Answer::not_asked);
}

TEST_F(ScheduleLawTest, NotANumber_Departs) {
  std::vector<double> list = rates();
  list[3] = NAN;
  EXPECT_THAT(sentence(ask_rates(list)), HasSubstr("lr is nan at update 4"));
}

}  // namespace
}  // namespace parity::laws
