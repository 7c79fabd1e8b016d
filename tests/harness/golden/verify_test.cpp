// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include <gmock/gmock.h>

#include "harness/golden/golden_file.hpp"
#include "tests/support/traces/golden_runs.hpp"

namespace parity::golden {
namespace {

using testing::HasSubstr;
using GoldenVerifyTest = GoldenTest;

TEST_F(GoldenVerifyTest, GivesAResultForEachArmChannelAndPhase) {
  record();
  const auto results = verify_golden(stored_golden(file), arms);
  ASSERT_EQ(results.size(), 8U);  // 2 arms: batch_digest, loss, grad, param
  for (const GoldenResult& each : results) {
    EXPECT_TRUE(each.result.passed) << each.result.sentence;
    EXPECT_EQ(each.result.verdict, compare::Verdict::identical);
  }
  EXPECT_EQ(results[1].result.sentence,
            "loss of one_indexed and the golden have the same bits over steps 1-4");
  EXPECT_EQ(results[2].quantity, "grad");
}

TEST_F(GoldenVerifyTest, FindsOneUlpInTheRun) {
  record();
  auto run = run_of();
  std::get<0>(run.channels["loss"])[2] = one_ulp_up(std::get<0>(run.channels["loss"])[2]);
  add_arm("zero_indexed", run);
  const auto failed = failures();
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_EQ(failed[0].arm, "zero_indexed");
  EXPECT_EQ(failed[0].result.verdict, compare::Verdict::different);
  EXPECT_EQ(failed[0].result.sentence,
            "loss of zero_indexed differs from the golden's at 1 of 4 steps, first at step 3: the golden "
            "7.5488114, "
            "zero_indexed 7.548812 (1 float32 ULP, relative gap 6.3e-08); identical until step 2");
}

TEST_F(GoldenVerifyTest, ATamperedValueIsNamedAndSoIsTheDigest) {
  record();
  edit("f['arms/one_indexed/channels/loss'][2] = 7.25");
  const auto failed = failures();
  ASSERT_EQ(failed.size(), 2U);
  EXPECT_THAT(failed[0].result.sentence, HasSubstr("edited or damaged (its values have the digest "));
  EXPECT_THAT(
      failed[1].result.sentence,
      HasSubstr("loss of one_indexed differs from the golden's at 1 of 4 steps, first at step 3: the golden "
                "7.25, one_indexed 7.5488114"));
}

TEST_F(GoldenVerifyTest, TamperedValueWithFittingDigest_IsNamed) {
  record();
  edit("f['arms/one_indexed/channels/loss'][2] = 7.25");
  write_golden(file, read_golden(file));
  const auto failed = failures();
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_THAT(failed[0].result.sentence,
              HasSubstr("first at step 3: the golden 7.25, one_indexed 7.5488114"));
}

TEST_F(GoldenVerifyTest, TamperingWithUncomparedData_IsFound) {
  for (const char* place : {"f['arms/one_indexed/twin/channels/loss'][0] = 1",
                            "f['arms/one_indexed/sketches/values'][0, 5] += 1e-9",
                            "f['arms/one_indexed'].attrs['config'] = '{}'"}) {
    std::filesystem::remove(file);
    record();
    edit(place);
    const auto failed = failures();
    ASSERT_FALSE(failed.empty()) << place;
    EXPECT_THAT(failed[0].result.sentence, HasSubstr("edited or damaged"));
  }
}

TEST_F(GoldenVerifyTest, FindsOneUlpInOneElementOfAGradient) {
  record();
  auto run = run_of();
  std::vector<float> values(100, 0.5F);
  values[42] = std::nextafter(0.5F, 1.0F);
  run.tensors[4].values = values;  // grad, step 4
  add_arm("one_indexed", run);
  const auto failed = failures();
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_EQ(failed[0].quantity, "grad");
  EXPECT_THAT(failed[0].result.sentence,
              HasSubstr("grad layers.0.wq.weight of one_indexed differs from the golden's at step 4"));
  EXPECT_EQ(failed[0].result.tensors.size(), 2U);
}

TEST_F(GoldenVerifyTest, ANanInBothFails) {
  auto run = run_of();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::get<0>(run.channels["loss"])[1] = nan;
  record();
  Golden golden = read_golden(file);  // as an older parity recorded it
  std::get<0>(golden.arms.at("one_indexed").run.channels.at("loss").values)[1] = nan;
  write_golden(file, golden);
  add_arm("one_indexed", run);
  ASSERT_EQ(failures().size(), 1U);
}

TEST_F(GoldenVerifyTest, AMissingFileArmChannelStepOrTensorFails) {
  EXPECT_THAT(failures().at(0).result.sentence, HasSubstr("there is no golden"));
  EXPECT_EQ(failures().at(0).result.verdict, compare::Verdict::missing);
  record();
  const auto all = arms;
  arms.erase("zero_indexed");
  EXPECT_THAT(failures().at(0).result.sentence, HasSubstr("the golden has arm 'zero_indexed'"));
  arms = all;
  arms["third"] = arms["one_indexed"];
  EXPECT_THAT(failures().at(0).result.sentence, HasSubstr("has no arm 'third'"));
  arms = all;
  auto run = run_of();
  run.channels["extra"] = std::vector<double>(4, 1);
  add_arm("one_indexed", run);
  EXPECT_THAT(failures().at(0).result.sentence, HasSubstr("extra of one_indexed is not in the golden"));
  run = run_of();
  run.channels.erase("batch_digest");
  add_arm("one_indexed", run);
  EXPECT_THAT(failures().at(0).result.sentence, HasSubstr("is in the golden but not in the run"));
  run = run_of();
  for (auto& [name, column] : run.channels)
    std::visit([](auto& values) { values.pop_back(); }, column);
  add_arm("one_indexed", run);
  EXPECT_THAT(failures().at(0).result.sentence, HasSubstr("has steps 1-3, but the golden has steps 1-4"));
  run = run_of();
  run.tensors.clear();
  add_arm("one_indexed", run);
  EXPECT_THAT(failures().at(0).result.sentence, HasSubstr("did not record it"));
}

TEST_F(GoldenVerifyTest, ACrashedArmFails) {
  record();
  arms["one_indexed"].crashed = true;
  EXPECT_EQ(failures().at(0).result.verdict, compare::Verdict::crashed);
}

TEST_F(GoldenVerifyTest, ATruncatedOrForeignFileIsAFailureAndNotACrash) {
  record();
  const std::string bytes = read_file(file);
  write_file(file, bytes.substr(0, bytes.size() / 2));
  EXPECT_EQ(failures().at(0).result.verdict, compare::Verdict::missing);
  write_file(file, "not HDF5");
  EXPECT_THAT(failures().at(0).result.sentence, HasSubstr("not an HDF5 file"));
  write_file(file, bytes);
  edit("f.attrs['schema'] = 'parity.golden/2.0'");
  EXPECT_THAT(failures().at(0).result.sentence, HasSubstr("parity.golden/2.0"));
}

TEST_F(GoldenVerifyTest, ADifferentConfigIsToldBesideAFailure) {
  record();
  auto run = run_of("AuthenticAMD", 2);
  run.config = {{"lr", {{"base", 0.002}}}};
  add_arm("one_indexed", run);
  EXPECT_THAT(failures().at(0).result.sentence,
              HasSubstr("the config is not the golden's: lr.base is 0.001 in the golden and 0.002 here"));
}

TEST_F(GoldenVerifyTest, GivenKeysThatDiffer_AreNamedBesideAFailure) {
  PlantedRun bare = run_of();
  bare.config = Json::object();
  add_arm("one_indexed", bare);
  arms["one_indexed"].given = {{"lr", 0.01}};
  record();
  PlantedRun other = run_of("AuthenticAMD", 2);
  other.config = Json::object();
  add_arm("one_indexed", other);
  arms["one_indexed"].given = {{"lr", 0.02}};
  EXPECT_THAT(failures().at(0).result.sentence,
              HasSubstr("the config is not the golden's: lr is 0.01 in the golden and 0.02 here"));
}

/// A golden from one CPU, a run on another whose float32 bits differ.
class GoldenDriftTest : public GoldenTest {
 protected:
  void run_elsewhere(const std::string& cpu, double difference32, double difference64, float element = 0.5F) {
    auto run = run_of(cpu, 1 + difference32);
    for (PlantedTensor& tensor : run.tensors)
      std::get<0>(tensor.values)[3] = element;
    add_arm("one_indexed", run);
    add_twin("one_indexed", run_of(cpu, 1 + difference64));
  }
  compare::Verdict verdict_of(const std::string& quantity) {
    for (const GoldenResult& each : verify_golden(stored_golden(file), arms))
      if (each.arm == "one_indexed" && each.quantity == quantity) {
        sentence = each.result.sentence;
        passed = each.result.passed;
        return each.result.verdict;
      }
    return compare::Verdict::missing;
  }
  std::string sentence;
  bool passed = false;
};

TEST_F(GoldenDriftTest, RoundingOfAnotherEnvironmentIsDriftAndPasses) {
  record();
  run_elsewhere("GenuineIntel", 1e-7, 1e-16, 0.50000006F);
  EXPECT_TRUE(golden_needs_twins(stored_golden(file), arms));
  EXPECT_EQ(verdict_of("loss"), compare::Verdict::drift);
  EXPECT_TRUE(passed);
  EXPECT_THAT(sentence,
              HasSubstr("this is drift: cpu_vendor is \"AuthenticAMD\" in the golden and \"GenuineIntel\""));
  EXPECT_EQ(verdict_of("grad"), compare::Verdict::drift);
  EXPECT_EQ(verdict_of("batch_digest"), compare::Verdict::identical);
  EXPECT_TRUE(failures().empty());
}

TEST_F(GoldenDriftTest, AChangeInAnotherEnvironmentIsDifferent) {
  record();
  run_elsewhere("GenuineIntel", 1e-3, 1e-3);
  EXPECT_EQ(verdict_of("loss"), compare::Verdict::different);
  EXPECT_THAT(sentence, HasSubstr("but that is not all"));
}

TEST_F(GoldenDriftTest, RoundingInTheSameEnvironmentIsDifferent) {
  record();
  run_elsewhere("AuthenticAMD", 1e-7, 1e-16);
  EXPECT_FALSE(golden_needs_twins(stored_golden(file), arms));
  EXPECT_EQ(verdict_of("loss"), compare::Verdict::different);
}

TEST_F(GoldenDriftTest, GradientsMayDriftByRoundingOnly) {
  record();
  run_elsewhere("GenuineIntel", 1e-7, 1e-16, 0.51F);
  EXPECT_EQ(verdict_of("grad"), compare::Verdict::different);
  EXPECT_THAT(sentence, HasSubstr("more than drift"));
}

TEST_F(GoldenDriftTest, GradientsIn16BitsMayDriftFarther) {
  record();
  for (const auto& [value, verdict] :
       {std::pair(0.51F, compare::Verdict::drift), std::pair(5.0F, compare::Verdict::different)}) {
    run_elsewhere("GenuineIntel", 1e-7, 1e-16, value);
    arms["one_indexed"].sixteen_bits = true;
    EXPECT_EQ(verdict_of("grad"), verdict) << value;
  }
}

TEST_F(GoldenDriftTest, WithoutTwinsThereIsNoDrift) {
  arms["one_indexed"].twin = nullptr;
  record();
  run_elsewhere("GenuineIntel", 1e-7, 1e-16);
  EXPECT_FALSE(golden_needs_twins(stored_golden(file), arms)) << "the golden has none";
  EXPECT_EQ(verdict_of("loss"), compare::Verdict::different);
  EXPECT_THAT(sentence, HasSubstr("without a float64 twin on both sides"));
}

TEST_F(GoldenDriftTest, UnsealedGolden_HasNoDrift) {
  record();
  edit("del f['seal'], f.attrs['history']\nf.attrs['schema'] = 'parity.golden/1.0'");
  EXPECT_TRUE(failures().empty());
  run_elsewhere("GenuineIntel", 0, 0);
  EXPECT_TRUE(failures().empty()) << "equal bits need no environment";
  run_elsewhere("GenuineIntel", 1e-7, 1e-16, 0.50000006F);
  EXPECT_FALSE(golden_needs_twins(stored_golden(file), arms));
  EXPECT_EQ(verdict_of("loss"), compare::Verdict::different);
  EXPECT_THAT(sentence, HasSubstr("no seal protects the golden's"));
}

TEST_F(GoldenDriftTest, EqualBitsElsewhereNeedNoTwins) {
  record();
  run_elsewhere("GenuineIntel", 0, 0);
  EXPECT_FALSE(golden_needs_twins(stored_golden(file), arms));
  EXPECT_EQ(verdict_of("loss"), compare::Verdict::identical);
}

}  // namespace
}  // namespace parity::golden
