// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// The whole path from a case file through the real trainer to the verdict: correct runs pass, and each
// planted defect fails the suite with a sentence that names it.
#include <cmath>
#include <cstring>

#include <gmock/gmock.h>

#include "harness/golden/golden_file.hpp"
#include "tests/end_to_end/trained_case.hpp"

namespace parity {
namespace {
namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

using PlantedDefectTest = TrainedCaseTest;

TEST_F(PlantedDefectTest, RightArmsPassEveryRelation) {
  const std::string window = "arms = [\"right\", \"wrong\"]\n";
  const Json schedule = run_trainer(
      base() + no_golden() + arms("lr.first_index = 1", "lr.first_index = 0") +
      check("channel = \"lr\"", "lagged", "steps = \"warmup\"") +
      check("channel = \"lr\"", "identical", "steps = \"after_warmup\"") +
      check("tensor = \"*\"\nphase = \"param\"", "unchanged", "arms = [\"wrong\"]\nsteps = [1, 1]") +
      check("channel = \"loss\"", "distinct"));
  EXPECT_TRUE(schedule.at("passed").get<bool>()) << failures(schedule);
  EXPECT_THAT(schedule.at("notes").dump(),
              HasSubstr("wrong: update 1 has lr 0 and leaves every parameter unchanged"));
  const Json accumulated =
      run_trainer(base() + no_golden() + arms("", "data.micro_batches = 4") +
                  check("channel = [\"loss\", \"grad_norm\"]", "equivalent", window) +
                  check("tensor = \"*\"\nphase = \"grad\"", "equivalent", "steps = [1, 1]"));
  EXPECT_TRUE(accumulated.at("passed").get<bool>()) << failures(accumulated);
  EXPECT_EQ(accumulated.at("verdict"), "rounding");
  EXPECT_FALSE(accumulated.at("curves").at(0).at("floor").is_null());
  const Json resumed =
      run_trainer(base() + no_golden() + arms("", "checkpoint.restart_after = 4") +
                  check("channel = [\"loss\", \"lr\", \"update_norm\"]", "identical") +
                  check("tensor = \"*\"\nphase = \"param\"", "identical", "steps = \"last\""));
  EXPECT_TRUE(resumed.at("passed").get<bool>()) << failures(resumed);
}

TEST_F(PlantedDefectTest, AverageOverRanks_FailsAgainstSiblingGap) {
  const auto case_with = [&](const std::string& pair) {
    return base() + no_golden() + "[arms.one]\n[arms.fsdp]\nparallel.dp_shard = 2\n[arms.pair]\n" + pair +
           check("channel = \"grad_norm\"", "no_farther",
                 "arms = [\"one\", \"pair\"]\nsibling = [\"one\", \"fsdp\"]");
  };
  const Json good = run_trainer(case_with("parallel.dp_replicate = 2\nparallel.replicate_with = \"hsdp\"\n"));
  EXPECT_TRUE(good.at("passed").get<bool>()) << failures(good);
  const Json bad =
      run_trainer(case_with("parallel.dp_replicate = 2\nparallel.gradient_reduction = \"average\"\n"));
  EXPECT_FALSE(bad.at("passed").get<bool>());
  EXPECT_GT(bad.at("checks").at(0).at("measured").at("gap_ratio").get<double>(), 1e3);
  EXPECT_THAT(sentence(bad),
              AllOf(HasSubstr("the gap of pair against one is "),
                    HasSubstr(" times that of fsdp against one ("), HasSubstr("in grad_norm")));
}

TEST_F(PlantedDefectTest, ArmsWithOneConfigProveNothing) {
  const Json item =
      run_trainer(base() + no_golden() + arms("", "") + check("channel = \"loss\"", "identical"));
  EXPECT_EQ(item.at("verdict"), "vacuous");
  EXPECT_THAT(sentence(item),
              AllOf(HasSubstr("right and wrong are the same run"), HasSubstr("relation = \"repeats\"")));
}

TEST_F(PlantedDefectTest, AFailureNamesTheKeyThatTellsTheArmsApart) {
  const Json item = run_trainer(base() + no_golden() + arms("", "optimizer.weight_decay = 0.0") +
                                check("tensor = \"*\"\nphase = \"param\"", "identical", "steps = \"last\""));
  EXPECT_THAT(item.at("sentence").get<std::string>(),
              testing::EndsWith("; the arms differ in optimizer.weight_decay: 0.1 against 0.0"));
  const Json& finding = item.at("checks").at(0).at("finding");
  EXPECT_EQ(finding.at("expected").is_null(), finding.at("where").at("index").empty()) << finding;
}

TEST_F(PlantedDefectTest, AKeyThatOnlyAThirdArmHasIsNoCauseOfTheOthers) {
  const Json item = run_trainer(base() + no_golden() + arms("", "optimizer.weight_decay = 0.0") +
                                "[arms.third]\noptimizer.beta1 = 0.8\n" +
                                check("channel = \"loss\"", "identical", "arms = [\"right\", \"wrong\"]"));
  EXPECT_THAT(item.at("sentence").get<std::string>(),
              testing::EndsWith("; the arms differ in optimizer.weight_decay: 0.1 against 0.0"));
}

TEST_F(PlantedDefectTest, AnArmThatGoesOnInAnotherLayoutTellsBothMeshes) {
  const Json item = run_trainer(base() + "[base.parallel]\ndp_shard = 2\n" + no_golden() +
                                arms("",
                                     "checkpoint.restart_after = 4\ncheckpoint.resume_dp_shard = "
                                     "1\ncheckpoint.resume_dp_replicate = 2") +
                                check("channel = \"loss\"", "equivalent"));
  EXPECT_EQ(item.at("arms").at(0).at("provenance").at("mesh"), "dp_shard 2");
  EXPECT_EQ(item.at("arms").at(1).at("provenance").at("mesh"), "dp_shard 2, then dp_replicate 2");
}

TEST_F(PlantedDefectTest, AScheduleIndexOffByOneIsFoundAtItsFirstUpdate) {
  const Json item = run_trainer(base() + no_golden() + arms("lr.first_index = 1", "lr.first_index = 0") +
                                check("channel = \"lr\"", "identical", "steps = \"warmup\""));
  EXPECT_FALSE(item.at("passed").get<bool>());
  EXPECT_THAT(sentence(item), AllOf(HasSubstr("lr of wrong"), HasSubstr("step 1"), HasSubstr("0.01")));
  EXPECT_EQ(item.at("checks").at(0).at("finding").at("actual"), 0.0);
}

TEST_F(PlantedDefectTest, ScheduleSteppedLate_IsReportedAsLag) {
  const std::string early = "lr.schedule = \"hugging_face_linear\"", late = "lr.schedule = \"deepspeed\"";
  const Json item = run_trainer(base() + no_golden() + arms(early, late) +
                                check("channel = \"lr\"", "identical", "steps = \"after_warmup\"") +
                                check("channel = \"lr\"", "lagged", "lag = 2") +
                                check("channel = \"lr\"", "lagged", "lag = 1"));
  EXPECT_FALSE(item.at("checks").at(0).at("passed").get<bool>());
  EXPECT_THAT(sentence(item, 0), AllOf(HasSubstr("lr of wrong"), HasSubstr("step 3")));
  EXPECT_FALSE(item.at("checks").at(1).at("passed").get<bool>());
  EXPECT_THAT(item.at("checks").at(1).at("finding").at("looks_like").get<std::string>(), HasSubstr("1 step"));
  EXPECT_TRUE(item.at("checks").at(2).at("passed").get<bool>()) << sentence(item, 2);
  EXPECT_THAT(item.at("notes").dump(), AllOf(HasSubstr("wrong: 2 updates (first 1, last 2) have lr 0"),
                                             HasSubstr("updates with lr 0, of 10: right 1, wrong 2")));
}

TEST_F(PlantedDefectTest, AScheduleIndexOffByOneIsFoundByTheGolden) {
  const auto text = [&](const char* index) {
    return base() + arms("lr.first_index = " + std::string(index), "lr.base = 0.03") +
           check("channel = \"loss\"", "distinct");
  };
  EXPECT_TRUE(run_trainer(text("1"), golden::GoldenMode::create_missing).at("passed").get<bool>());
  const Json again = run_trainer(text("1"));
  EXPECT_TRUE(again.at("passed").get<bool>()) << failures(again);
  const Json item = run_trainer(text("0"));
  EXPECT_FALSE(item.at("passed").get<bool>());
  EXPECT_THAT(failures(item), AllOf(HasSubstr("lr of right"), HasSubstr("golden"), HasSubstr("first_index")));
}

TEST_F(PlantedDefectTest, AveragedMicroBatches_DifferInComputation) {
  const Json item = run_trainer(base() + no_golden() +
                                arms("", "data.micro_batches = 4\nloss.normalization = \"microbatch_mean\"") +
                                check("channel = [\"loss\", \"grad_norm\"]", "equivalent") +
                                check("tensor = \"*\"\nphase = \"grad\"", "equivalent", "steps = [1, 1]"));
  EXPECT_FALSE(item.at("passed").get<bool>());
  for (const size_t i : {0U, 1U}) {
    EXPECT_EQ(item.at("checks").at(i).at("verdict"), "different");
    EXPECT_LT(item.at("checks").at(i).at("measured").at("collapse_log2").get<double>(), 2);
    EXPECT_THAT(sentence(item, i), AllOf(HasSubstr("wrong"), HasSubstr("2^20")));
  }
}

TEST_F(PlantedDefectTest, ResumeLosingOptimizerStep_IsFoundAtRestart) {
  const Json item = run_trainer(
      base() + no_golden() +
      arms("", "checkpoint.restart_after = 4\ncheckpoint.exclude_from_loading = [\"optimizer.step\"]") +
      check("channel = \"update_norm\"", "identical") + check("channel = \"loss\"", "identical") +
      check("tensor = \"*\"\nphase = \"grad\"", "identical", "steps = [5, 5]"));
  EXPECT_FALSE(item.at("checks").at(0).at("passed").get<bool>());
  EXPECT_THAT(sentence(item, 0), AllOf(HasSubstr("update_norm of wrong"), HasSubstr("step 5")));
  EXPECT_THAT(sentence(item, 1), AllOf(HasSubstr("loss of wrong"), HasSubstr("step 6")));
  EXPECT_TRUE(item.at("checks").at(2).at("passed").get<bool>())
      << sentence(item, 2);  // its gradient is still right
}

TEST_F(PlantedDefectTest, AGoldenValueThatIsOneUlpOffIsFound) {
  const std::string text = base() + arms("", "lr.base = 0.03") + check("channel = \"loss\"", "distinct");
  ASSERT_TRUE(run_trainer(text, golden::GoldenMode::create_missing).at("passed").get<bool>());
  golden::Golden stored = golden::read_golden(golden());
  auto& losses = std::get<std::vector<double>>(stored.arms.at("right").run.channels.at("loss").values);
  losses.at(2) = std::nextafter(losses.at(2), 0.0);
  write_golden(golden(), stored);
  const Json item = run_trainer(text);
  EXPECT_FALSE(item.at("passed").get<bool>());
  EXPECT_THAT(failures(item),
              AllOf(HasSubstr("loss of right differs from the golden's"), HasSubstr("step 3")));
}

TEST_F(PlantedDefectTest, AGoldenChangedBehindOurBackIsCalledDamaged) {
  const std::string text = base() + arms("", "lr.base = 0.03") + check("channel = \"loss\"", "distinct");
  ASSERT_TRUE(run_trainer(text, golden::GoldenMode::create_missing).at("passed").get<bool>());
  const golden::Golden stored = golden::read_golden(golden());
  const double loss =
      std::get<std::vector<double>>(stored.arms.at("right").run.channels.at("loss").values).at(2);
  std::string bytes = read_file(golden());
  std::string pattern(sizeof loss, '\0');
  std::memcpy(pattern.data(), &loss, sizeof loss);
  const size_t at = bytes.find(pattern);
  ASSERT_NE(at, std::string::npos);
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  write_file(golden(), bytes);
  const Json item = run_trainer(text);
  EXPECT_FALSE(item.at("passed").get<bool>());
  EXPECT_THAT(failures(item), HasSubstr("digest"));
}

TEST_F(PlantedDefectTest, ANumberThatIsNotFiniteEndsTheRunWithItsPlace) {
  const Json item = run_trainer(base() + no_golden() + arms("", "lr.base = 1e30\nclip.max_norm = 0.0") +
                                check("channel = \"loss\"", "identical"));
  const Json& failed = item.at("arms").at(1);
  EXPECT_EQ(failed.at("status"), "failed");
  EXPECT_EQ(failed.at("failure").at("kind"), "non_finite");
  EXPECT_GE(failed.at("failure").at("step"), 1);
  EXPECT_EQ(item.at("verdict"), "crashed");
}

TEST_F(PlantedDefectTest, AnUnknownConfigKeyIsToldWithItsLine) {
  try {
    run_trainer(base() + no_golden() + arms("lr.frist_index = 1", "") +
                check("channel = \"lr\"", "identical"));
    FAIL() << "no complaint";
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("c.toml:"), HasSubstr("did you mean 'lr.first_index'")));
  }
}

}  // namespace
}  // namespace parity
