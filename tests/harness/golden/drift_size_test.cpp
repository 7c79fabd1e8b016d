// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include <gmock/gmock.h>

#include "tests/support/traces/golden_runs.hpp"

namespace parity::golden {
namespace {

using testing::HasSubstr;

/// A golden from one environment and runs of another: how large a drift may be.
class DriftSizeTest : public GoldenTest {
 protected:
  void SetUp() override {
    GoldenTest::SetUp();
    ASSERT_TRUE(record());
  }
  /// Both arms: float32 changed by one factor, and their twins by another.
  void run_elsewhere(double factor32, double factor64 = 1) {
    for (const char* name : {"one_indexed", "zero_indexed"}) {
      add_arm(name, run_of("GenuineIntel", factor32));
      add_twin(name, run_of("GenuineIntel", factor64));
    }
  }
  compare::CheckResult loss() {
    for (const GoldenResult& each : verify_golden(stored_golden(file), arms))
      if (each.arm == "one_indexed" && each.quantity == "loss")
        return each.result;
    return {};
  }
};

TEST_F(DriftSizeTest, AFewRoundingsAreDrift) {
  run_elsewhere(1 + 0x1p-22, 1 + 0x1p-51);
  const compare::CheckResult result = loss();
  EXPECT_TRUE(result.passed) << result.sentence;
  EXPECT_EQ(result.verdict, compare::Verdict::drift);
}

TEST_F(DriftSizeTest, FivePercentOfFloat32AloneIsImprecise) {
  run_elsewhere(1.05);
  const compare::CheckResult result = loss();
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(name_of(result.verdict), "imprecise");
  EXPECT_THAT(result.sentence, HasSubstr("this run loses 2^19"));
}

TEST_F(DriftSizeTest, ABfloat16RoundingIsImprecise) {
  run_elsewhere(1 + 0x1p-9);
  EXPECT_EQ(name_of(loss().verdict), "imprecise");
}

TEST_F(DriftSizeTest, ZeroTwinsProveNothing) {
  add_twin("one_indexed", run_of("AuthenticAMD", 0));
  add_twin("zero_indexed", run_of("AuthenticAMD", 0));
  std::filesystem::remove(file);
  ASSERT_TRUE(record());
  run_elsewhere(1 + 0x1p-22, 0);
  const compare::CheckResult result = loss();
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.verdict, compare::Verdict::vacuous);
}

TEST_F(DriftSizeTest, AnArmIn16BitsMayLoseMore) {
  run_elsewhere(1 + 0x1p-9);
  for (auto& [name, arm] : arms)
    arm.sixteen_bits = true;
  EXPECT_EQ(loss().verdict, compare::Verdict::drift);
  run_elsewhere(1.1);
  EXPECT_FALSE(loss().passed);
}

TEST_F(DriftSizeTest, ADeclaredAllowanceCounts) {
  run_elsewhere(1 + 0x1p-9);
  arms["one_indexed"].allowance.dtype = DType::bfloat16;
  EXPECT_EQ(loss().verdict, compare::Verdict::drift);
  arms["one_indexed"].allowance = {DType::float32, 1024};
  EXPECT_EQ(loss().verdict, compare::Verdict::drift);
  arms["one_indexed"].allowance = {};
  EXPECT_FALSE(loss().passed);
}

TEST_F(DriftSizeTest, ANanOrAnInfinityIsNoDrift) {
  for (const double value :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    PlantedRun run = run_of("GenuineIntel");
    std::get<0>(run.channels["loss"])[2] = value;
    add_arm("one_indexed", run);
    EXPECT_FALSE(loss().passed);
    add_arm("one_indexed", run_of("GenuineIntel", 1 + 0x1p-22));
    add_twin("one_indexed", run);
    EXPECT_FALSE(loss().passed);
    add_twin("one_indexed", run_of("GenuineIntel"));
  }
}

}  // namespace
}  // namespace parity::golden
