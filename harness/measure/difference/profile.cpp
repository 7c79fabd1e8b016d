// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/difference/profile.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "harness/base/error.hpp"

namespace parity::measure {
namespace {

/// Adds the difference of further elements to their range.
void add_to(RangeDifference& range, const RangeDifference& more) {
  range.differing += more.differing;
  range.error_squares += more.error_squares;
  range.expected_squares += more.expected_squares;
  range.max_ulp = std::max(range.max_ulp, more.max_ulp);
}

/// Sums elements [begin, end). Eight lanes of squares keep one sum from waiting for another.
RangeDifference sum_of(const ProfileTally::Elements& elements, size_t begin, size_t end) {
  constexpr size_t lanes = 8;
  std::array<double, lanes> errors = {}, squares = {};
  RangeDifference sum;
  const auto add = [&](size_t i, size_t lane) {
    errors[lane] += elements.error_squares[i];
    squares[lane] += elements.expected_squares[i];
    sum.differing += elements.differs[i];
    sum.max_ulp = std::max(sum.max_ulp, elements.steps[i]);
  };
  for (; end - begin >= lanes; begin += lanes)
    for (size_t lane = 0; lane < lanes; ++lane)
      add(begin + lane, lane);
  for (size_t lane = 0; begin + lane < end; ++lane)
    add(begin + lane, lane);
  for (size_t lane = 0; lane < lanes; ++lane) {
    sum.error_squares += errors[lane];
    sum.expected_squares += squares[lane];
  }
  return sum;
}

}  // namespace

double RangeDifference::relative_l2() const {
  if (error_squares == 0)
    return 0;
  return expected_squares == 0 ? std::numeric_limits<double>::infinity()
                               : std::sqrt(error_squares) / std::sqrt(expected_squares);
}

uint64_t DifferenceProfile::ulp_quantile(double share) const {
  int64_t count = without_distance;
  for (const int64_t bin : ulps)
    count += bin;
  const auto wanted = static_cast<int64_t>(std::ceil(share * static_cast<double>(count)));
  int64_t seen = 0;
  for (size_t b = 0; b < ulps.size(); ++b) {
    seen += ulps[b];
    if (seen >= wanted)
      return b == 64 ? std::numeric_limits<uint64_t>::max() : (uint64_t{1} << b) - 1;
  }
  return std::numeric_limits<uint64_t>::max();
}

ProfileTally::Axis::Axis(int64_t size, int64_t element_stride, int64_t first) : stride(element_stride) {
  const int64_t ranges = std::min(size, DifferenceProfile::most_ranges);
  for (int64_t r = 0; r <= ranges; ++r)
    starts.push_back((r * size + ranges - 1) / ranges);
  found.resize(static_cast<size_t>(ranges));
  for (size_t r = 0; r < found.size(); ++r) {
    found[r].first = starts[r];
    found[r].last = starts[r + 1];
  }
  const int64_t index = first / stride % size;
  range = static_cast<size_t>(std::upper_bound(starts.begin(), starts.end(), index) - starts.begin()) - 1;
  left = (starts[range + 1] - index) * stride - first % stride;
}

void ProfileTally::Axis::move(int64_t count) {
  left -= count;
  if (left > 0)
    return;
  range = range + 1 == found.size() ? 0 : range + 1;
  left = (starts[range + 1] - starts[range]) * stride;
}

ProfileTally::ProfileTally(const Shape& shape, int64_t first) {
  const int64_t count = element_count(shape);
  require(count > 0 && count <= INT64_MAX / DifferenceProfile::most_ranges, "profile of no tensor");
  axes_.emplace_back(count, 1, first);
  int64_t stride = count;
  for (const int64_t size : shape) {
    stride /= size;
    axes_.emplace_back(size, stride, first);
  }
}

void ProfileTally::add(const Elements& elements) {
  for (size_t i = 0; i < elements.count; ++i)
    ++ulps_[static_cast<size_t>(std::bit_width(elements.steps[i]))];
  ulps_[0] -= static_cast<int64_t>(elements.nans.size());
  without_distance_ += static_cast<int64_t>(elements.nans.size());
  for (size_t begin = 0; begin < elements.count;) {
    auto step = static_cast<int64_t>(elements.count - begin);
    for (const Axis& axis : axes_)
      step = std::min(step, axis.left);
    const RangeDifference sum = sum_of(elements, begin, begin + static_cast<size_t>(step));
    for (Axis& axis : axes_) {
      add_to(axis.found[axis.range], sum);
      axis.move(step);
    }
    begin += static_cast<size_t>(step);
  }
}

void ProfileTally::add(const ProfileTally& next) {
  for (size_t b = 0; b < ulps_.size(); ++b)
    ulps_[b] += next.ulps_[b];
  without_distance_ += next.without_distance_;
  for (size_t x = 0; x < axes_.size(); ++x)
    for (size_t r = 0; r < axes_[x].found.size(); ++r)
      add_to(axes_[x].found[r], next.axes_[x].found[r]);
}

DifferenceProfile ProfileTally::take() {
  DifferenceProfile profile;
  profile.ulps = ulps_;
  profile.without_distance = without_distance_;
  profile.blocks = std::move(axes_.front().found);
  for (size_t x = 1; x < axes_.size(); ++x)
    profile.dimensions.push_back(std::move(axes_[x].found));
  return profile;
}

}  // namespace parity::measure
