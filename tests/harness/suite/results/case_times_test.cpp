// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/results/case_times.hpp"

#include <gmock/gmock.h>

#include "tests/harness/suite/suite_fixture.hpp"

namespace parity::suite {
namespace {

class CaseTimesTest : public SuiteTest {
 protected:
  void SetUp() override {
    SuiteTest::SetUp();
    write_trace("good", falling_losses());
  }
  Json judged() const {
    return run({write_case("c", copying_arm("a", "good") +
                                    shell_arm("b", "cp {case_dir}/good.h5 $PARITY_TRACE") +
                                    losses_identical() + "[golden]\narms = []\n")})
        .at("cases")
        .at(0);
  }
};

TEST_F(CaseTimesTest, TrainingAndStartAreAllThatTheRunsTook) {
  const Json item = judged();
  const Json& time = item.at("time");
  EXPECT_NEAR(time.at("training").get<double>() + time.at("start").get<double>(),
              item.at("seconds").get<double>(), 1e-9);
  EXPECT_GE(time.at("training"), 0);
  EXPECT_GE(time.at("start"), 0);
  EXPECT_GT(time.at("judging"), 0);
  EXPECT_GE(time.at("waiting"), 0);
}

}  // namespace
}  // namespace parity::suite
