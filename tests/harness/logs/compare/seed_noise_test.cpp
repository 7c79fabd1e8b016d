// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/logs/compare/seed_noise.hpp"

#include <cmath>

#include "harness/base/error.hpp"
#include "tests/harness/logs/curve_fixture.hpp"

namespace parity::logs {
namespace {

using testing::HasSubstr;

/// Returns a run whose loss is moved by an offset.
Log moved(double offset, int64_t count = 20) {
  Log log = curve(1, count);
  for (double& value : log.channels["loss"].values)
    value += offset;
  return log;
}

TEST(SeedNoise, NearRun_IsNotFarther) {
  const SeedNoise found = measure_seed_noise(moved(0), moved(0.125), {moved(1), moved(-0.5), moved(0.0625)});
  EXPECT_NEAR(found.apart, 0.125, 1e-12);
  EXPECT_EQ(found.seeds.size(), 6U);
  EXPECT_NEAR(found.seeds.back(), 1.5, 1e-12);
  EXPECT_FALSE(found.beyond());
  EXPECT_EQ(found.as_far, 2U);
  EXPECT_EQ(found.probability(), 0.75);
  EXPECT_EQ(found.smallest(), 0.25);
  EXPECT_THAT(found.text(), HasSubstr("the two are not farther apart than seeds are"));
}

TEST(SeedNoise, FarRun_HasTheSmallestProbability) {
  const SeedNoise found = measure_seed_noise(moved(0), moved(3), {moved(1), moved(-0.5), moved(0.1)});
  EXPECT_TRUE(found.beyond());
  EXPECT_EQ(found.probability(), found.smallest());
  EXPECT_EQ(found.to_json().at("farther"), true);
}

TEST(SeedNoise, StepsOfAll_AreCompared) {
  EXPECT_EQ(measure_seed_noise(moved(0), moved(1), {moved(2, 7), moved(3)}).steps, 7U);
}

TEST(SeedNoise, Nan_IsFarther) {
  Log bad = moved(0);
  bad.channels["loss"].values[3] = std::nan("");
  EXPECT_TRUE(measure_seed_noise(moved(0), bad, {moved(1), moved(2)}).beyond());
}

TEST(SeedNoise, RunWithoutLoss_IsRefused) {
  EXPECT_THROW(measure_seed_noise(moved(0), moved(1), {curve(1, 20, 1, "other")}), UserError);
  EXPECT_THROW(measure_seed_noise(moved(0), moved(1), {curve(101, 20)}), UserError);
}

}  // namespace
}  // namespace parity::logs
