// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/tensors/first_difference.hpp"

#include <cmath>
#include <set>

#include <gmock/gmock.h>

#include "tests/support/traces/recorded.hpp"
#include "tests/support/traces/samples.hpp"

namespace parity::compare {
namespace {

class FirstDifferenceTest : public RecordedTest {
 protected:
  /// Two steps of gradients b, a and then parameters; those named "STEP PHASE NAME" are one ULP off.
  trace::Trace run(const std::string& file, const std::set<std::string>& off = {}) const {
    trace::Recorder recorder(options(file));
    for (int64_t step = 1; step <= 2; ++step) {
      recorder.begin_step(step);
      for (const trace::Phase phase : {trace::Phase::grad, trace::Phase::param})
        for (const char* name : {"b", "a"}) {
          const bool is_off =
              off.contains(std::to_string(step) + " " + std::string(name_of(phase)) + " " + name);
          const std::vector<float> values = {1, is_off ? std::nextafter(2.0F, 3.0F) : 2.0F};
          recorder.tensor(phase, name, view_of(DType::float32, values));
        }
      recorder.end_step();
    }
    recorder.finish();
    return trace::Trace::open(folder / file);
  }
};

TEST_F(FirstDifferenceTest, RunsThatAgreeHaveNone) {
  EXPECT_FALSE(first_difference(run("a.h5"), run("b.h5")));
}

TEST_F(FirstDifferenceTest, TheFirstIsThatOfTheOrderInWhichTheRunCameToIt) {
  const trace::Trace healthy = run("healthy.h5");
  EXPECT_EQ(first_difference(healthy, run("1.h5", {"2 grad b", "1 param a"})),
            (trace::TensorKey{1, trace::Phase::param, "a"}));
  EXPECT_EQ(first_difference(healthy, run("2.h5", {"1 grad a", "1 grad b"})),
            (trace::TensorKey{1, trace::Phase::grad, "b"}));
  EXPECT_EQ(first_difference(healthy, run("3.h5", {"2 param b"})),
            (trace::TensorKey{2, trace::Phase::param, "b"}));
}

}  // namespace
}  // namespace parity::compare
