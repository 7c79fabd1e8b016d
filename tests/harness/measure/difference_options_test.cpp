// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// The options of measure_difference: threads, policies, profiles.
#include <atomic>
#include <cmath>
#include <mutex>

#include <gtest/gtest.h>

#include "harness/measure/difference/measure_difference.hpp"
#include "tests/support/special_values.hpp"
#include "tests/support/traces/samples.hpp"

namespace parity::measure {
namespace {

using Policy = DifferencePolicy;

/// Many stretches for the threads to divide; the last one is incomplete.
constexpr size_t many = (size_t{1} << 18) * 9 + 77;

std::pair<Sample, Sample> large_pair(DType dtype) {
  std::vector<double> values = random_values(4096);
  values[5] = 0;
  Sample e(dtype, {}), a(dtype, {});
  const Sample part(dtype, values);
  for (Sample* side : {&e, &a}) {
    side->bytes.resize(many * size_of(dtype) + 1);
    for (size_t at = 0; at < many * size_of(dtype); at += part.view.bytes())
      std::memcpy(side->bytes.data() + at, part.bytes.data(),
                  std::min(part.view.bytes(), many * size_of(dtype) - at));
    side->view = {dtype, {static_cast<int64_t>(many)}, side->bytes.data()};
  }
  std::mt19937 random(7);
  for (size_t i = 0; i < many; i += 1 + random() % 40)
    a.next(i);
  return {e, a};
}

/// Every number of a difference and its profile.
std::vector<double> all_numbers(const Difference& d) {
  std::vector<double> all = {d.l2_error,      d.expected_norm,  d.relative_l2, d.max_abs_error,
                             d.relative_linf, d.cosine,         d.mean_ulp,    d.bias_ulp,
                             d.needed_rtol,   d.worst_expected, d.worst_actual};
  for (const int64_t count : {d.count, d.differing, d.worst_index, static_cast<int64_t>(d.max_ulp)})
    all.push_back(static_cast<double>(count));
  const auto add = [&](const std::vector<RangeDifference>& ranges) {
    for (const RangeDifference& range : ranges)
      all.insert(all.end(), {static_cast<double>(range.differing), range.error_squares,
                             range.expected_squares, static_cast<double>(range.max_ulp)});
  };
  add(d.profile->blocks);
  for (const auto& dimension : d.profile->dimensions)
    add(dimension);
  all.insert(all.end(), d.profile->ulps.begin(), d.profile->ulps.end());
  return all;
}

TEST(DifferenceOptionsTest, AnyNumberOfThreadsGivesTheSameBits) {
  for (const DType dtype : {DType::float32, DType::bfloat16, DType::float8_e4m3fn, DType::int64}) {
    const auto [e, a] = large_pair(dtype);
    const auto one = all_numbers(measure_difference(e.view, a.view, {.profile = true, .threads = 1}));
    for (const int threads : {2, 3, 7}) {
      const auto several =
          all_numbers(measure_difference(e.view, a.view, {.profile = true, .threads = threads}));
      ASSERT_EQ(several.size(), one.size());
      EXPECT_EQ(std::memcmp(several.data(), one.data(), one.size() * sizeof(double)), 0)
          << name_of(dtype) << ", " << threads << " threads";
    }
  }
}

TEST(DifferenceOptionsTest, TheWorstElementIsTheFirstOneWhoeverFindsIt) {
  auto [e, a] = large_pair(DType::float32);
  for (const size_t i : {many - 5, (size_t{1} << 18) * 3 + 1, (size_t{1} << 18) * 7}) {
    e.set(i, 1);
    a.set(i, 1000);
  }
  for (const int threads : {1, 4})
    EXPECT_EQ(measure_difference(e.view, a.view, {.threads = threads}).worst_index,
              (int64_t{1} << 18) * 3 + 1);
}

TEST(DifferenceOptionsTest, EachByteOfBothSidesIsToldDoneOnce) {
  const auto [e, a] = large_pair(DType::float32);
  std::mutex mutex;
  std::map<const std::byte*, size_t> done;
  measure_difference(e.view, a.view, {.threads = 3, .done = [&](const std::byte* data, size_t bytes) {
                                        const std::lock_guard guard(mutex);
                                        EXPECT_TRUE(done.emplace(data, bytes).second);
                                      }});
  for (const Sample* side : {&e, &a})
    for (const std::byte* at = side->bytes.data(); at < side->bytes.data() + side->view.bytes();
         at += done[at])
      ASSERT_GT(done.count(at), 0);
}

class PolicyTest : public testing::TestWithParam<DType> {};
INSTANTIATE_TEST_SUITE_P(Floats, PolicyTest,
                         testing::Values(DType::float64, DType::float32, DType::bfloat16, DType::float16,
                                         DType::float8_e4m3fn, DType::float8_e5m2),
                         [](const auto& row) { return std::string(name_of(row.param)); });

/// A sample with NaN, which the nearest 8-bit float does not give.
Sample with_nan(DType dtype, std::vector<double> values, const std::vector<size_t>& holes) {
  Sample sample(dtype, values);
  for (const size_t i : holes)
    std::memset(sample.bytes.data() + i * size_of(dtype), 0xFF, size_of(dtype));
  return sample;
}

TEST_P(PolicyTest, Nan_AgreesOnlyOnBothSidesWhereAsked) {
  const Sample hole = with_nan(GetParam(), {1, 0, 4}, {1}), other = with_nan(GetParam(), {1, 0, 2}, {1});
  const Sample none(GetParam(), {1, 3, 4});
  const DifferenceOptions equal{.policy = {.nan = Policy::Nan::equal_if_both}};
  EXPECT_FALSE(measure_difference(hole.view, hole.view).identical());
  EXPECT_TRUE(std::isnan(measure_difference(hole.view, hole.view).relative_l2));
  EXPECT_TRUE(measure_difference(hole.view, hole.view, equal).identical());
  const Difference found = measure_difference(hole.view, other.view, equal);
  EXPECT_EQ(found.differing, 1);
  EXPECT_EQ(found.expected_nan + found.actual_nan, 2);
  EXPECT_EQ(found.l2_error, 2);
  EXPECT_EQ(found.relative_linf, 0.5);
  for (const auto& [e, a] : {std::pair{&hole, &none}, {&none, &hole}}) {
    const Difference one_side = measure_difference(e->view, a->view, equal);
    EXPECT_FALSE(one_side.identical());
    EXPECT_FALSE(one_side.relative_l2 <= 1e30);
    EXPECT_EQ(one_side.worst_index, 1);
  }
}

TEST_P(PolicyTest, SignOfZeroCountsUnlessIgnored) {
  const Sample zero(GetParam(), {1, 0, 2});
  Sample minus = zero;
  minus.bytes[2 * size_of(GetParam()) - 1] |= std::byte{0x80};
  EXPECT_FALSE(measure_difference(zero.view, minus.view).identical());
  EXPECT_TRUE(measure_difference(zero.view, minus.view, {.policy = {.zero_sign = Policy::ZeroSign::ignored}})
                  .identical());
}

TEST_P(PolicyTest, SubnormalsCountUnlessFlushed) {
  Sample zero(GetParam(), {1, 0, 2}), tiny = zero, tinier = zero;
  tiny.next(1);
  tiny.next(1);
  tinier.next(1);
  EXPECT_EQ(measure_difference(zero.view, tiny.view).max_ulp, 2);
  EXPECT_EQ(measure_difference(tinier.view, tiny.view).needed_rtol, 1);
  const DifferenceOptions flush{.policy = {.subnormal = Policy::Subnormal::as_zero}};
  EXPECT_TRUE(measure_difference(zero.view, tiny.view, flush).identical());
  EXPECT_TRUE(measure_difference(tinier.view, tiny.view, flush).identical());
  tiny.bytes[2 * size_of(GetParam()) - 1] |= std::byte{0x80};  // flushing keeps the sign
  EXPECT_EQ(measure_difference(zero.view, tiny.view, flush).differing, 1);
  EXPECT_EQ(measure_difference(zero.view, tiny.view, flush).max_ulp, 0);
}

TEST_P(PolicyTest, ALeastNormalNumberIsNotFlushed) {
  const double least = GetParam() == DType::float64         ? 0x1p-1022
                       : GetParam() == DType::float16       ? 0x1p-14
                       : GetParam() == DType::float8_e4m3fn ? 0x1p-6
                       : GetParam() == DType::float8_e5m2   ? 0x1p-14
                                                            : 0x1p-126;
  const Sample zero(GetParam(), {1, 0}), normal(GetParam(), {1, least});
  EXPECT_EQ(normal.value(1), least);
  EXPECT_EQ(measure_difference(zero.view, normal.view, {.policy = {.subnormal = Policy::Subnormal::as_zero}})
                .differing,
            1);
}

TEST(DifferenceMetricsTest, MeanAndBiasInStepsByHand) {
  // +2, -1, 0 and +3 steps.
  Sample e(DType::float32, {1, 2, 3, -4}), a = e;
  a.next(0);
  a.next(0);
  a.put(1, e.get<uint32_t>(1) - 1);
  a.put(3, e.get<uint32_t>(3) - 3);  // nearer to zero, so higher
  const Difference found = measure_difference(e.view, a.view);
  EXPECT_EQ(found.mean_ulp, 6.0 / 4);
  EXPECT_EQ(found.bias_ulp, 4.0 / 4);
}

TEST(DifferenceMetricsTest, SignalToNoiseOfATenthIs20Decibels) {
  const Difference found =
      measure_difference(Sample(DType::float64, {3, 4}).view, Sample(DType::float64, {3, 4.5}).view);
  EXPECT_DOUBLE_EQ(found.nmse(), 0.01);
  EXPECT_NEAR(found.sqnr_db(), 20, 1e-12);
  EXPECT_EQ(measure_difference(Sample(DType::float64, {3}).view, Sample(DType::float64, {3}).view).sqnr_db(),
            inf);
}

TEST(DifferenceMetricsTest, StepsAcrossTheWholeLineAddUpExactly) {
  const double most = std::numeric_limits<double>::max();
  const std::vector<double> low(5000, -most), high(5000, most);
  const Difference found =
      measure_difference(Sample(DType::float64, low).view, Sample(DType::float64, high).view);
  EXPECT_EQ(found.mean_ulp, 2 * static_cast<double>(0x7FEFFFFFFFFFFFFFU));
  EXPECT_EQ(found.bias_ulp, found.mean_ulp);
}

TEST(DifferenceProfileTest, HistogramAndQuantilesByHand) {
  Sample e(DType::float32, random_values(1000)), a = e;
  for (size_t i = 0; i < 1000; ++i)
    a.put(i, e.get<uint32_t>(i) + (i < 500 ? 0U : i < 990 ? 1U : i < 999 ? 5U : 4096U));
  const Difference found = measure_difference(e.view, a.view, {.profile = true});
  const DifferenceProfile& profile = *found.profile;
  EXPECT_EQ(profile.ulps[0], 500);
  EXPECT_EQ(profile.ulps[1], 490);
  EXPECT_EQ(profile.ulps[3], 9);   // 4-7
  EXPECT_EQ(profile.ulps[13], 1);  // 4096-8191
  EXPECT_EQ(profile.ulp_quantile(0.5), 0);
  EXPECT_EQ(profile.ulp_quantile(0.501), 1);
  EXPECT_EQ(profile.ulp_quantile(0.99), 1);
  EXPECT_EQ(profile.ulp_quantile(0.999), 7);
  EXPECT_EQ(profile.ulp_quantile(1), 8191);
  EXPECT_FALSE(measure_difference(e.view, a.view).profile);
}

TEST(DifferenceProfileTest, OneElement_IsFoundInBlockAndEachDimension) {
  const Shape shape = {5, 130, 1, 7};
  Sample e(DType::float32, random_values(5 * 130 * 7)), a = e;
  e.view.shape = a.view.shape = shape;
  const int64_t index = (3 * 130 + 77) * 7 + 2;
  e.set(static_cast<size_t>(index), 2);
  a.set(static_cast<size_t>(index), 3);
  const DifferenceProfile profile = *measure_difference(e.view, a.view, {.profile = true}).profile;
  ASSERT_EQ(profile.dimensions.size(), 4);
  const std::vector<int64_t> where = {3, 77, 0, 2};
  const auto check = [](const std::vector<RangeDifference>& ranges, int64_t at, int64_t end) {
    EXPECT_EQ(ranges.front().first, 0);
    EXPECT_EQ(ranges.back().last, end);
    for (const RangeDifference& range : ranges) {
      const bool inside = range.first <= at && at < range.last;
      EXPECT_EQ(range.differing, inside);
      EXPECT_EQ(range.error_squares, inside ? 1 : 0);
      EXPECT_EQ(range.max_ulp > 0, inside);
    }
  };
  check(profile.blocks, index, e.view.size());
  for (size_t d = 0; d < 4; ++d)
    check(profile.dimensions[d], where[d], shape[d]);
  EXPECT_EQ(profile.dimensions[1].size(), 64);
  EXPECT_EQ(profile.dimensions[3].size(), 7);
}

TEST(DifferenceProfileTest, RangesAddUpToTheWhole) {
  const auto [e, a] = large_pair(DType::bfloat16);
  TensorView x = e.view, y = a.view;
  x.shape = y.shape = {3, static_cast<int64_t>(many) / 3};
  const Difference found = measure_difference(x, y, {.profile = true});
  const auto check = [&](const std::vector<RangeDifference>& ranges) {
    RangeDifference sum;
    for (const RangeDifference& range : ranges) {
      sum.differing += range.differing;
      sum.error_squares += range.error_squares;
      sum.expected_squares += range.expected_squares;
      sum.max_ulp = std::max(sum.max_ulp, range.max_ulp);
    }
    EXPECT_EQ(sum.differing, found.differing);
    EXPECT_EQ(sum.max_ulp, found.max_ulp);
    EXPECT_NEAR(std::sqrt(sum.error_squares), found.l2_error, 1e-12 * found.l2_error);
    EXPECT_NEAR(std::sqrt(sum.expected_squares), found.expected_norm, 1e-12 * found.expected_norm);
  };
  check(found.profile->blocks);
  check(found.profile->dimensions[0]);
  check(found.profile->dimensions[1]);
}

TEST(DifferenceProfileTest, NanAndInfinityHaveTheirPlaces) {
  const Sample e(DType::float32, {1, nan, 3, inf}), a(DType::float32, {1, 2, nan, 4});
  const DifferenceProfile profile = *measure_difference(e.view, a.view, {.profile = true}).profile;
  EXPECT_EQ(profile.without_distance, 2);
  EXPECT_EQ(profile.ulps[0], 1);
  EXPECT_EQ(profile.blocks[1].differing, 1);
  EXPECT_EQ(profile.blocks[3].differing, 1);
  EXPECT_EQ(profile.blocks[3].max_ulp, 0x7F800000U - 0x40800000U);
}

}  // namespace
}  // namespace parity::measure
