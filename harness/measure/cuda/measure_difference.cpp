// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/cuda/measure_difference.hpp"

#include <vector>

#include "harness/measure/difference/tally.hpp"

namespace parity::measure::cuda {
namespace {

int64_t divide_up(int64_t count, int64_t by) {
  return (count + by - 1) / by;
}

double element_at(Queue& queue, const TensorView& view, int64_t index) {
  const size_t size = size_of(view.dtype);
  std::byte element[8];
  queue.download(element, static_cast<const std::byte*>(view.data) + static_cast<size_t>(index) * size, size);
  return widen(view.dtype, element);
}

/// Results of a pass over a pair that are copied to the host.
struct PairResult {
  DifferenceCounts counts;
  double sums[Gap::sum_count];
};

/// Returns ranges of at most `length` numbers that cover `rows` rows of `columns` numbers each.
std::vector<Range> pieces(int64_t rows, int64_t columns, int64_t length) {
  std::vector<Range> ranges;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t first = 0; first < columns; first += length)
      ranges.push_back({row * columns + first, row * columns + std::min(columns, first + length)});
  return ranges;
}

/// Sums the numbers of each range.
void add_up(Queue& queue, const double* values, const std::vector<Range>& ranges, double* sums) {
  const auto count = static_cast<int64_t>(ranges.size());
  auto* const there = queue.allocate_array<Range>(count);
  queue.upload(there, ranges.data(), ranges.size() * sizeof(Range));
  queue.run(SumKernel{values, there, sums}, count);
}

PairResult run_pair(Queue& queue, const TensorView& expected, const TensorView& actual) {
  const int64_t blocks = divide_up(expected.size(), static_cast<int64_t>(sum_block));
  constexpr int64_t blocks_a_stretch = difference_stretch / static_cast<int64_t>(sum_block);
  const int64_t stretches = divide_up(blocks, blocks_a_stretch);
  auto* const sums = queue.allocate_array<double>((Gap::sum_count + 1) * blocks);
  auto* const of_stretches = queue.allocate_array<double>(Gap::sum_count * stretches);
  auto* const result = queue.allocate_array<PairResult>(1);
  DifferenceCounts none{};
  none.first_nan = none.first_other = none.first_worst = DifferenceCounts::nowhere;
  queue.upload(&result->counts, &none, sizeof none);
  const DifferenceKernel pair = {expected.dtype,  expected.data,  actual.data,
                                 expected.size(), sums,           sums + Gap::sum_count * blocks,
                                 blocks,          &result->counts};
  queue.run(pair, divide_up(blocks, DifferenceKernel::sums_a_block));
  queue.run(WorstKernel{expected.dtype, pair}, divide_up(blocks, WorstKernel::threads));
  add_up(queue, sums, pieces(Gap::sum_count, blocks, blocks_a_stretch), of_stretches);
  add_up(queue, of_stretches, pieces(Gap::sum_count, stretches, stretches), result->sums);
  PairResult found;
  queue.download(&found, result, sizeof found);
  return found;
}

int64_t index_of(uint64_t found) {
  return found == DifferenceCounts::nowhere ? -1 : static_cast<int64_t>(found);
}

DifferenceTally tally_of(const PairResult& result) {
  const DifferenceCounts& counts = result.counts;
  DifferenceTally t;
  t.error_squares = result.sums[0];
  t.expected_squares = result.sums[1];
  t.actual_squares = result.sums[2];
  t.product = result.sums[3];
  t.max_expected = std::bit_cast<double>(counts.max_expected);
  t.max_abs_error = std::bit_cast<double>(counts.max_error);
  t.needed_rtol = std::bit_cast<double>(counts.needed_rtol);
  t.max_ulp = counts.max_ulp;
  t.up.add(counts.up[0], counts.up[1]);
  t.down.add(counts.down[0], counts.down[1]);
  t.differing = static_cast<int64_t>(counts.differing);
  t.expected_nan = static_cast<int64_t>(counts.expected_nan);
  t.actual_nan = static_cast<int64_t>(counts.actual_nan);
  t.expected_inf = static_cast<int64_t>(counts.expected_inf);
  t.actual_inf = static_cast<int64_t>(counts.actual_inf);
  t.first_nan = index_of(counts.first_nan);
  t.largest = index_of(counts.first_worst);
  t.first_other = index_of(counts.first_other);
  return t;
}

}  // namespace

Difference measure_difference_on(Queue& queue, const TensorView& expected, const TensorView& actual) {
  require_alike(expected, actual);
  DifferenceTally t;
  if (expected.size() > 0)
    t = tally_of(run_pair(queue, expected, actual));
  Difference found = finish_difference(t, expected.size());
  if (found.worst_index >= 0) {
    found.worst_expected = element_at(queue, expected, found.worst_index);
    found.worst_actual = element_at(queue, actual, found.worst_index);
  }
  return found;
}

}  // namespace parity::measure::cuda
