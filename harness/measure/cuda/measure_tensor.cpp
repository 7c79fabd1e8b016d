// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/cuda/measure_tensor.hpp"

#include <cmath>

#include "harness/measure/cuda/segments.hpp"

namespace parity::measure::cuda {
namespace {

int64_t blocks_for(int64_t count, int64_t by) {
  return (count + by - 1) / by;
}

/// Results of a capture pass that are copied to the host.
struct CaptureResult {
  CaptureCounts counts;
  double sums[1 + sketch_size];  ///< sum of squares, then the sketch's sums
};

/// A tensor's capture pass: its memory and its steps.
class CapturePass {
 public:
  CapturePass(Queue& queue, const TensorView& view, const Segments& segments)
      : queue_(queue),
        view_(view),
        sum_blocks_(blocks_for(view.size(), static_cast<int64_t>(sum_block))),
        segment_count_(static_cast<int64_t>(segments.all.size())) {
    partial_ = queue_.allocate_array<double>(sum_blocks_ + segment_count_);
    segments_ = queue_.allocate_array<Segment>(segment_count_);
    ranges_ = queue_.allocate_array<Range>(1 + sketch_size);
    result_ = queue_.allocate_array<CaptureResult>(1);
    queue_.upload(segments_, segments.all.data(), segments.all.size() * sizeof(Segment));
    std::vector<Range> ranges = {{0, sum_blocks_}};
    for (const Range& range : segments.of_block)
      ranges.push_back({sum_blocks_ + range.first, sum_blocks_ + range.end});
    queue_.upload(ranges_, ranges.data(), ranges.size() * sizeof(Range));
  }

  CaptureResult all() {
    queue_.fill(result_, 0, sizeof(CaptureResult));
    gather_statistics(1);
    queue_.run(SegmentKernel{view_.dtype, view_.data, segments_, partial_ + sum_blocks_, &result_->counts},
               segment_count_);
    return add_up(1 + sketch_size);
  }

  /// Returns the sum of squares of the values times `scale`.
  double scaled_squares(double scale) {
    gather_statistics(scale);
    return add_up(1).sums[0];
  }

 private:
  void gather_statistics(double scale) {
    queue_.run(StatisticsKernel{view_.dtype, view_.data, view_.size(), scale, partial_, &result_->counts},
               blocks_for(sum_blocks_, StatisticsKernel::sums_a_block));
  }
  CaptureResult add_up(int64_t sums) {
    queue_.run(SumKernel{partial_, ranges_, result_->sums}, sums);
    CaptureResult result;
    queue_.download(&result, result_, sizeof result);
    return result;
  }

  Queue& queue_;
  TensorView view_;
  int64_t sum_blocks_, segment_count_;
  double* partial_;  ///< one sum per `sum_block`, then one per segment
  Segment* segments_;
  Range* ranges_;
  CaptureResult* result_;
};

}  // namespace

Measurement measure_tensor_on(Queue& queue, const TensorView& view, const TensorLayout& layout) {
  Measurement found;
  if (view.size() == 0)
    return found;
  CapturePass pass(queue, view, segments_of(place_of(view.shape, layout)));
  const CaptureResult result = pass.all();
  Statistics& statistics = found.statistics;
  statistics.nan_count = static_cast<int64_t>(result.counts.nan_count);
  statistics.inf_count = static_cast<int64_t>(result.counts.inf_count);
  statistics.max_abs = std::bit_cast<double>(result.counts.max_abs);
  const double scale = norm_scale(statistics.max_abs);
  statistics.norm = std::sqrt(scale == 1 ? result.sums[0] : pass.scaled_squares(scale)) / scale;
  found.digest = {result.counts.digest_low, result.counts.digest_high};
  found.sketch.assign(result.sums + 1, result.sums + 1 + sketch_size);
  return found;
}

}  // namespace parity::measure::cuda
