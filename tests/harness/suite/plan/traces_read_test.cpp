// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/plan/traces_read.hpp"

#include <gmock/gmock.h>

#include "tests/harness/suite/plan/plan_fixture.hpp"

namespace parity::suite {
namespace {

using testing::HasSubstr;

/// Plans of a trainer that can replay routes.
class TracesReadTest : public PlanTest {
 protected:
  void SetUp() override {
    PlanTest::SetUp();
    std::string schema = plan_schema;
    schema.insert(schema.find("\"threads\""),
                  R"("moe.replay": {"type": "string", "default": "", "numeric": false}, )");
    write_file(folder_ / "schema.json", schema);
    plan_ = make_plan("program 1");
  }

  static std::string replaying(const std::string& arm) { return "moe.replay = \"{trace:" + arm + "}\""; }
};

TEST_F(TracesReadTest, ReplayingArm_ReadsTheRunAndTheTwinReadsTheTwin) {
  add(arms(replaying("b"), "") + check("channel = \"loss\"", "equivalent"));
  EXPECT_EQ(run(0).trace_of.at("b"), arm(1).run);
  EXPECT_EQ(twin(0).trace_of.at("b"), arm(1).twin);
  EXPECT_NE(arm(0).run, arm(1).run);
  for (const PlannedRun& read : {run(1), twin(1)})
    EXPECT_TRUE(read.capture.wants_tensor(7, trace::Phase::input, "layers.3.moe.routes"));
  EXPECT_FALSE(run(0).capture.wants_tensor(7, trace::Phase::input, "layers.3.moe.routes"));
}

TEST_F(TracesReadTest, ReplayedRoutes_AreAnotherConfig) {
  add(arms(replaying("b"), "") + check("channel = \"loss\"", "identical"));
  EXPECT_NE(arm(0).resolved, arm(1).resolved);
}

TEST_F(TracesReadTest, ArmsThatReadTraces_CannotBeRead) {
  const std::string end = check("channel = \"loss\"", "identical");
  EXPECT_THAT(complaint(arms(replaying("a"), "") + end), HasSubstr("{trace:a} names no arm"));
  EXPECT_THAT(complaint(arms(replaying("b"), replaying("a")) + end), HasSubstr("{trace:b} names no arm"));
  EXPECT_THAT(complaint("[base]\n" + replaying("a") + "\n" + arms("", "lr.base = 2") + end),
              HasSubstr("{trace:a} names no arm"));
}

TEST_F(TracesReadTest, AReplayedFile_CountsByItsContent) {
  add(arms("moe.replay = \"{case_dir}/routes.h5\"", "") + check("channel = \"loss\"", "identical"));
  EXPECT_THAT(run(0).identity, HasSubstr("hash of routes.h5"));
  EXPECT_THAT(text_of(run(0).config, "moe.replay"), testing::Not(HasSubstr("{case_dir}")));
}

}  // namespace
}  // namespace parity::suite
