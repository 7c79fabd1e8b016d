// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/derived/extra_arms.hpp"

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "tests/harness/suite/suite_fixture.hpp"

namespace parity::suite {
namespace {

using testing::HasSubstr;

/// A case of two arms that print how they were started, and a trainer's schema for it.
class ExtraArmsTest : public SuiteTest {
 protected:
  void SetUp() override {
    SuiteTest::SetUp();
    write_trace("a", falling_losses());
    write_file(folder_ / "trainer.schema.json",
               R"({"schema": "parity.config/1", "channels": ["loss"], "keys": {
                "steps": {"type": "integer", "default": 10},
                "dtype": {"type": "string", "default": "float32"},
                "threads": {"type": "integer", "default": 1},
                "lr.base": {"type": "number", "default": 0.1}}})");
    write_file(folder_ / "trainer", "a program that is never started");
  }
  SuiteOptions options() const {
    SuiteOptions options;
    options.out = folder_ / "out";
    options.trainer = folder_ / "trainer";
    options.command = {"parity", "calibrate"};
    return options;
  }
  Case trained(const std::string& relation = "equivalent") const {
    return write_case("t",
                      "[arms.x]\nlr.base = 0.5\n[arms.y]\n[golden]\narms = []\n[[checks]]\ntensor = \"w*\"\n"
                      "phase = \"grad\"\nsteps = [2, 3]\nrelation = \"" +
                          relation + "\"\nbecause = \"x\"\n");
  }
  Case commands() const {
    return write_case("c", "[golden]\narms = []\n" +
                               shell_arm("x",
                                         "echo $OMP_NUM_THREADS $MKL_CBWR > {run_dir}/seen; "
                                         "cp {case_dir}/a.h5 $PARITY_TRACE") +
                               copying_arm("y", "a") + losses_identical());
  }
  static const PlannedArm& arm(const PlannedCase& planned, const std::string& name) {
    return planned.arm(name);
  }
};

TEST_F(ExtraArmsTest, AnExtraArmIsItsArmWithOtherKeys) {
  const Case source =
      with_extra_arms(trained(), {{.of = "x", .suffix = "threads2", .config = {{"threads", 2}}}});
  const PlannedCase planned = plan_arms(source, options());
  ASSERT_EQ(planned.arms.size(), 3U);
  const PlannedArm& extra = planned.arm("x~threads2");
  EXPECT_EQ(extra.config.at("threads"), 2);
  EXPECT_EQ(extra.config.at("lr.base"), 0.5);
  EXPECT_EQ(arm(planned, "x").config.at("threads"), 1);
  EXPECT_NE(extra.run, arm(planned, "x").run);
  EXPECT_EQ(planned.source.checks.front().arms, (std::vector<std::string>{"x", "y"}));
}

TEST_F(ExtraArmsTest, ItRecordsWhatItsArmRecords) {
  Plan plan({folder_ / "trainer",
             folder_ / "trainer.schema.json",
             {},
             {},
             {},
             [](const auto&) { return "p"; },
             [](const auto&) { return "f"; }});
  plan.add(with_extra_arms(trained(), {{.of = "y", .suffix = "e", .config = {{"threads", 2}}}}));
  const PlannedCase& planned = plan.cases().front();
  EXPECT_TRUE(plan.runs().at(planned.arm("y~e").run).capture.wants_tensor(2, trace::Phase::grad, "w1"));
  EXPECT_FALSE(plan.runs().at(planned.arm("y~e").run).capture.wants_tensor(4, trace::Phase::grad, "w1"));
}

TEST_F(ExtraArmsTest, ItHasATwinOnlyWhereOneIsWantedAndChecksNeedIt) {
  const auto twin = [&](bool wanted, const std::string& relation) {
    const Case source = with_extra_arms(
        trained(relation), {{.of = "x", .suffix = "e", .config = {{"threads", 2}}, .twin = wanted}});
    return plan_arms(source, options()).arm("x~e").twin;
  };
  EXPECT_NE(twin(true, "equivalent"), "");
  EXPECT_EQ(twin(false, "equivalent"), "");
  EXPECT_EQ(twin(true, "identical"), "");
}

