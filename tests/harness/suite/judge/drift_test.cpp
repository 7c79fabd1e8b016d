// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "harness/golden/golden_file.hpp"
#include "tests/harness/suite/suite_fixture.hpp"

namespace parity::suite {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Two arms whose golden was recorded on one machine, and which now run on another.
class DriftTest : public SuiteTest {
 protected:
  void SetUp() override {
    SuiteTest::SetUp();
    train("one", 0, 0);
    ASSERT_EQ(suite(golden::GoldenMode::create_missing).at("passed"), true);
  }
  /// Both arms' traces: relative changes of float32 and of float64, in an environment.
  void train(const std::string& cpu, double change32, double change64) const {
    const Json provenance = {{"fingerprint", {{"cpu", cpu}}}};
    for (const auto& [dtype, change] : {std::pair("float32", change32), std::pair("float64", change64)}) {
      std::vector<double> losses = falling_losses();
      losses[4] *= 1 + change;
      write_trace(std::string("a.") + dtype, losses, 0.5, provenance);
      write_trace(std::string("b.") + dtype, falling_losses(), 0.5, provenance);
    }
  }
  static std::string arm(const std::string& name) {
    return "[arms." + name + "]\ncommand = [\"cp\", \"{case_dir}/" + name +
           ".{dtype}.h5\", \"{run_dir}/trace.h5\"]\ninputs = [\"" + name + ".float32.h5\", \"" + name +
           ".float64.h5\"]\n";
  }
  Case item() const {
    return write_case("c", arm("a") + arm("b") +
                               "[[checks]]\nchannel = \"lr\"\nrelation = \"identical\"\nbecause = \"x\"\n");
  }
  /// The case's results.
  Json suite(golden::GoldenMode mode, golden::DriftMode drift = golden::DriftMode::notice,
             const std::string& reason = "", bool variant = false) const {
    SuiteOptions options;
    options.out = folder_ / "out";
    options.trainer = folder_ / "no-trainer-needed";
    options.golden_mode = mode;
    options.golden_reason = reason;
    options.golden_variant = variant;
    options.drift = drift;
    options.command = {"parity", "run"};
    Progress progress(stderr, false);
    run_suite({item()}, options, progress, [](const results::Case&) {});
    return Json::parse(read_file(options.out / "results.json")).at("cases").at(0);
  }
  static Json loss_of(const Json& results) {
    for (const Json& check : results.at("checks"))
      if (check.at("kind") == "golden" && check.at("quantity") == "loss")
        return check;
    return nullptr;
  }
  static std::string sentence_of_last(const Json& results) {
    return results.at("checks").back().at("sentence");
  }
  golden::Golden golden() const { return golden::read_golden(item().golden_file); }
};

TEST_F(DriftTest, IsANoticeUnlessItIsToBeAFailure) {
  train("two", 1e-7, 1e-16);
  const Json notice = suite(golden::GoldenMode::compare);
  EXPECT_EQ(notice.at("passed"), true);
  EXPECT_EQ(loss_of(notice).at("verdict"), "drift");
  const Json failure = suite(golden::GoldenMode::compare, golden::DriftMode::fail);
  EXPECT_EQ(failure.at("passed"), false) << "also where the case was judged before";
  EXPECT_EQ(loss_of(failure).at("verdict"), "drift");
  EXPECT_THAT(loss_of(failure).at("sentence").get<std::string>(),
              AllOf(HasSubstr("this is drift"), HasSubstr("--drift fail")));
  EXPECT_EQ(outcome_of(results::read_case(failure)).code, ExitCode::differ);
}

TEST_F(DriftTest, WhatIsMoreThanDriftFailsEitherWay) {
  train("two", 1e-7, 1e-9);
  EXPECT_EQ(loss_of(suite(golden::GoldenMode::compare)).at("verdict"), "different");
  train("one", 1e-7, 1e-16);  // the golden's own environment
  EXPECT_EQ(loss_of(suite(golden::GoldenMode::compare)).at("verdict"), "different");
}

TEST_F(DriftTest, AnErrorOfFloat32AloneFailsEitherWay) {
  for (const double error : {0.05, 0x1p-9}) {
    train("two", error, 0);
    const Json results = suite(golden::GoldenMode::compare);
    EXPECT_EQ(results.at("passed"), false);
    EXPECT_EQ(loss_of(results).at("verdict"), "imprecise");
  }
}

TEST_F(DriftTest, ACaseThatDriftsDoesNotClaimEqualBits) {
  train("two", 1e-7, 1e-16);
  const std::string sentence = suite(golden::GoldenMode::compare).at("sentence");
  EXPECT_THAT(sentence, AllOf(HasSubstr("up to drift"), Not(HasSubstr("in everything that was checked"))));
}

TEST_F(DriftTest, UpdateChangedRefreshesJustWhatDrifted) {
  train("two", 1e-7, 1e-16);
  EXPECT_EQ(suite(golden::GoldenMode::update_changed).at("passed"), false)
      << "values changed, and nobody said why";
  const Json results = suite(golden::GoldenMode::update_changed, golden::DriftMode::notice, "new runners");
  EXPECT_THAT(sentence_of_last(results),
              AllOf(HasSubstr("recorded again (only a)"), HasSubstr("new runners")));
  EXPECT_EQ(golden().arms.at("a").fingerprint.at("cpu"), "two");
  EXPECT_EQ(golden().arms.at("b").fingerprint.at("cpu"), "one");
  EXPECT_EQ(suite(golden::GoldenMode::compare, golden::DriftMode::fail).at("passed"), true);
}

TEST_F(DriftTest, AVariantHoldsInBothEnvironments) {
  train("two", 1e-7, 1e-16);
  EXPECT_THAT(
      sentence_of_last(suite(golden::GoldenMode::update_changed, golden::DriftMode::notice, "", true)),
      HasSubstr("needs a reason"));
  EXPECT_THAT(sentence_of_last(
                  suite(golden::GoldenMode::update_changed, golden::DriftMode::notice, "new runners", true)),
              HasSubstr("has a variant of a"));
  EXPECT_EQ(suite(golden::GoldenMode::compare, golden::DriftMode::fail).at("passed"), true);
  train("one", 0, 0);
  EXPECT_EQ(suite(golden::GoldenMode::compare, golden::DriftMode::fail).at("passed"), true);
}

TEST_F(DriftTest, NoVariantIsKeptOfWhatIsMoreThanDrift) {
  train("two", 1e-7, 1e-9);
  const Json results =
      suite(golden::GoldenMode::update_changed, golden::DriftMode::notice, "new runners", true);
  EXPECT_EQ(results.at("passed"), false);
  EXPECT_THAT(sentence_of_last(results),
              AllOf(HasSubstr("was not given a variant"), HasSubstr("a differs by more than drift")));
  EXPECT_TRUE(golden().variants.empty());
}

}  // namespace
}  // namespace parity::suite
