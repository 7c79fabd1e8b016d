// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include <gtest/gtest.h>

#include "harness/measure/difference/measure_difference.hpp"
#include "harness/measure/lanes/simd.hpp"
#include "harness/measure/tensor/digest.hpp"
#include "harness/measure/tensor/sketch.hpp"
#include "harness/measure/tensor/statistics.hpp"
#include "tests/support/traces/samples.hpp"

namespace parity::measure {
namespace {

/// Returns everything that is measured of two tensors, as bytes.
std::vector<double> measure_all(const Sample& a, const Sample& b) {
  std::vector<double> all = sketch_of(a.view);
  const Statistics statistics = statistics_of(a.view);
  const Difference gap = measure_difference(a.view, b.view);
  const Digest digest = digest_of(a.view);
  all.insert(all.end(), {statistics.norm, statistics.max_abs, gap.l2_error, gap.relative_l2,
                         gap.relative_linf, gap.cosine, gap.needed_rtol, static_cast<double>(gap.max_ulp),
                         static_cast<double>(gap.worst_index), static_cast<double>(gap.differing)});
  all.insert(all.end(), {std::bit_cast<double>(digest.low), std::bit_cast<double>(digest.high)});
  return all;
}

class LevelsTest : public testing::TestWithParam<DType> {
 protected:
  const simd::Level detected_ = simd::level();
  void TearDown() override { simd::level() = detected_; }
};
INSTANTIATE_TEST_SUITE_P(Dtypes, LevelsTest, testing::ValuesIn(all_dtypes()),
                         [](const auto& row) { return std::string(name_of(row.param)); });

TEST_P(LevelsTest, EveryVectorWidthGivesTheSameBits) {
  for (const size_t count : {size_t{1}, size_t{7}, size_t{1023}, size_t{4099}}) {
    const Sample a(GetParam(), random_values(count, 1)), far(GetParam(), random_values(count, 2));
    Sample close = a;
    for (size_t i = 0; i < count; i += 3)
      close.next(i);
    for (const Sample* b : std::initializer_list<const Sample*>{&far, &close, &a}) {
      simd::level() = simd::Level::baseline;
      const auto expected = measure_all(a, *b);
      for (int level = 1; level <= static_cast<int>(detected_); ++level) {
        simd::level() = static_cast<simd::Level>(level);
        const auto actual = measure_all(a, *b);
        ASSERT_EQ(actual.size(), expected.size());
        EXPECT_EQ(std::memcmp(actual.data(), expected.data(), actual.size() * sizeof(double)), 0)
            << "level " << level << ", " << count << " elements";
      }
    }
  }
}

}  // namespace
}  // namespace parity::measure
