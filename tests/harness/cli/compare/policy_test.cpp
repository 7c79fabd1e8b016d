// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// `parity compare` under policies that forgive a NaN, the sign of zero, subnormal numbers.
#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include "harness/trace/write/recorder.hpp"
#include "tests/harness/cli/program_fixture.hpp"

namespace parity::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr float nan32 = std::numeric_limits<float>::quiet_NaN();
constexpr float subnormal32 = 1e-40F;

class PolicyTest : public ProgramTest {
 protected:
  enum class Kept { whole, sketch };

  /// One value of loss and of each element of w.
  void write(const std::string& name, float value, Kept kept = Kept::whole) const {
    trace::Recorder::Options options{folder_ / name, {}, {}, {}};
    (kept == Kept::whole ? options.capture.tensors : options.capture.sketches).emplace_back();
    trace::Recorder recorder(std::move(options));
    const std::vector<float> values = {1.0F, value, 2.0F, 3.0F};
    recorder.begin_step(0);
    recorder.tensor(trace::Phase::param, "w", {DType::float32, {4}, values.data()});
    recorder.end_step();
    recorder.begin_step(1);
    recorder.channel("loss", static_cast<double>(value));
    recorder.end_step();
    recorder.finish();
  }
  Outcome compared(const std::string& options) const { return parity("compare one.h5 two.h5 " + options); }
};

TEST_F(PolicyTest, EachForgivesWhatItIsNamedAfterAndNothingElse) {
  struct Row {
    const char* option;
    float one, two;
    const char* words;
  };
  const std::vector<Row> rows = {{"--equal-nan", nan32, nan32, "NaN equals NaN"},
                                 {"--ignore-zero-sign", 0.0F, -0.0F, "the sign of zero is ignored"},
                                 {"--flush-subnormals", 0.0F, subnormal32, "subnormal numbers are zero"}};
  for (const Row& row : rows) {
    write("one.h5", row.one);
    write("two.h5", row.two);
    EXPECT_EQ(compared("").status, 1) << row.option;
    for (const Row& other : rows) {
      const Outcome outcome = compared(other.option);
      EXPECT_EQ(outcome.status, row.option == other.option ? 0 : 1) << row.option << " " << other.option;
      EXPECT_THAT(outcome.out, HasSubstr(other.words));
      EXPECT_THAT(outcome.out, Not(HasSubstr("identical")));
    }
    EXPECT_THAT(compared(row.option).out,
                HasSubstr(std::string("equal: 1 channel and 1 tensor agree where ") + row.words +
                          " (bits were not compared"));
  }
}

TEST_F(PolicyTest, ForgivesNoOtherDifference) {
  write("one.h5", nan32);
  write("two.h5", 1.0F);
  const std::string all = "--equal-nan --ignore-zero-sign --flush-subnormals";
  const Outcome outcome = compared(all);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(
      outcome.out,
      HasSubstr("different: 1 of 1 channels and 1 of 1 tensors; all of it where NaN equals NaN, the sign of "
                "zero is ignored, subnormal numbers are zero"));
  write("one.h5", std::numeric_limits<float>::min());  // the smallest normal number
  write("two.h5", 0.0F);
  EXPECT_EQ(compared(all).status, 1);
}

TEST_F(PolicyTest, IsInTheJson) {
  write("one.h5", nan32);
  write("two.h5", nan32);
  const Json strict = Json::parse(compared("--json").out);
  EXPECT_EQ(strict.at("identical"), false);
  EXPECT_EQ(strict.at("policy"), Json::array());
  const Json lenient = Json::parse(compared("--json --equal-nan").out);
  EXPECT_EQ(lenient.at("identical"), true);
  EXPECT_EQ(lenient.at("policy"), Json({"equal-nan"}));
  EXPECT_EQ(lenient.at("channels").at(0).at("measured").at("nan"), 2);
}

TEST_F(PolicyTest, SaysWhereOnlySketchesAreThere) {
  write("one.h5", 0.0F, Kept::sketch);
  write("two.h5", -0.0F, Kept::sketch);
  const Outcome outcome = compared("--ignore-zero-sign");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("but only sketches of 1 tensor were recorded"));
  write("one.h5", nan32, Kept::sketch);
  write("two.h5", nan32, Kept::sketch);
  EXPECT_EQ(compared("--equal-nan").status, 0);  // equal digests are equal bits
}

}  // namespace
}  // namespace parity::cli
