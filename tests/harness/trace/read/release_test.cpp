// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Values of a trace are mapped, and leave memory after they were read.
#include <fstream>
#include <numeric>

#include <gtest/gtest.h>

#include "tests/support/traces/recorded.hpp"

namespace parity::trace {
namespace {

/// Returns the bytes of files that are in this process's memory.
size_t resident_of_files() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "RssFile:") {
      size_t kilobytes = 0;
      status >> kilobytes;
      return kilobytes * 1024;
    }
  return 0;
}

class ReleaseTest : public RecordedTest {};

TEST_F(ReleaseTest, ReleasedValuesLeaveMemoryAndAreReadAgain) {
  constexpr int64_t count = 8 << 20;
  const TensorKey key{0, Phase::param, "w"};
  std::vector<float> given(count);
  std::iota(given.begin(), given.end(), 0.0F);
  {
    Recorder recorder(options());
    recorder.begin_step(0);
    recorder.tensor(key.phase, key.name, {DType::float32, {count}, given.data()});
    recorder.end_step();
    recorder.finish();
  }
  const Trace trace = Trace::open(folder);
  const TensorView view = trace.tensor(key);
  const auto* values = static_cast<const float*>(view.data);
  const size_t before = resident_of_files();
  const double sum = std::accumulate(values, values + count, 0.0);
  EXPECT_GE(resident_of_files(), before + view.bytes() / 2);
  trace.release(static_cast<const std::byte*>(view.data), view.bytes());
  EXPECT_LE(resident_of_files(), before + view.bytes() / 8);
  EXPECT_EQ(std::accumulate(values, values + count, 0.0), sum);
  EXPECT_EQ(values[count - 1], given.back());
}

TEST_F(ReleaseTest, MemoryOfOthersIsLeftAlone) {
  Recorder recorder(options());
  record(recorder, 1, 1);
  recorder.finish();
  const Trace trace = Trace::open(folder);
  std::vector<float> own(1 << 20, 1.0F);
  trace.release(reinterpret_cast<const std::byte*>(own.data()), own.size() * sizeof(float));
  EXPECT_EQ(std::accumulate(own.begin(), own.end(), 0.0), 1 << 20);
}

}  // namespace
}  // namespace parity::trace
