// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/checkpoints/views/gap.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "harness/checkpoints/views/cast.hpp"
#include "harness/checkpoints/views/cast_loss.hpp"
#include "harness/measure/difference/measure_difference.hpp"
#include "harness/tensor/conversions.hpp"

namespace parity::checkpoints {
namespace {

constexpr int64_t piece = int64_t{1} << 21;        ///< elements that are copied at a time
constexpr int64_t first_piece = int64_t{1} << 12;  ///< the same while a search still expects a difference

/// A piece of a view as row-major elements of one dtype. It copies only if it has to.
class Elements {
 public:
  const std::byte* read(const StridedView& view, DType to) {
    const auto count = static_cast<size_t>(view.size());
    const std::byte* from = view.data;
    if (!view.is_contiguous()) {
      gathered_.resize(count * size_of(view.dtype));
      gather(view, gathered_.data());
      from = gathered_.data();
    }
    stored_ = from;
    if (view.dtype == to)
      return from;
    converted_.resize(count * size_of(to));
    convert(view.dtype, from, to, converted_.data(), view.size());
    return converted_.data();
  }
  /// Returns the elements of the last read() in the view's own dtype.
  const std::byte* stored() const { return stored_; }

 private:
  std::vector<std::byte> gathered_, converted_;
  const std::byte* stored_ = nullptr;
};

/// Returns the place of the element with this row-major index.
const std::byte* element_at(const StridedView& view, int64_t flat) {
  const std::vector<int64_t> at = coordinates(view.shape, flat);
  int64_t offset = 0;
  for (size_t i = 0; i < at.size(); ++i)
    offset += at[i] * view.strides[i];
  return view.data + offset * static_cast<int64_t>(size_of(view.dtype));
}

Gap gap_of(const measure::Difference& d, const StridedView& expected) {
  Gap gap{d.count,
          d.differing,
          d.differing > 0 ? d.max_ulp : 0,
          d.l2_error * d.l2_error,
          d.expected_norm * d.expected_norm,
          d.max_abs_error,
          nullptr,
          d.worst_expected,
          d.worst_actual};
  if (d.worst_index >= 0)
    gap.worst = element_at(expected, d.worst_index);
  return gap;
}

/// Two pieces of one shape, converted to one dtype.
struct Converted {
  const std::byte *expected, *actual;
  CastLoss of_expected, of_actual;
};

/// Converts pieces, and measures what the conversion of either loses.
class PieceReader {
 public:
  explicit PieceReader(DType to) : to_(to) {}

  Converted read(const StridedView& e, const StridedView& a) {
    const std::byte *left = expected_.read(e, to_), *right = actual_.read(a, to_);
    return {left, right, cast_loss(e.dtype, expected_.stored(), to_, left, right, e.size()),
            cast_loss(a.dtype, actual_.stored(), to_, right, left, a.size())};
  }

 private:
  DType to_;
  Elements expected_, actual_;
};

/// Adds what a cast loses to a gap of the same pieces.
void add_loss(Gap& gap, const CastLoss& loss, const StridedView& e, const StridedView& a) {
  gap.overflowed += loss.overflowed;
  gap.differing += loss.overflowed;
  gap.underflowed += loss.underflowed;
  gap.underflow_squares += loss.underflow_squares;
  if (loss.overflowed == 0 || std::isnan(gap.max_abs_error))
    return;
  gap.worst = element_at(e, loss.first_overflow);
  gap.worst_expected = widen(e.dtype, gap.worst);
  gap.worst_actual = widen(a.dtype, element_at(a, loss.first_overflow));
  gap.max_abs_error = gap.error_squares = std::numeric_limits<double>::infinity();
  gap.max_ulp = measure::Difference::no_ulp;
}

}  // namespace

double Gap::relative_l2() const {
  if (error_squares == 0)
    return 0;
  if (std::isinf(error_squares))
    return error_squares;
  return expected_squares == 0 ? std::numeric_limits<double>::infinity()
                               : std::sqrt(error_squares / expected_squares);
}

double Gap::underflow_share() const {
  return underflowed == 0 ? 0 : std::sqrt(underflow_squares / (underflow_squares + expected_squares));
}

void Gap::add(const Gap& other) {
  const bool worse = worst == nullptr || other.max_abs_error > max_abs_error ||
                     (std::isnan(other.max_abs_error) && !std::isnan(max_abs_error));
  if (other.worst != nullptr && worse) {
    worst = other.worst;
    worst_expected = other.worst_expected;
    worst_actual = other.worst_actual;
    max_abs_error = other.max_abs_error;
  }
  count += other.count;
  differing += other.differing;
  max_ulp = std::max(max_ulp, other.max_ulp);
  overflowed += other.overflowed;
  underflowed += other.underflowed;
  underflow_squares += other.underflow_squares;
  error_squares += other.error_squares;
  expected_squares += other.expected_squares;
}

Gap measure_gap(const ViewPair& pair, DType to, const measure::DifferencePolicy& policy,
                const Release& release) {
  const bool as_stored = pair.expected.dtype == to && pair.actual.dtype == to &&
                         pair.expected.is_contiguous() && pair.actual.is_contiguous();
  measure::DifferenceOptions options{policy};
  if (as_stored) {
    options.done = release;
    const TensorView expected{to, pair.expected.shape, pair.expected.data};
    const TensorView actual{to, pair.actual.shape, pair.actual.data};
    return gap_of(measure_difference(expected, actual, options), pair.expected);
  }
  Gap gap;
  PieceReader reader(to);
  for_each_piece(pair.expected, pair.actual, piece, [&](const StridedView& e, const StridedView& a) {
    const Converted pieces = reader.read(e, a);
    const TensorView left{to, e.shape, pieces.expected}, right{to, e.shape, pieces.actual};
    Gap part = gap_of(measure_difference(left, right, options), e);
    add_loss(part, pieces.of_expected, e, a);
    add_loss(part, pieces.of_actual, e, a);
    gap.add(part);
    return true;
  });
  return gap;
}

bool have_equal_bits(const ViewPair& pair, DType to) {
  PieceReader reader(to);
  const auto equal = [&](const StridedView& e, const StridedView& a) {
    const size_t bytes = static_cast<size_t>(e.size()) * size_of(to);
    const Converted pieces = reader.read(e, a);
    return std::memcmp(pieces.expected, pieces.actual, bytes) == 0 && pieces.of_expected.overflowed == 0 &&
           pieces.of_actual.overflowed == 0;
  };
  // Most candidates of a search differ in their first elements.
  bool begins_equal = true;
  for_each_piece(pair.expected, pair.actual, first_piece, [&](const StridedView& e, const StridedView& a) {
    begins_equal = equal(e, a);
    return false;
  });
  return begins_equal && for_each_piece(pair.expected, pair.actual, piece, equal);
}

bool is_constant(const StridedView& view) {
  if (view.size() == 0)
    return true;
  const StridedView first{view.dtype, view.shape, view.data, std::vector<int64_t>(view.shape.size(), 0)};
  return have_equal_bits({view, first}, view.dtype);
}

}  // namespace parity::checkpoints
