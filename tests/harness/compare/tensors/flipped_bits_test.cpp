// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/tensors/flipped_bits.hpp"

#include <bit>

#include <gtest/gtest.h>

namespace parity::compare {
namespace {

std::vector<float> ramp() {
  std::vector<float> values(300);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = 0.25F * static_cast<float>(i) - 7;
  return values;
}

TensorView view(const std::vector<float>& values) {
  return {DType::float32, {static_cast<int64_t>(values.size())}, values.data()};
}

std::vector<float> with_flip(std::vector<float> values, size_t element, int bit) {
  values.at(element) = std::bit_cast<float>(std::bit_cast<uint32_t>(values.at(element)) ^ (1U << bit));
  return values;
}

TEST(FlippedBitsTest, TwoTensors_CountsElementsAndBits) {
  const std::vector<float> expected = ramp();
  const std::vector<float> actual = with_flip(with_flip(expected, 3, 0), 200, 31);
  const FlippedBits found = flipped_bits(view(expected), view(actual));
  EXPECT_EQ(found.elements, 2);
  EXPECT_EQ(found.first, 3);
  EXPECT_EQ(found.text(), "2 of 300 elements, first 3, bits 0, 31 (fraction, sign)");
}

TEST(FlippedBitsTest, EqualTensors_CountsNone) {
  EXPECT_EQ(flipped_bits(view(ramp()), view(ramp())).elements, 0);
}

class FlippedBitTest : public testing::TestWithParam<int> {};

TEST_P(FlippedBitTest, Digest_TellsElementAndBit) {
  const std::vector<float> expected = ramp();
  const std::vector<float> actual = with_flip(expected, 123, GetParam());
  const auto found = find_flipped_bit(view(expected), measure::digest_of(view(actual)));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->first, 123);
  EXPECT_EQ(found->flips.at(static_cast<size_t>(GetParam())), 1);
}

INSTANTIATE_TEST_SUITE_P(Bits, FlippedBitTest, testing::Values(0, 12, 23, 30, 31));

TEST(FlippedBitsTest, DigestOfMoreFlips_FindsNone) {
  const std::vector<float> expected = ramp(), two = with_flip(with_flip(expected, 1, 4), 2, 4);
  EXPECT_FALSE(find_flipped_bit(view(expected), measure::digest_of(view(two))));
  EXPECT_FALSE(find_flipped_bit(view(expected), measure::digest_of(view(expected))));
}

}  // namespace
}  // namespace parity::compare