TEST_F(ExtraArmsTest, AnArmInFloat64IsTheRunOfItsTwin) {
  const Case source =
      with_extra_arms(trained(), {{.of = "x", .suffix = "twin", .config = {{"dtype", "float64"}}}});
  const PlannedCase planned = plan_arms(source, options());
  EXPECT_EQ(planned.arm("x~twin").run, planned.arm("x").twin);
}

TEST_F(ExtraArmsTest, ASpanIsPartOfARunAndNotOfACommand) {
  const auto planned_with = [&](const Case& source, const RunSpan& span) {
    return plan_arms(with_extra_arms(source, {{.of = "x", .suffix = "part", .span = span}}), options());
  };
  const PlannedCase stopped = planned_with(trained(), {.stop_after = 2});
  EXPECT_NE(stopped.arm("x~part").run, stopped.arm("x").run);
  const PlannedCase longer = planned_with(trained(), {.stop_after = 3});
  EXPECT_NE(longer.arm("x~part").run, stopped.arm("x~part").run);
  const PlannedCase tail =
      planned_with(trained(), {.stop_after = 3, .start_run = stopped.arm("x~part").run, .start_step = 2});
  EXPECT_NE(tail.arm("x~part").run, longer.arm("x~part").run);
  PlanContext context;
  context.hash_file = context.hash_program = [](const auto&) { return "f"; };
  Plan plan(std::move(context));
  plan.add(with_extra_arms(commands(), {{.of = "x", .suffix = "part", .span = {.stop_after = 2}}}));
  EXPECT_TRUE(plan.runs().at(plan.cases().front().arm("x~part").run).span.is_whole());
}

TEST_F(ExtraArmsTest, CommandsRunAsOftenAsTheirEnvironmentDiffers) {
  const Case source =
      with_extra_arms(commands(), {{.of = "x", .suffix = "threads2", .config = {{"threads", 2}}},
                                   {.of = "x", .suffix = "native", .profile = Profile::native},
                                   {.of = "y", .suffix = "same"}});
  Progress progress(stderr, false);
  const ArmRuns runs = run_arms(source, options(), progress);
  const auto seen = [&](const std::string& name) {
    return read_file(runs.runs.at(runs.planned.arm(name).run).folder / "seen");
  };
  EXPECT_THAT(seen("x"), HasSubstr("1 AVX2,STRICT"));
  EXPECT_THAT(seen("x~threads2"), HasSubstr("2 AVX2,STRICT"));
  EXPECT_THAT(seen("x~native"), HasSubstr("1 AUTO,STRICT"));
  EXPECT_EQ(runs.planned.arm("y~same").run, runs.planned.arm("y").run);
  EXPECT_EQ(runs.evidence.trace("x~native")->channels().at("loss").as_double(), falling_losses());
}

TEST_F(ExtraArmsTest, ARunThatFailsIsCrashedEvidence) {
  const Case source = write_case(
      "c", "[golden]\narms = []\n" +
               shell_arm("x", "[ $OMP_NUM_THREADS = 1 ] || exit 2; cp {case_dir}/a.h5 $PARITY_TRACE") +
               copying_arm("y", "a") + losses_identical());
  Progress progress(stderr, false);
  const ArmRuns runs =
      run_arms(with_extra_arms(source, {{.of = "x", .suffix = "threads2", .config = {{"threads", 2}}}}),
               options(), progress);
  EXPECT_TRUE(runs.evidence.arms().at("x~threads2").crashed);
  EXPECT_FALSE(runs.evidence.arms().at("x").crashed);
}

TEST_F(ExtraArmsTest, AnArmThatIsNotThereIsABugOfTheCaller) {
  EXPECT_THROW(with_extra_arms(commands(), {{.of = "z", .suffix = "e"}}), InternalError);
}

}  // namespace
}  // namespace parity::suite
