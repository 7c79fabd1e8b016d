// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "harness/golden/golden_file.hpp"
#include "harness/golden/state.hpp"
#include "tests/support/traces/golden_runs.hpp"

namespace parity::golden {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

/// Floors in a golden's file, and checks against the golden that use them.
class GoldenFloorsTest : public GoldenTest {
 protected:
  static compare::Floors floors_of(double noise = 1e-6) {
    compare::Floors floors;
    floors.kinds = {"twin", "threads"};
    floors.evidence = {{"command", "parity calibrate lr/warmup"}};
    compare::ArmFloors& arm = floors.arms["one_indexed"];
    arm.config = {{"lr", {{"base", 0.001}}}};
    for (int64_t step = 1; step <= 4; ++step) {
      arm.rows.push_back({"loss", step, 7, {noise, NAN}});
      arm.rows.push_back({"grad layers.0.wq.weight", step, 5, {noise / 2, noise}});
    }
    return floors;
  }
  void store(const compare::Floors& floors) {
    record_floors(file, {"lr/warmup", "parity 0.1.0", "c9", "parity calibrate"}, floors);
  }
  compare::Check against(const std::string& channel) const {
    compare::Check check = check_of(compare::Relation::bounded, {channel});
    check.arms = {"one_indexed"};
    check.against = compare::Against::golden;
    return check;
  }
  /// The run's loss, off by a factor at each step, against the golden.
  compare::CheckResult judged(double factor) {
    add_arm("one_indexed", run_of("AuthenticAMD", factor));
    const StoredGolden stored = stored_golden(file);
    arms["one_indexed"].floors = &stored.golden->floors.arms.at("one_indexed");
    return judge_against_golden(against("loss"), stored, arms["one_indexed"]);
  }
};

TEST_F(GoldenFloorsTest, WhatIsStoredIsReadAgain) {
  record();
  store(floors_of());
  const Golden golden = read_golden(file);
  EXPECT_TRUE(golden.intact());
  EXPECT_EQ(golden.origin.commit, "c1") << "of the arms";
  EXPECT_THAT(golden.floors.kinds, ElementsAre("twin", "threads"));
  EXPECT_EQ(golden.floors.evidence.at("command"), "parity calibrate lr/warmup");
  const compare::ArmFloors& arm = golden.floors.arms.at("one_indexed");
  EXPECT_EQ(arm.config.at("lr").at("base"), 0.001);
  ASSERT_EQ(arm.rows.size(), 8U);
  EXPECT_EQ(arm.rows[0].quantity, "loss");
  EXPECT_EQ(arm.rows[0].noise[0], 1e-6);
  EXPECT_TRUE(std::isnan(arm.rows[0].noise[1]));
  EXPECT_EQ(arm.rows[1].quantity, "grad layers.0.wq.weight");
  EXPECT_EQ(arm.rows[1].scale, 5);
}

TEST_F(GoldenFloorsTest, FloorsAreNoContentButUnderTheSeal) {
  record();
  const std::string digest = read_golden(file).stored_digest;
  store(floors_of());
  EXPECT_EQ(read_golden(file).stored_digest, digest);
  EXPECT_FALSE(record()) << "the same values are recorded already";
  edit("f['floors/arms/one_indexed/noise'][0, 0] = 1");
  EXPECT_FALSE(read_golden(file).intact());
  EXPECT_THROW(store(floors_of()), UserError);
}

TEST_F(GoldenFloorsTest, TheyStayWhenArmsAreRecordedAnew) {
  record();
  store(floors_of(3e-6));
  add_arm("one_indexed", run_of("AuthenticAMD", 1.01));
  EXPECT_TRUE(record("c2", "another loss"));
  EXPECT_EQ(read_golden(file).floors.arms.at("one_indexed").rows[0].noise[0], 3e-6);
}

TEST_F(GoldenFloorsTest, AFileMayHoldFloorsAlone) {
  store(floors_of());
  EXPECT_TRUE(read_golden(file).intact());
  EXPECT_EQ(golden_state(file, {}).state, GoldenState::stored);
  EXPECT_EQ(golden_state(file, {"one_indexed"}).state, GoldenState::incomplete);
  EXPECT_EQ(recording_of(file, arms), Recording::first) << "it needs no reason";
  record();
  EXPECT_TRUE(read_golden(file).history.empty());
  EXPECT_EQ(read_golden(file).floors.arms.size(), 1U);
  EXPECT_EQ(golden_state(file, {}).state, GoldenState::unused);
}

TEST_F(GoldenFloorsTest, EqualFloorsGiveEqualBytes) {
  store(floors_of());
  const std::string bytes = read_file(file);
  store(floors_of());
  EXPECT_EQ(read_file(file), bytes);
}

TEST_F(GoldenFloorsTest, ColumnsThatDoNotFitAreRefused) {
  store(floors_of());
  edit(
      "a = f['floors/arms/one_indexed']\nq = a['quantity'][:]\ndel a['quantity']\nq[0] = 7\na['quantity'] = "
      "q");
  EXPECT_THAT(stored_golden(file).problem, HasSubstr("names no quantity"));
  std::filesystem::remove(file);
  store(floors_of());
  edit("a = f['floors/arms/one_indexed']\nq = a['step'][:3]\ndel a['step']\na['step'] = q");
  EXPECT_THAT(stored_golden(file).problem, HasSubstr("differ in length"));
}

TEST_F(GoldenFloorsTest, BoundedRun_PassesAtHalfBoundFailsAtTwice) {
  record();
  store(floors_of());
  EXPECT_EQ(judged(1).verdict, compare::Verdict::identical);
  const compare::CheckResult half = judged(1 + 4e-6 / 8);
  EXPECT_TRUE(half.passed) << half.sentence;
  EXPECT_EQ(half.verdict, compare::Verdict::rounding);
  EXPECT_THAT(half.sentence, HasSubstr("within 8 measured floors"));
  const compare::CheckResult twice = judged(1 + 16e-6 / 7);
  EXPECT_FALSE(twice.passed);
  EXPECT_EQ(twice.verdict, compare::Verdict::different);
}

TEST_F(GoldenFloorsTest, OnlyUncheckedQuantities_MustBeIdentical) {
  record();
  auto run = run_of("AuthenticAMD", 1 + 1e-7);
  add_arm("one_indexed", run);
  ASSERT_EQ(failures().size(), 1U);
  const StoredGolden stored = stored_golden(file);
  for (const GoldenResult& each : verify_golden(stored, arms, {against("loss")})) {
    EXPECT_TRUE(each.result.passed) << each.quantity;
    EXPECT_TRUE(each.arm != "one_indexed" || each.quantity != "loss");
  }
  run.tensors[4].values = std::vector<float>(100, 0.25F);
  add_arm("one_indexed", run);
  compare::Check tensors = tensor_check_of(compare::Relation::bounded, "layers.*", trace::Phase::grad);
  tensors.arms = {"one_indexed"};
  size_t failed = 0;
  for (const GoldenResult& each : verify_golden(stored, arms, {against("loss"), tensors}))
    failed += each.result.passed ? 0 : 1;
  EXPECT_EQ(failed, 0U) << "the gradient is the other check's to judge";
}

TEST_F(GoldenFloorsTest, WhatIsNotStoredIsMissing) {
  const StoredGolden none = stored_golden(file);
  EXPECT_EQ(judge_against_golden(against("loss"), none, arms["one_indexed"]).verdict,
            compare::Verdict::missing);
  record();
  const StoredGolden stored = stored_golden(file);
  EXPECT_THAT(judge_against_golden(against("loss"), stored, arms["one_indexed"]).sentence,
              HasSubstr("parity calibrate"));
  EXPECT_THAT(judge_against_golden(against("nothing"), stored, arms["one_indexed"]).sentence,
              HasSubstr("has a channel 'nothing'"));
}

/// Drifted values may be kept next to the stored ones.
class GoldenVariantTest : public GoldenTest {
 protected:
  /// One arm on another machine, its loss off by rounding, or by more.
  void move(double factor) { add_arm("one_indexed", run_of("GenuineIntel", factor)); }
  void keep() {
    record_variant(file, {"lr/warmup", "parity 0.1.0", "c2", ""}, {{"one_indexed", arms["one_indexed"]}},
                   "other kernels");
  }
  compare::Verdict loss() {
    for (const GoldenResult& each : verify_golden(stored_golden(file), arms))
      if (each.arm == "one_indexed" && each.quantity == "loss")
        return each.result.verdict;
    return compare::Verdict::missing;
  }
};

TEST_F(GoldenVariantTest, MachinesOfBothKindsHoldBitForBit) {
  record();
  const std::string digest = read_golden(file).stored_digest;
  move(1 + 3e-7);
  EXPECT_EQ(loss(), compare::Verdict::drift);
  keep();
  EXPECT_EQ(loss(), compare::Verdict::identical);
  move(1 + 6e-7);
  EXPECT_NE(loss(), compare::Verdict::identical) << "other bits than this environment's variant";
  add_arm("one_indexed", run_of());
  EXPECT_EQ(loss(), compare::Verdict::identical) << "the first machine holds as before";
  const Golden golden = read_golden(file);
  EXPECT_EQ(golden.stored_digest, digest);
  EXPECT_TRUE(golden.intact());
  EXPECT_EQ(golden.history.back().reason, "other kernels");
}

TEST_F(GoldenVariantTest, AVariantOfTheSameEnvironmentIsReplaced) {
  record();
  for (const double factor : {1 + 3e-7, 1 + 6e-7}) {
    move(factor);
    keep();
    EXPECT_EQ(loss(), compare::Verdict::identical);
  }
  EXPECT_EQ(read_golden(file).variants.size(), 1U);
}

TEST_F(GoldenVariantTest, NewValuesEndTheVariantsOfTheirArm) {
  record();
  move(1 + 3e-7);
  keep();
  add_arm("zero_indexed", run_of("AuthenticAMD", 1.01));
  add_arm("one_indexed", run_of());
  ASSERT_TRUE(record("c3", "the other arm changed"));
  EXPECT_EQ(read_golden(file).variants.size(), 1U);
  add_arm("one_indexed", run_of("AuthenticAMD", 1.01));
  ASSERT_TRUE(record("c4", "this one too"));
  EXPECT_TRUE(read_golden(file).variants.empty());
}

TEST_F(GoldenVariantTest, OnlyTheArmsThatDriftedAreRefreshed) {
  record();
  for (const char* name : {"one_indexed", "zero_indexed"})
    add_arm(name, run_of("GenuineIntel", std::string(name) == "one_indexed" ? 1 + 3e-7 : 1));
  ASSERT_TRUE(record("c2", "another runner"));
  const Golden golden = read_golden(file);
  EXPECT_EQ(golden.arms.at("one_indexed").fingerprint.at("cpu_vendor"), "GenuineIntel");
  EXPECT_EQ(golden.arms.at("zero_indexed").fingerprint.at("cpu_vendor"), "AuthenticAMD");
}

}  // namespace
}  // namespace parity::golden
