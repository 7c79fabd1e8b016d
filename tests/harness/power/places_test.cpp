// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/power/places.hpp"

#include <set>

#include <gmock/gmock.h>

#include "tests/support/traces/recorded.hpp"
#include "tests/support/traces/samples.hpp"

namespace parity::power {
namespace {

class PlacesTest : public RecordedTest {
 protected:
  trace::Trace trace() const {
    trace::Recorder recorder(options());
    const std::vector<float> tall = {1, 2, 3, 4}, zero = {0, 0};
    for (int64_t step = 0; step <= 3; ++step) {
      recorder.begin_step(step);
      for (const trace::Phase phase : {trace::Phase::grad, trace::Phase::param}) {
        recorder.tensor(phase, "tall", view_of(DType::float32, tall, {2, 2}));
        recorder.tensor(phase, "flat", view_of(DType::float32, tall, {1, 4}));
        recorder.tensor(phase, "zero", view_of(DType::float32, zero));
      }
      recorder.end_step();
    }
    recorder.finish();
    return trace::Trace::open(folder);
  }
  /// Returns "tall 2" for each place that is drawn.
  static std::set<std::string> drawn(const Places& places) {
    std::set<std::string> found;
    for (int64_t n = 0; n < 200; ++n)
      found.insert(places.draw(n).name + " " + std::to_string(places.draw(n).steps.at(0)));
    return found;
  }
};

TEST_F(PlacesTest, EveryStepAndTensorThatCanBeChangedIsDrawn) {
  const trace::Trace run = trace();
  EXPECT_THAT(drawn(Places(run, trace::FaultKind::ulp, trace::Phase::grad, 1)),
              testing::ElementsAre("flat 1", "flat 2", "flat 3", "tall 1", "tall 2", "tall 3"));
  EXPECT_THAT(drawn(Places(run, trace::FaultKind::stale, trace::Phase::grad, 1)),
              testing::ElementsAre("flat 2", "flat 3", "tall 2", "tall 3"));
  EXPECT_THAT(drawn(Places(run, trace::FaultKind::swapped_shard, trace::Phase::param, 1)),
              testing::ElementsAre("tall 1", "tall 2", "tall 3"));
  EXPECT_TRUE(Places(run, trace::FaultKind::ulp, trace::Phase::optim, 1).empty());
}

TEST_F(PlacesTest, ASeedDrawsTheSamePlacesAtEverySize) {
  const trace::Trace run = trace();
  const Places one(run, trace::FaultKind::scale, trace::Phase::grad, 1),
      again(run, trace::FaultKind::scale, trace::Phase::grad, 1),
      other(run, trace::FaultKind::scale, trace::Phase::grad, 2);
  int64_t same = 0;
  for (int64_t n = 0; n < 50; ++n) {
    trace::Fault small = one.draw(n, 1e-6);
    EXPECT_EQ(small, again.draw(n, 1e-6));
    same += small == other.draw(n, 1e-6);
    small.size = 0.5;
    EXPECT_EQ(small, one.draw(n, 0.5));
  }
  EXPECT_LT(same, 50);
}

}  // namespace
}  // namespace parity::power
