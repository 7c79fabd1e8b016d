// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/original_traces.hpp"

#include <cstdint>
#include <vector>

#include "harness/tensor/placement.hpp"
#include "harness/trace/write/recorder.hpp"

namespace parity::fuzz {
namespace fs = std::filesystem;
namespace {

template <class T>
TensorView view(DType dtype, const std::vector<T>& values, Shape shape) {
  return {dtype, std::move(shape), values.data()};
}

void record_rank(const fs::path& folder, int64_t rank, int64_t ranks, bool whole) {
  trace::Capture capture;
  capture.sketches.push_back({});
  if (whole)
    capture.tensors.push_back({});
  trace::Recorder recorder({.path = folder / "trace.h5",
                            .config = {{"steps", 3}},
                            .provenance = {{"producer", "fuzz"}},
                            .capture = capture,
                            .rank = rank,
                            .ranks = ranks});
  for (int64_t step = 0; step <= 3; ++step) {
    recorder.begin_step(step);
    const auto size = static_cast<float>(step + 1);
    if (step > 0) {
      recorder.channel("loss", 8.0 / static_cast<double>(step));
      recorder.channel("tokens", int64_t{64} * step);
      recorder.channel("step_seconds", 0.25, trace::ChannelKind::timing);
      if (ranks > 1)
        recorder.channel("pairs", int64_t{10} * step + rank, trace::ChannelKind::per_rank);
    }
    const std::vector<float> weight = {1.5F, -2.0F, size, 0.0F, 3.0F, -size};
    recorder.tensor(trace::Phase::param, "norm.weight", view(DType::float32, weight, {2, 3}));
    const std::vector<uint16_t> half = {0x3F80, 0xBF80, static_cast<uint16_t>(0x4000 + step)};
    recorder.tensor(trace::Phase::param, "half", view(DType::bfloat16, half, {3}));
    if (ranks > 1) {
      const std::vector<float> part = {size, static_cast<float>(rank), 2.0F};
      recorder.tensor(trace::Phase::grad, "wq.weight", view(DType::float32, part, {1, 3}), nullptr,
                      {{2, 3}, {{"tp", rank, 2, Shard{0, {{rank, rank + 1}}}}}});
    }
    recorder.end_step();
  }
  recorder.finish();
}

}  // namespace

void write_original(size_t which, const fs::path& folder) {
  if (which < 2)
    return record_rank(folder, 0, 1, which == 0);
  record_rank(folder, 1, 2, true);
  record_rank(folder, 0, 2, true);
}

}  // namespace parity::fuzz
