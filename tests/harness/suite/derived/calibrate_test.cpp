// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/derived/calibrate.hpp"

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "harness/golden/golden_file.hpp"
#include "tests/harness/suite/suite_fixture.hpp"

namespace parity::suite {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

/// Commands whose losses differ with two threads, and differ again under the other profile.
class CalibrateTest : public SuiteTest {
 protected:
  void SetUp() override {
    SuiteTest::SetUp();
    write_trace("a", falling_losses());
    write_trace("threads", moved(1e-7, 0));
    write_trace("native", moved(-3e-7, 4));
  }
  /// Losses off by a relative size from a step on.
  static std::vector<double> moved(double size, size_t from) {
    std::vector<double> losses = falling_losses();
    for (size_t i = from; i < losses.size(); ++i)
      losses[i] *= 1 + size;
    return losses;
  }
  static std::string arm(const std::string& name, const std::string& more = "") {
    return shell_arm(
        name, "f=a; [ $OMP_NUM_THREADS = 1 ] || f=threads; [ $MKL_CBWR = AVX2,STRICT ] || f=native; " + more +
                  "cp {case_dir}/$f.h5 $PARITY_TRACE");
  }
  Case source(const std::string& check = "relation = \"bounded\"\n", const std::string& more = "") const {
    return write_case("c", "[golden]\narms = []\n" + arm("x") + arm("y", more) +
                               "[[checks]]\nchannel = \"loss\"\n" + check +
                               "because = \"the test says so\"\n");
  }
  SuiteOptions options() const {
    SuiteOptions options;
    options.out = folder_ / "out";
    options.trainer = folder_ / "no-trainer-needed";
    options.jobs = 2;
    options.command = {"parity", "calibrate"};
    return options;
  }
  Calibration calibrated(const Case& item) const {
    Progress progress(stderr, false);
    return calibrate(item, 2, options(), progress);
  }
  Json judged(const Case& item) const { return run({item}).at("cases").at(0).at("checks").at(0); }
  void store(const Case& item) const {
    golden::record_floors(item.golden_file, {item.name, "", "", ""}, calibrated(item).floors);
  }
};

TEST_F(CalibrateTest, Floor_IsTheNoisiestVariantAtEachStep) {
  const Calibration found = calibrated(source());
  ASSERT_TRUE(found.floors.arms.contains("x"));
  const compare::FloorCurve curve(found.floors.arms.at("x"), "loss");
  EXPECT_NEAR(*curve.relative_at(1), 1e-7, 1e-15);  // 8.0, threads alone
  EXPECT_GE(*curve.relative_at(6), 3e-7 * (1 - 1e-9));
  const std::vector<compare::FloorRow>& rows = found.floors.arms.at("x").rows;
  ASSERT_EQ(rows.size(), 10U);
  EXPECT_NEAR(rows[5].largest(), 6.75 * 3e-7, 1e-14);
  EXPECT_TRUE(std::isnan(rows[5].noise[static_cast<size_t>(compare::NoiseKind::twin)]));
  EXPECT_THAT(found.left_out, Contains(HasSubstr("x: twin: the command has no float64 form")));
  ASSERT_EQ(found.lines.size(), 1U);
  EXPECT_EQ(found.lines[0].kind, "kernels");
  EXPECT_EQ(found.lines[0].bound, "8 floors");
  EXPECT_TRUE(std::isinf(found.lines[0].headroom.value()));
  EXPECT_EQ(found.floors.evidence.at("growth").at("x").at("loss").at("points"), 10);
  EXPECT_THAT(found.floors.evidence.at("left_out").get<std::vector<std::string>>(), Contains("x: twin"));
}

TEST_F(CalibrateTest, NothingIsRunTwice) {
  const Case item =
      write_case("c", "[golden]\narms = []\n" + copying_arm("x", "a") + copying_arm("y", "threads") +
                          "[[checks]]\nchannel = \"loss\"\nrelation = \"bounded\"\nbecause = \"x\"\n");
  EXPECT_EQ(calibrated(item).cached, 0U);
  const Calibration again = calibrated(item);
  EXPECT_EQ(again.cached, again.runs);
  EXPECT_EQ(again.runs, 6U);  // two arms, each with other threads and other kernels
}

TEST_F(CalibrateTest, ABoundedCheckHoldsOrNotByWhatWasMeasured) {
  const std::string shifted = "[ $f != a ] || f=shifted; ";
  for (const auto& [size, passes] : {std::pair(4e-7, true), std::pair(8e-6, false)}) {
    write_trace("shifted", moved(size, 2));
    const Case item = source("relation = \"bounded\"\n", shifted);
    std::filesystem::remove(item.golden_file);
    const Json before = judged(item);
    EXPECT_EQ(before.at("verdict"), "missing");
    EXPECT_THAT(before.at("sentence").get<std::string>(), HasSubstr("parity calibrate"));
    store(source());
    const Json after = judged(item);
    EXPECT_EQ(after.at("passed"), passes) << after.at("sentence");
  }
}

TEST_F(CalibrateTest, ResultsHoldTheBoundAndWhereItsFloorsComeFrom) {
  const Case item = source();
  EXPECT_TRUE(run({item}).at("cases").at(0).at("calibration").is_null());
  compare::Floors floors = calibrated(item).floors;
  floors.evidence["command"] = "parity calibrate topic/c";
  golden::record_floors(item.golden_file, {item.name, "", "", ""}, floors);
  const Json results = run({item}).at("cases").at(0);
  EXPECT_EQ(results.at("calibration").at("command"), "parity calibrate topic/c");
  EXPECT_EQ(results.at("calibration").at("runs"),
            2);  // threads and kernels: a command has no weights to move
  EXPECT_EQ(results.at("calibration").at("kinds"), (Json{"threads", "kernels"}));
  const Json& bound = results.at("checks").at(0).at("bounds").at(0);
  EXPECT_EQ(bound.at("steps").size(), 10U);
  EXPECT_NEAR(bound.at("limit").at(0).get<double>(), 8 * 8.0 * 1e-7, 1e-12);
}

TEST_F(CalibrateTest, ToleranceAboveAThousandFloors_IsRefused) {
  store(source());
  const Json loose = judged(source("relation = \"bounded\"\ntolerance = 1e-3\n"));
  EXPECT_EQ(loose.at("passed"), false);
  EXPECT_EQ(loose.at("verdict"), "vacuous");
  EXPECT_EQ(judged(source("relation = \"bounded\"\ntolerance = 1e-5\n")).at("passed"), true);
  EXPECT_EQ(
      judged(source("relation = \"bounded\"\ntolerance = 1e-3\ntolerance_because = \"x\"\n")).at("passed"),
      true);
  EXPECT_EQ(judged(source("relation = \"bounded\"\ntolerance = 1e-8\n")).at("verdict"), "vacuous");
}

TEST_F(CalibrateTest, VariantBeyondRounding_IsLeftOutWithReason) {
  write_trace("native", moved(1e-3, 0));
  const Calibration found = calibrated(source());
  EXPECT_THAT(found.left_out, Contains(AllOf(HasSubstr("x: kernels: the relative gap of loss is 0.001"),
                                             HasSubstr("more than rounding"))));
  EXPECT_NEAR(*compare::FloorCurve(found.floors.arms.at("x"), "loss").relative_at(10), 1e-7, 1e-12);
}

TEST_F(CalibrateTest, FailedVariant_IsLeftOutFailedArmEndsIt) {
  const Calibration found = calibrated(source("relation = \"bounded\"\n", "[ $f != threads ] || exit 2; "));
  EXPECT_THAT(found.left_out, Contains(AllOf(HasSubstr("y: threads: "), HasSubstr("exit status 2"))));
  try {
    calibrated(source("relation = \"bounded\"\n", "exit 9; "));
    FAIL() << "no complaint";
  } catch (const UserError& error) {
    EXPECT_EQ(error.code(), ExitCode::crashed);
    EXPECT_THAT(error.what(), HasSubstr("noise of arm y"));
  }
}

TEST_F(CalibrateTest, Operators_AreRefused) {
  const Case source = write_case("o",
                                 "[operator]\ninputs.x = {shape = [\"n\"]}\nsweep = {n = [1, 2]}\n"
                                 "[arms.a]\noperator = \"aten::relu\"\n[arms.b]\noperator = \"aten::relu\"\n"
                                 "threads = 2\n[[checks]]\nrelation = \"identical\"\nbecause = \"x\"\n");
  try {
    calibrated(source);
    FAIL() << "no complaint";
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("not from measured noise"));
  }
}

}  // namespace
}  // namespace parity::suite
