// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/judge/standing_evidence.hpp"

#include <gmock/gmock.h>

#include "harness/golden/golden_file.hpp"
#include "tests/harness/suite/suite_fixture.hpp"

namespace parity::suite {
namespace {

using testing::HasSubstr;

/// Two arms that differ by rounding, in float32 and as float64 twins, and a golden recorded from them.
class StandingEvidenceTest : public SuiteTest {
 protected:
  void SetUp() override {
    SuiteTest::SetUp();
    train(1e-7, 1e-15);
    ASSERT_EQ(suite(item(), golden::GoldenMode::create_missing).at("cases").at(0).at("passed"), true);
    ASSERT_EQ(golden::read_golden(item().golden_file).evidence.records.size(), 1U);
  }
  /// Traces of both arms: arm b's losses are a's with relative rounding of these sizes.
  void train(double size32, double size64, const std::string& cpu = "one") const {
    const Json provenance = {{"fingerprint", {{"cpu", cpu}}}, {"commit", "trainer1"}};
    for (const auto& [dtype, size] : {std::pair("float32", size32), std::pair("float64", size64)}) {
      std::vector<double> losses = falling_losses();
      write_trace(std::string("a.") + dtype, losses, 0.5, provenance);
      for (size_t i = 0; i < losses.size(); ++i)
        losses[i] *= 1 + size * (i % 2 == 0 ? 1 : -1);
      write_trace(std::string("b.") + dtype, losses, 0.5, provenance);
    }
  }
  /// A command without listed inputs: each suite runs it again.
  static std::string arm(const std::string& name, const std::string& more = "") {
    return "[arms." + name + "]\ncommand = [\"cp\", \"{case_dir}/" + name +
           ".{dtype}.h5\", \"{run_dir}/trace.h5\"]\n" + more;
  }
  Case item(const std::string& because = "x", const std::string& more_of_b = "",
            const std::string& name = "c") const {
    return write_case(name, arm("a") + arm("b", more_of_b) +
                                "[[checks]]\nchannel = \"loss\"\nrelation = \"equivalent\"\nbecause = \"" +
                                because + "\"\n");
  }
  Json suite(const Case& source, golden::GoldenMode mode = golden::GoldenMode::compare,
             EvidenceMode evidence = EvidenceMode::stored) const {
    return run({source}, mode, true, evidence);
  }
  /// Returns the evidence of the one check that needs twins: "stored", "measured", or "".
  static std::string source_of(const Json& results) {
    const Json& evidence = results.at("cases").at(0).at("checks").at(0).at("evidence");
    return evidence.is_null() ? "" : evidence.at("source").get<std::string>();
  }
  static int64_t runs_of(const Json& results) { return results.at("summary").at("runs"); }
  static Json check_of(const Json& results) { return results.at("cases").at(0).at("checks").at(0); }
  /// \param repeats  runs of arms that left their goldens, before they are blamed
  void expect_twins_ran(const Json& results, int64_t repeats = 0) const {
    EXPECT_NE(source_of(results), "stored");
    EXPECT_EQ(runs_of(results), 4 + repeats);
  }
  void expect_stands(const Json& results) const {
    EXPECT_EQ(source_of(results), "stored");
    EXPECT_EQ(runs_of(results), 2);
  }
};

TEST_F(StandingEvidenceTest, StandsForTwinsWhileBitsAreTheGoldens) {
  const Json results = suite(item());
  expect_stands(results);
  EXPECT_EQ(results.at("cases").at(0).at("passed"), true);
  EXPECT_EQ(results.at("summary").at("checks_on_twins"), 1);
  EXPECT_EQ(results.at("summary").at("checks_on_stored_evidence"), 1);
  const Json evidence = check_of(results).at("evidence");
  EXPECT_EQ(evidence.at("producer"), "parity 0");
  EXPECT_EQ(evidence.at("commit"), "trainer1") << "of the trainer that ran the twins";
  EXPECT_EQ(evidence.at("environment"), "cpu one");
  EXPECT_EQ(evidence.at("runs").size(), 2U);
  EXPECT_EQ(evidence.at("date").get<std::string>().size(), 20U);
  EXPECT_EQ(check_of(results).at("verdict"), "rounding");
  EXPECT_TRUE(results.at("cases").at(0).at("arms").at(0).at("twin").is_null());
}

TEST_F(StandingEvidenceTest, GivesTheSentenceAndTheFloorThatTheTwinsGive) {
  const Json stored = suite(item());
  const Json measured = suite(item(), golden::GoldenMode::compare, EvidenceMode::again);
  EXPECT_EQ(check_of(stored).at("sentence"), check_of(measured).at("sentence"));
  EXPECT_EQ(check_of(stored).at("measured"), check_of(measured).at("measured"));
  EXPECT_EQ(stored.at("cases").at(0).at("curves"), measured.at("cases").at(0).at("curves"));
}

TEST_F(StandingEvidenceTest, AgainRunsTheTwins) {
  const Json results = suite(item(), golden::GoldenMode::compare, EvidenceMode::again);
  expect_twins_ran(results);
  EXPECT_EQ(source_of(results), "measured");
  EXPECT_EQ(results.at("summary").at("checks_on_twins"), 1);
  EXPECT_EQ(results.at("summary").at("checks_on_stored_evidence"), 0);
}

TEST_F(StandingEvidenceTest, AFloat32BitThatChangedIsJudgedAfresh) {
  train(1e-3, 1e-3);  // another computation, in both precisions
  const Json results = suite(item());
  expect_twins_ran(results, 1);
  EXPECT_EQ(check_of(results).at("passed"), false);
  EXPECT_EQ(check_of(results).at("verdict"), "different");
  train(2e-7, 1e-15);  // other rounding: the check holds, its golden does not
  const Json rounding = suite(item());
  expect_twins_ran(rounding, 1);
  EXPECT_EQ(check_of(rounding).at("passed"), true);
  EXPECT_EQ(rounding.at("cases").at(0).at("passed"), false);
}

TEST_F(StandingEvidenceTest, ADefectOfFloat64AloneIsFoundByRunningTheTwins) {
  train(1e-7, 1e-3);
  expect_stands(suite(item()));  // as the README says
  const Json results = suite(item(), golden::GoldenMode::compare, EvidenceMode::again);
  EXPECT_EQ(check_of(results).at("passed"), false);
}

TEST_F(StandingEvidenceTest, DoesNotStandForAnotherReasonConfigOrWindow) {
  expect_twins_ran(suite(item("another reason")));
  expect_twins_ran(suite(item("x", "lr.base = 0.25\n")));
  expect_twins_ran(suite(write_case("c", arm("a") + arm("b") +
                                             "[[checks]]\nchannel = \"loss\"\nrelation = \"equivalent\"\n"
                                             "steps = [1, 10]\nbecause = \"x\"\n")));
  expect_stands(suite(item()));
}

TEST_F(StandingEvidenceTest, ArmOutsideGolden_HoldsUntilItsBitsChange) {
  const Case kept = write_case("k", read_file(item().file) + "[golden]\narms = [\"a\"]\n");
  suite(kept, golden::GoldenMode::create_missing);
  ASSERT_FALSE(golden::read_golden(kept.golden_file).arms.contains("b"));
  expect_stands(suite(kept));
  train(2e-7, 1e-15);  // a is unchanged
  const Json results = suite(kept);
  expect_twins_ran(results);
  EXPECT_EQ(results.at("cases").at(0).at("passed"), true);
}

TEST_F(StandingEvidenceTest, OfADamagedFileIsRefusedLoudly) {
  const std::filesystem::path golden = item().golden_file;
  std::string bytes = read_file(golden);
  const size_t at = bytes.find("\"date\":\"20") + 10;
  bytes[at] = bytes[at] == '9' ? '8' : '9';
  write_file(golden, bytes);
  const Json results = suite(item());
  expect_twins_ran(results);
  EXPECT_EQ(results.at("cases").at(0).at("passed"), false);
  const std::string said = results.at("cases").at(0).at("sentence");
  EXPECT_THAT(said, HasSubstr("its evidence of 'loss equivalent: a, b' does not match its digest"));
  EXPECT_THAT(said, HasSubstr("c.h5"));
  EXPECT_THAT(said, HasSubstr("restore it from version control"));
}

TEST_F(StandingEvidenceTest, IsNotAskedForWhereAnArmCrashed) {
  std::filesystem::remove(folder_ / "cases/topic/b.float32.h5");
  const Json results = suite(item());
  EXPECT_EQ(runs_of(results), 2) << "no twin changes what is found";
  EXPECT_EQ(check_of(results).at("verdict"), "crashed");
}

TEST_F(StandingEvidenceTest, StandsInTheNextSuiteWithoutJudgingAgain) {
  const std::string cached = "inputs = [\"a.float32.h5\", \"b.float32.h5\"]\n";
  const auto source = [&] {
    return write_case("d",
                      arm("a", cached) + arm("b", cached) +
                          "[[checks]]\nchannel = \"loss\"\nrelation = \"equivalent\"\nbecause = \"x\"\n");
  };
  suite(source(), golden::GoldenMode::create_missing);
  expect_stands(suite(source()));
  const Json results = suite(source());
  expect_stands(results);
  EXPECT_EQ(results.at("summary").at("runs_cached"), 2);
  EXPECT_EQ(source_of(suite(source(), golden::GoldenMode::compare, EvidenceMode::again)), "measured");
  expect_stands(suite(source()));
}

TEST_F(StandingEvidenceTest, IsRecordedOnceAndThenStaysByteForByte) {
  const std::string bytes = read_file(item().golden_file);
  suite(item(), golden::GoldenMode::update_changed);
  EXPECT_EQ(read_file(item().golden_file), bytes);
  golden::Golden old = golden::read_golden(item().golden_file);
  old.evidence = {};
  write_golden(item().golden_file, old);
  expect_twins_ran(suite(item()));
  const Json results = suite(item(), golden::GoldenMode::update_changed);
  EXPECT_EQ(results.at("cases").at(0).at("passed"), true) << "no reason is needed";
  EXPECT_THAT(results.at("cases").at(0).at("checks").back().at("sentence").get<std::string>(),
              HasSubstr("its evidence of float64 twins was renewed"));
  expect_stands(suite(item()));
}

TEST_F(StandingEvidenceTest, OnlyTwinsOfChecksWithoutEvidenceRun) {
  write_trace("c.float32", falling_losses(), 0.5, {{"fingerprint", {{"cpu", "one"}}}});
  write_trace("c.float64", falling_losses(), 0.5, {{"fingerprint", {{"cpu", "one"}}}});
  const auto source = [&](const std::string& because) {
    std::string text = arm("a") + arm("b") + arm("c");
    for (const auto& [other, why] :
         {std::pair(std::string("a"), std::string("x")), std::pair(std::string("c"), because)})
      text += "[[checks]]\nchannel = \"loss\"\narms = [\"" + other +
              "\", \"b\"]\nrelation = \"equivalent\"\nbecause = \"" + why + "\"\n";
    return write_case("three", text);
  };
  suite(source("x"), golden::GoldenMode::create_missing);
  EXPECT_EQ(runs_of(suite(source("x"))), 3);
  const Json results = suite(source("y"));
  EXPECT_EQ(runs_of(results), 5) << "three arms, and the twins of b and c";
  EXPECT_EQ(results.at("summary").at("checks_on_twins"), 2);
  EXPECT_EQ(results.at("summary").at("checks_on_stored_evidence"), 1);
}

TEST_F(StandingEvidenceTest, InAnotherEnvironmentStandsOnlyForTheSameBits) {
  train(1e-7, 1e-15, "two");
  expect_stands(suite(item()));
  train(1.5e-7, 1e-15, "two");  // drift
  expect_twins_ran(suite(item()));
}

}  // namespace
}  // namespace parity::suite
