// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "harness/measure/difference/measure_difference.hpp"
#include "tests/support/special_values.hpp"
#include "tests/support/traces/samples.hpp"

namespace parity::measure {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

Difference between(DType dtype, const std::vector<double>& e, const std::vector<double>& a) {
  const Sample expected(dtype, e), actual(dtype, a);
  return measure_difference(expected.view, actual.view);
}

class DifferenceTest : public testing::TestWithParam<DType> {};
INSTANTIATE_TEST_SUITE_P(Dtypes, DifferenceTest, testing::ValuesIn(all_dtypes()),
                         [](const auto& row) { return std::string(name_of(row.param)); });

TEST_P(DifferenceTest, EqualTensorsAreIdentical) {
  const Sample a(GetParam(), random_values(3000)), b = a;
  const Difference found = measure_difference(a.view, b.view);
  EXPECT_TRUE(found.identical());
  EXPECT_EQ(found.count, 3000);
  EXPECT_EQ(found.relative_l2, 0);
  EXPECT_EQ(found.relative_linf, 0);
  EXPECT_EQ(found.cosine, 1);
  EXPECT_EQ(found.max_ulp, 0);
  EXPECT_EQ(found.needed_rtol, 0);
  EXPECT_EQ(found.worst_index, -1);
}

TEST_P(DifferenceTest, OneElementOneStepAwayIsFoundWhereverItIs) {
  const Sample a(GetParam(), random_values(2500));
  for (const size_t i : {size_t{0}, size_t{7}, size_t{1023}, size_t{1024}, size_t{2499}}) {
    Sample b = a;
    b.next(i);
    const Difference found = measure_difference(a.view, b.view);
    EXPECT_FALSE(found.identical());
    EXPECT_EQ(found.differing, 1);
    EXPECT_EQ(found.max_ulp, 1);
    EXPECT_EQ(found.worst_index, static_cast<int64_t>(i));
    EXPECT_EQ(found.worst_expected, a.value(i));
    EXPECT_EQ(found.worst_actual, b.value(i));
    EXPECT_EQ(found.max_abs_error, std::fabs(b.value(i) - a.value(i)));
    EXPECT_EQ(found.l2_error, found.max_abs_error);
    EXPECT_GT(found.relative_l2, 0);
    const double size = std::fabs(a.value(i));
    EXPECT_EQ(found.needed_rtol, size == 0 ? inf : found.max_abs_error / size);
  }
}

TEST_P(DifferenceTest, DistancesOfSmallIntegersAreExact) {
  if (GetParam() == DType::bool8) {
    const Difference found = between(GetParam(), {1, 1, 0, 1}, {1, 0, 1, 1});
    EXPECT_EQ(found.differing, 2);
    EXPECT_EQ(found.needed_rtol, inf);  // 0 against 1
    return;
  }
  const Difference found = between(GetParam(), {3, 4, 1, 1}, {3, 4, 1, 4});
  EXPECT_EQ(found.l2_error, 3);
  EXPECT_EQ(found.expected_norm, std::sqrt(27.0));
  EXPECT_EQ(found.relative_l2, 3 / std::sqrt(27.0));
  EXPECT_EQ(found.relative_linf, 0.75);
  EXPECT_EQ(found.needed_rtol, 3);
  EXPECT_DOUBLE_EQ(found.cosine, 30 / std::sqrt(27.0 * 42.0));
  EXPECT_EQ(found.worst_index, 3);
}

TEST(MeasureDifferenceTest, SignedZeroDiffersInBitsAndNowhereElse) {
  for (const DType dtype : {DType::float64, DType::float32, DType::bfloat16, DType::float16,
                            DType::float8_e4m3fn, DType::float8_e5m2}) {
    Sample zero(dtype, {1, 0, 2}), minus = zero;
    const size_t top = 2 * size_of(dtype) - 1;
    minus.bytes[top] |= std::byte{0x80};
    const Difference found = measure_difference(zero.view, minus.view);
    EXPECT_FALSE(found.identical());
    EXPECT_EQ(found.differing, 1);
    EXPECT_EQ(found.max_ulp, 0);
    EXPECT_EQ(found.max_abs_error, 0);
    EXPECT_EQ(found.needed_rtol, 0);
    EXPECT_EQ(found.worst_index, 1);
  }
}

TEST(MeasureDifferenceTest, UlpsCountAcrossZero) {
  EXPECT_EQ(between(DType::float32, {-0x1p-149}, {0x1p-149}).max_ulp, 2);
  EXPECT_EQ(between(DType::float32, {1}, {2}).max_ulp, uint64_t{1} << 23);
  EXPECT_EQ(between(DType::float64, {1}, {2}).max_ulp, uint64_t{1} << 52);
  EXPECT_EQ(between(DType::bfloat16, {1}, {2}).max_ulp, 128);
  EXPECT_EQ(between(DType::float16, {1}, {-1}).max_ulp, 2 * 0x3C00);
  EXPECT_EQ(between(DType::float8_e5m2, {1}, {2}).max_ulp, 4);
  const double most = std::numeric_limits<float>::max();
  EXPECT_EQ(between(DType::float32, {-most}, {most}).max_ulp, uint64_t{2} * 0x7F7FFFFF);
}

TEST(MeasureDifferenceTest, NanOnEitherSideOrBothIsNeverEqual) {
  const std::vector<double> clean = {1, 2, 3}, holed = {1, nan, 3};
  for (const DType dtype : {DType::float64, DType::float32, DType::bfloat16, DType::float16}) {
    for (const auto& [e, a] : {std::pair{clean, holed}, {holed, clean}, {holed, holed}}) {
      const Difference found = between(dtype, e, a);
      EXPECT_FALSE(found.identical());
      EXPECT_EQ(found.differing, 1);
      EXPECT_EQ(found.expected_nan, std::isnan(e[1]));
      EXPECT_EQ(found.actual_nan, std::isnan(a[1]));
      EXPECT_FALSE(found.relative_l2 <= 1e30);
      EXPECT_FALSE(found.relative_linf <= 1e30);
      EXPECT_FALSE(found.max_abs_error <= 1e30);
      EXPECT_FALSE(found.needed_rtol <= 1e30);
      EXPECT_FALSE(found.cosine >= -1);
      EXPECT_EQ(found.max_ulp, Difference::no_ulp);
      EXPECT_EQ(found.worst_index, 1);
    }
  }
}

TEST(MeasureDifferenceTest, EqualInfinitiesAgreeAndOthersAreInfinitelyFar) {
  const Difference same = between(DType::float32, {1, inf, -inf}, {1, inf, -inf});
  EXPECT_TRUE(same.identical());
  EXPECT_EQ(same.relative_l2, 0);
  EXPECT_EQ(same.expected_inf, 2);
  EXPECT_EQ(same.actual_inf, 2);
  for (const auto& [e, a] : {std::pair{inf, 1.0}, {1.0, inf}, {inf, -inf}}) {
    const Difference found = between(DType::float32, {2, e}, {2, a});
    EXPECT_FALSE(found.identical());
    EXPECT_EQ(found.max_abs_error, inf);
    EXPECT_EQ(found.relative_l2, inf);
    EXPECT_EQ(found.needed_rtol, inf);
    EXPECT_FALSE(found.cosine >= -1);
    EXPECT_EQ(found.worst_index, 1);
  }
}

TEST(MeasureDifferenceTest, AnInfinityOnBothSidesDoesNotHideAnotherError) {
  const Difference found = between(DType::float32, {inf, 3, 4}, {inf, 3, 5});
  EXPECT_EQ(found.relative_l2, 0.2);
  EXPECT_EQ(found.relative_linf, 0.25);
}

TEST(MeasureDifferenceTest, ZeroReferenceGivesInfiniteRelativeDistance) {
  const Difference found = between(DType::float32, {0, 0}, {0, 1e-30});
  EXPECT_EQ(found.relative_l2, inf);
  EXPECT_EQ(found.relative_linf, inf);
  EXPECT_EQ(found.needed_rtol, inf);
  EXPECT_EQ(found.cosine, 0);
  EXPECT_EQ(between(DType::float32, {0, 0}, {0, 0}).relative_l2, 0);
  EXPECT_EQ(between(DType::float32, {0, 1}, {0, 1}).needed_rtol, 0);
}

TEST(MeasureDifferenceTest, SubnormalDifferencesCount) {
  const Difference found = between(DType::float32, {0x1p-140}, {0x1p-140 + 0x1p-149});
  EXPECT_EQ(found.max_ulp, 1);
  EXPECT_EQ(found.relative_l2, 0x1p-9);
}

TEST(MeasureDifferenceTest, OverflowingSquaresAreNeverAccepted) {
  const Difference found = between(DType::float64, {1e300, 1}, {1e300, 1.5});
  EXPECT_FALSE(found.relative_l2 <= 1e30);
  EXPECT_EQ(found.relative_linf, 0.5 / 1e300);
  EXPECT_TRUE(between(DType::float64, {1e300}, {1e300}).identical());
}

TEST(MeasureDifferenceTest, LargeIntegersDifferByExactlyOne) {
  Sample a(DType::int64, {0, 0}), b = a;
  a.put(1, std::numeric_limits<int64_t>::max());
  b.put(1, std::numeric_limits<int64_t>::max() - 1);
  const Difference found = measure_difference(a.view, b.view);
  EXPECT_EQ(found.max_ulp, 1);
  EXPECT_EQ(found.max_abs_error, 1);
  a.put(1, std::numeric_limits<int64_t>::min());
  EXPECT_EQ(measure_difference(a.view, b.view).max_ulp, std::numeric_limits<uint64_t>::max() - 1);
}

TEST(MeasureDifferenceTest, EmptyTensorsAreIdentical) {
  const TensorView empty{DType::float32, {3, 0}, nullptr};
  EXPECT_TRUE(measure_difference(empty, empty).identical());
  EXPECT_EQ(measure_difference(empty, empty).relative_l2, 0);
}

TEST(MeasureDifferenceTest, OtherShapeOrDtypeCannotAlign) {
  const std::vector<float> data(6, 1);
  const TensorView a{DType::float32, {2, 3}, data.data()}, b{DType::float32, {3, 2}, data.data()};
  EXPECT_THAT([&] { measure_difference(a, b); },
              ThrowsMessage<UserError>(HasSubstr("shapes (2, 3) and (3, 2)")));
  TensorView c = a;
  c.dtype = DType::int32;
  EXPECT_THAT([&] { measure_difference(a, c); },
              ThrowsMessage<UserError>(HasSubstr("dtypes float32 and int32")));
}

TEST(MeasureDifferenceTest, NeededToleranceIsTheSmallestThatPasses) {
  const auto e = random_values(3000, 4);
  auto a = e;
  std::mt19937 random(5);
  for (double& value : a)
    value *= 1 + 1e-6 * (uniform(random) - 0.5);
  const double rtol = between(DType::float64, e, a).needed_rtol;
  const auto passes = [&](double tolerance) {
    for (size_t i = 0; i < e.size(); ++i)
      if (!(std::fabs(a[i] - e[i]) <= tolerance * std::fabs(e[i])))
        return false;
    return true;
  };
  EXPECT_TRUE(passes(rtol * (1 + 0x1p-50)));
  EXPECT_FALSE(passes(rtol * (1 - 0x1p-50)));
}

}  // namespace
}  // namespace parity::measure
