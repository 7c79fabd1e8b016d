// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/coverage/propose/amplification.hpp"

#include <limits>

#include "tests/support/traces/planted_runs.hpp"

namespace parity::coverage {
namespace {

using Values = std::vector<double>;

/// Runs of three updates, whose perturbed run moves away from the origin.
class AmplificationTest : public PlantedTest {
 protected:
  const trace::Trace* losses(const std::string& name, const Values& values) {
    return write(name, {.channels = {{"loss", values}}});
  }
  bool is_within_of(const Values& perturbed, const Values& arm) {
    const PerturbedRuns runs{losses("origin", {4, 2, 1}), {losses("perturbed", perturbed)}, 0x1p-24};
    return is_within(runs, *losses("arm", arm), "loss");
  }
};

TEST_F(AmplificationTest, EightTimesAsFar_IsTheLimit) {
  EXPECT_TRUE(is_within_of({4, 2, 1.001}, {4, 2, 1.0079}));
  EXPECT_FALSE(is_within_of({4, 2, 1.001}, {4, 2, 1.0081}));
  EXPECT_FALSE(is_within_of({4, 2, 1.001}, {4, 2, 0.9919}));
}

TEST_F(AmplificationTest, LaterAmplification_ExplainsNoEarlierUpdate) {
  EXPECT_FALSE(is_within_of({4, 2, 1.001}, {4, 2.001, 1}));
  EXPECT_TRUE(is_within_of({4, 2.001, 1}, {4, 2, 1.001})) << "runs that came near again may be as far apart";
}

TEST_F(AmplificationTest, OneRounding_IsAlwaysAllowed) {
  EXPECT_TRUE(is_within_of({4, 2, 1}, {4 * (1 + 0x1p-23), 2, 1}));
  EXPECT_FALSE(is_within_of({4, 2, 1}, {4 * (1 + 0x1p-20), 2, 1}));
}

TEST_F(AmplificationTest, AfterATenth_NothingIsComparable) {
  EXPECT_TRUE(is_within_of({4, 2.3, 1}, {4, 9, 9}));
  EXPECT_FALSE(is_within_of({4, 2.1, 1}, {4, 9, 9}));
  EXPECT_FALSE(is_within_of({4, 2.3, 1}, {5, 2, 1})) << "the first update is before it";
}

TEST_F(AmplificationTest, ValueThatIsMissingOrNotFinite_IsTooFar) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(is_within_of({4, 2.3, 1}, {4, nan, 1}));
  EXPECT_FALSE(is_within_of({4, 2.3, 1}, {4, 2}));
  EXPECT_FALSE(is_within_of({4, 2}, {4, 2, 1}));
  EXPECT_FALSE(is_within_of({nan, 2, 1}, {nan, 2, 1}));
  const trace::Trace* origin = losses("origin", {4, nan, 1});
  EXPECT_FALSE(is_within({origin, {losses("perturbed", {4, nan, 1})}}, *losses("arm", {4, nan, 1}), "loss"));
  EXPECT_FALSE(is_within({origin, {nullptr}}, *origin, "loss")) << "a perturbed run that failed";
  EXPECT_FALSE(is_within({origin, {origin}}, *origin, "grad_norm"));
}

}  // namespace
}  // namespace parity::coverage
