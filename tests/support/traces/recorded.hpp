// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/trace/read/trace.hpp"
#include "harness/trace/write/recorder.hpp"
#include "tests/support/scratch.hpp"

namespace parity {

/// A capture that keeps every tensor whole.
inline trace::Capture capture_all() {
  trace::Capture capture;
  capture.tensors.push_back({});
  return capture;
}

/// Tests that record small traces.
class RecordedTest : public FolderTest {
 protected:
  trace::Recorder::Options options(const std::string& file = "trace.h5") const {
    return {.path = folder / file,
            .config = {{"steps", 2}},
            .provenance = {{"producer", "test"}},
            .capture = capture_all()};
  }

  /// Steps first..last with a loss, a count, a timing and one tensor each.
  static void record(trace::Recorder& recorder, int64_t first, int64_t last) {
    for (int64_t step = first; step <= last; ++step) {
      recorder.begin_step(step);
      recorder.channel("loss", 1.0 / static_cast<double>(step));
      recorder.channel("valid_tokens", int64_t{1024} * step);
      recorder.channel("step_seconds", 0.5, trace::ChannelKind::timing);
      const std::vector<float> values = {1.5F, -2.0F, static_cast<float>(step)};
      recorder.tensor(trace::Phase::grad, "layers.0.wq.weight", view_of(DType::float32, values, {1, 3}));
      recorder.end_step();
    }
  }
};

/// Returns the values of a recorded tensor.
template <class T>
std::vector<T> values_of(const TensorView& view) {
  const auto* first = static_cast<const T*>(view.data);
  return {first, first + view.size()};
}

}  // namespace parity
