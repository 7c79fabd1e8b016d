// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/coverage/propose/amplification.hpp"

#include <limits>
#include <string>

#include "tests/support/traces/planted_runs.hpp"

namespace parity::coverage {
namespace {

using Values = std::vector<double>;

/// Runs of three updates, whose perturbed runs move away from the origin.
class DistancesTest : public PlantedTest {
 protected:
  const trace::Trace* losses(const std::string& name, const Values& values) {
    return write(name, {.channels = {{"loss", values}}});
  }
  std::optional<std::vector<Distance>> of(const Values& origin, const std::vector<Values>& perturbed,
                                          const Values& arm) {
    PerturbedRuns runs{losses("origin", origin), {}, 0x1p-24};
    for (size_t i = 0; i < perturbed.size(); ++i)
      runs.runs.push_back(losses("perturbed" + std::to_string(i), perturbed[i]));
    return distances(runs, *losses("arm", arm), "loss");
  }
};

TEST_F(DistancesTest, LargestSoFar_IsThatOfPerturbedRuns) {
  const auto found = of({4, -2, 1}, {{4, -2.5, 1}, {4.25, -2, 1}}, {4, -2, 1.5});
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 3U);
  EXPECT_EQ((*found)[0].perturbed, 0.0625);
  EXPECT_EQ((*found)[1].perturbed, 0.125);
  EXPECT_EQ((*found)[2].perturbed, 0.125);
  EXPECT_EQ((*found)[1].arm, 0);
  EXPECT_EQ((*found)[2].arm, 0.125);
}

TEST_F(DistancesTest, EqualRuns_AreOneRoundingApart) {
  EXPECT_EQ(of({4, 2, 0}, {{4, 2, 0}}, {4, 2, 0})->back().perturbed, 0x1p-24);
}

TEST_F(DistancesTest, ValueThatCancels_IsRelativeToTheChannel) {
  EXPECT_EQ(of({1e-18, 2}, {{4e-17, 2}}, {1e-9, 2})->front().perturbed, 0x1p-24);
  EXPECT_NEAR(of({1e-18, 2}, {{4e-17, 2}}, {1e-9, 2})->front().arm, 5e-10, 1e-15);
  EXPECT_EQ(of({0, 0}, {{0, 0}}, {1e-9, 0})->front().arm, std::numeric_limits<double>::infinity());
}

TEST_F(DistancesTest, ValueThatIsMissingOrNotFinite_HasNone) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(of({4, 2, 1}, {{4, 2, 1}}, {4, nan, 1}));
  EXPECT_FALSE(of({4, nan, 1}, {{4, nan, 1}}, {4, nan, 1}));
  EXPECT_FALSE(of({4, 2, 1}, {{4, 2, 1}}, {4, 2}));
  EXPECT_FALSE(of({4, 2, 1}, {{4, 2}}, {4, 2, 1}));
  EXPECT_TRUE(of({4, 2, 1}, {{4, nan, 1}}, {4, 2, 1})) << "a perturbed run may diverge";
  const trace::Trace* origin = losses("whole", {4, 2, 1});
  EXPECT_FALSE(distances({origin, {nullptr}}, *origin, "loss")) << "a perturbed run that failed";
  EXPECT_FALSE(distances({origin, {origin}}, *origin, "grad_norm"));
}

using List = std::vector<Distance>;

TEST(IsRounding, EightTimesAsFar_IsTheLimit) {
  const List near = {{1e-16, 1e-16}}, far = {{2e-15, 1e-16}};
  EXPECT_TRUE(is_rounding({{7.9e-7, 1e-7}}, near));
  EXPECT_FALSE(is_rounding({{8.1e-7, 1e-7}}, near)) << "a narrower type in one arm";
  EXPECT_FALSE(is_rounding({{1e-7, 1e-7}}, far)) << "another computation";
}

TEST(IsRounding, AsManyRoundingsInFloat64_AreAllowed) {
  const List cancelling = {{8e-5, 1.4e-5}};
  EXPECT_TRUE(is_rounding(cancelling, {{8 * 8e-5 * 0x1p-29, 2e-14}}));
  EXPECT_FALSE(is_rounding(cancelling, {{9 * 8e-5 * 0x1p-29, 2e-14}}));
  EXPECT_TRUE(is_rounding({{8e-5, 1e-7}}, {{8e-5 * 0x1p-29, 1e-16}})) << "as many in both";
  EXPECT_FALSE(is_rounding({{8e-5, 1e-7}}, {{1e-16, 1e-16}})) << "a narrower type in one arm";
}

TEST(IsRounding, LaterAmplification_ExplainsNoEarlierUpdate) {
  EXPECT_FALSE(is_rounding({{1e-5, 1e-7}, {1e-5, 1e-3}}, {{0, 1e-16}, {0, 1e-16}}));
}

TEST(IsRounding, AfterAHundredth_NothingIsComparable) {
  const List same = {{0, 1e-16}, {0, 1e-16}};
  EXPECT_TRUE(is_rounding({{0, 1e-7}, {9, 0.2}}, same));
  EXPECT_FALSE(is_rounding({{0, 1e-7}, {9, 0.005}}, same));
  EXPECT_FALSE(is_rounding({{1e-5, 1e-7}, {9, 0.2}}, same)) << "the first update is before it";
  EXPECT_FALSE(is_rounding({{0, 1e-7}, {9, 0.2}}, {{0, 1e-16}, {1e-3, 1e-16}})) << "float64 is comparable";
  EXPECT_TRUE(is_rounding({{0, 1e-7}, {9, 0.2}}, {{0, 1e-16}, {9, 0.2}}));
}

TEST(IsRounding, NoUpdates_AreNoEvidence) {
  EXPECT_FALSE(is_rounding({{0, 0.2}}, {{0, 1e-16}}));
  EXPECT_FALSE(is_rounding({{0, 1e-7}}, {{0, 0.2}}));
  EXPECT_FALSE(is_rounding({}, {}));
  EXPECT_FALSE(is_rounding({{0, 1e-7}}, {}));
}

}  // namespace
}  // namespace parity::coverage
