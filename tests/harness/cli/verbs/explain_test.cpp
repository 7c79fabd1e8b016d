// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// `parity explain`: its exit codes, its table and its JSON.
#include <gmock/gmock.h>

#include "harness/base/json/json.hpp"
#include "harness/trace/write/recorder.hpp"
#include "tests/harness/cli/program_fixture.hpp"

namespace parity::cli {
namespace {

using testing::HasSubstr;

class ExplainVerbTest : public ProgramTest {
 protected:
  void record(const std::string& name, double lr) const {
    trace::Recorder recorder({folder_ / name / "trace.h5", {{"lr", lr}}, {}, {}});
    recorder.begin_step(1);
    recorder.channel("lr", lr);
    recorder.describe({{"optimizers", {"SGD"}}});
    recorder.end_step();
    recorder.finish();
  }
};

TEST_F(ExplainVerbTest, OtherRate_Is1) {
  record("a", 0.1);
  record("b", 0.2);
  const Outcome found = parity("explain a b");
  EXPECT_EQ(found.status, 1) << found.err;
  EXPECT_THAT(found.out, HasSubstr("schedule  lr, first at update 1 (1 of 1 differ)  0.1  0.2"));
  const Json json = read_json(parity("explain a b --json").out);
  EXPECT_EQ(json.at("schema"), "parity.explain/1");
  EXPECT_EQ(json.at("exit_code"), 1);
}

TEST_F(ExplainVerbTest, SameRate_Is0) {
  record("a", 0.1);
  record("b", 0.1);
  const Outcome found = parity("explain a b --all");
  EXPECT_EQ(found.status, 0) << found.err;
  EXPECT_THAT(found.out, HasSubstr("schedule: the same: lr at step 1"));
  EXPECT_THAT(found.out, HasSubstr("optimizer: the same: optimizer SGD"));
}

TEST_F(ExplainVerbTest, MissingTrace_Is3) {
  record("a", 0.1);
  EXPECT_EQ(parity("explain a nowhere").status, 3);
}

}  // namespace
}  // namespace parity::cli
