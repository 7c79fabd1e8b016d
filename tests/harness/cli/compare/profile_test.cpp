// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// `parity compare --profile`: how far apart two tensors are, and where.
#include <gmock/gmock.h>

#include "harness/trace/write/recorder.hpp"
#include "tests/harness/cli/program_fixture.hpp"

namespace parity::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

class ProfileTest : public ProgramTest {
 protected:
  /// Writes [16, 128] of ones; in row 5 the first `differing` elements are `steps` steps higher.
  void write(const std::string& name, int64_t differing, uint32_t steps) const {
    std::vector<float> values(16 * 128, 1.0F);
    for (int64_t i = 0; i < differing; ++i)
      values[static_cast<size_t>(5 * 128 + i)] = std::bit_cast<float>(std::bit_cast<uint32_t>(1.0F) + steps);
    trace::Capture capture;
    capture.tensors.emplace_back();
    record(name, values, capture);
  }
  void record(const std::string& name, const std::vector<float>& values,
              const trace::Capture& capture) const {
    trace::Recorder recorder({folder_ / name, {}, {}, capture});
    recorder.begin_step(0);
    recorder.tensor(trace::Phase::param, "w", {DType::float32, {16, 128}, values.data()});
    recorder.end_step();
    recorder.begin_step(1);
    recorder.channel("loss", 1.0);
    recorder.end_step();
    recorder.finish();
  }
};

TEST_F(ProfileTest, TellsHistogramQuantilesAndPlaces) {
  write("one.h5", 0, 0);
  write("two.h5", 96, 5);
  const Outcome outcome = parity("compare one.h5 two.h5 --profile");
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("param w, step 0"));
  EXPECT_THAT(outcome.out,
              HasSubstr("mean 0.23 ULP, signed 0.23; half within 0 ULP, 99 % within 7, 99.9 % within 7"));
  EXPECT_THAT(outcome.out, HasSubstr("4-7        96  #\n"));
  EXPECT_THAT(outcome.out, HasSubstr("  0      1952  ########################################"));
  EXPECT_THAT(outcome.out,
              HasSubstr("dimension 0: most in 5: 100 % of the squared error, 96 elements differ"));
  EXPECT_THAT(parity("compare one.h5 two.h5").out, Not(HasSubstr("half within")));
}

TEST_F(ProfileTest, IsInTheJson) {
  write("one.h5", 0, 0);
  write("two.h5", 1, 4096);
  const Outcome outcome = parity("compare one.h5 two.h5 --profile --json");
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  const Json row = Json::parse(outcome.out)["tensors"][0];
  EXPECT_EQ(row["profile"]["ulps"],
            Json({{{"from", 0}, {"elements", 2047}}, {{"from", 4096}, {"elements", 1}}}));
  EXPECT_EQ(row["profile"]["quantiles"], Json({{"0.5", 0}, {"0.99", 0}, {"0.999", 0}}));
  EXPECT_EQ(row["profile"]["dimensions"][0][5]["differing"], 1);
  EXPECT_EQ(row["profile"]["blocks"].size(), 64);
  EXPECT_EQ(row["measured"]["bias_ulp"], 2.0);
  EXPECT_EQ(row["worst"], Json({5, 0}));
}

TEST_F(ProfileTest, SaysWhichTensorsHaveNone) {
  write("one.h5", 0, 0);
  const std::vector<float> values(16 * 128, 2.0F);
  trace::Capture capture;
  capture.sketches.emplace_back();
  record("three.h5", values, capture);
  EXPECT_THAT(parity("compare one.h5 three.h5 --profile").out, HasSubstr("1 tensor without a profile"));
}

}  // namespace
}  // namespace parity::cli
