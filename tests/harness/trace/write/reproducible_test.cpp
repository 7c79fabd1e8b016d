// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <thread>

#include <gtest/gtest.h>

#include "tests/support/traces/recorded.hpp"

namespace parity::trace {
namespace {

class ReproducibleTest : public RecordedTest {
 protected:
  /// A trace with everything in it; provenance and timings are the same here.
  std::string bytes_of(const std::string& file) const {
    Recorder::Options chosen = options(file);
    chosen.capture.replay = true;
    Recorder recorder(std::move(chosen));
    const std::vector<int64_t> tokens = {1, 2, 3};
    const std::vector<uint16_t> halves(1000, 0x3F80);
    recorder.replay_parameter("w", view_of(DType::bfloat16, halves));
    recorder.replay_batch(1, 0, "tokens", view_of(DType::int64, tokens));
    for (int64_t step = 1; step <= 100; ++step)
      record(recorder, step, step);
    recorder.finish();
    return read_file(folder / file);
  }
};

TEST_F(ReproducibleTest, TwoEqualRunsGiveTheSameBytes) {
  const std::string first = bytes_of("first.h5");
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // HDF5 counts times in seconds
  EXPECT_EQ(first, bytes_of("second.h5"));
  EXPECT_GT(first.size(), 2000);
}

}  // namespace
}  // namespace parity::trace
