// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/tensor/digest.hpp"

#include <set>

#include <gtest/gtest.h>

#include "tests/support/traces/samples.hpp"

namespace parity::measure {
namespace {

class DigestTest : public testing::TestWithParam<DType> {};
INSTANTIATE_TEST_SUITE_P(Dtypes, DigestTest, testing::ValuesIn(all_dtypes()),
                         [](const auto& row) { return std::string(name_of(row.param)); });

TEST(DigestOfTest, EmptyIsZeroAndAnElementOfZeroBitsIsNot) {
  EXPECT_EQ(digest_of({DType::float32, {0}, nullptr}), Digest{});
  EXPECT_NE(digest_of(Sample(DType::float32, {0.0}).view), Digest{});
  EXPECT_NE(digest_of(Sample(DType::float32, {0.0, 0.0}).view),
            digest_of(Sample(DType::float32, {0.0}).view));
}

TEST(DigestOfTest, PrintsHighHalfFirst) {
  EXPECT_EQ(to_string(Digest{0x0123456789abcdef, 0xfedcba9876543210}), "fedcba98765432100123456789abcdef");
}

TEST_P(DigestTest, PartsAddUpToTheWhole) {
  const Sample whole(GetParam(), random_values(1000));
  for (const int64_t cut : {0, 1, 63, 64, 777, 1000}) {
    const TensorView front{GetParam(), {cut}, whole.bytes.data()};
    const TensorView back{
        GetParam(), {1000 - cut}, whole.bytes.data() + static_cast<size_t>(cut) * size_of(GetParam())};
    Digest sum = digest_of(front);
    sum += digest_of(back, static_cast<uint64_t>(cut));
    EXPECT_EQ(sum, digest_of(whole.view)) << cut;
  }
}

TEST_P(DigestTest, NextBitPatternOfAnyElementChangesBothHalves) {
  const Sample whole(GetParam(), random_values(100));
  for (size_t i = 0; i < 100; ++i) {
    Sample other = whole;
    other.next(i);
    EXPECT_NE(digest_of(other.view).low, digest_of(whole.view).low);
    EXPECT_NE(digest_of(other.view).high, digest_of(whole.view).high);
  }
}

TEST(DigestOfTest, SwappedElementsAndFlippedSignsAreSeen) {
  const Sample one(DType::float32, {1, 2, 3, 4});
  std::set<Digest> digests = {digest_of(one.view)};
  digests.insert(digest_of(Sample(DType::float32, {2, 1, 3, 4}).view));
  digests.insert(digest_of(Sample(DType::float32, {3, 4, 1, 2}).view));
  digests.insert(digest_of(Sample(DType::float32, {-1, -2, -3, -4}).view));
  digests.insert(digest_of(Sample(DType::float32, {-1, -2, 3, 4}).view));
  digests.insert(digest_of(Sample(DType::float32, {1, -2, -3, 4}).view));
  EXPECT_EQ(digests.size(), 6);
}

TEST(DigestOfTest, SignOfZeroAndPayloadOfNanCount) {
  Sample nan(DType::float32, {0.0}), other_nan = nan;
  nan.put(0, 0x7FC00000U);
  other_nan.put(0, 0x7FC00001U);
  EXPECT_NE(digest_of(nan.view), digest_of(other_nan.view));
  EXPECT_NE(digest_of(Sample(DType::float32, {0.0}).view), digest_of(Sample(DType::float32, {-0.0}).view));
}

TEST(DigestOfTest, NoTwoPairsOfSignFlipsCollideInEitherHalf) {
  // Flipping two signs moves each sum by two terms that structured mixing could let cancel.
  const auto values = random_values(256, 7);
  const Sample base(DType::float32, values);
  std::set<uint64_t> low, high;
  size_t pairs = 0;
  for (size_t i = 0; i < values.size(); ++i)
    for (size_t j = i + 1; j < values.size(); ++j) {
      Sample flipped = base;
      flipped.set(i, -values[i]);
      flipped.set(j, -values[j]);
      const Digest digest = digest_of(flipped.view);
      low.insert(digest.low);
      high.insert(digest.high);
      ++pairs;
    }
  low.insert(digest_of(base.view).low);
  high.insert(digest_of(base.view).high);
  EXPECT_EQ(low.size(), pairs + 1);
  EXPECT_EQ(high.size(), pairs + 1);
}

}  // namespace
}  // namespace parity::measure
