// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/tensor/conversions.hpp"

#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace parity {
namespace {

constexpr float inf = std::numeric_limits<float>::infinity();

/// A small float by its definition: sign, exponent and mantissa fields. No infinities or NaN.
double by_definition(unsigned bits, int exponent_bits, int mantissa_bits, int bias) {
  const unsigned mantissa = bits & ((1U << mantissa_bits) - 1);
  const auto exponent = static_cast<int>((bits >> mantissa_bits) & ((1U << exponent_bits) - 1));
  const double sign = (bits >> (exponent_bits + mantissa_bits)) & 1 ? -1 : 1;
  if (exponent == 0)
    return sign * std::ldexp(mantissa, 1 - bias - mantissa_bits);
  return sign * std::ldexp(mantissa + (1U << mantissa_bits), exponent - bias - mantissa_bits);
}

TEST(ConversionsTest, RoundToOdd_KeepsWhatFloat32Has) {
  for (const float value : {0.0F, -0.0F, 1.0F, -1.5F, 0x1p-149F, inf, -inf})
    EXPECT_EQ(std::signbit(round_to_odd(value)) ? -round_to_odd(value) : round_to_odd(value),
              std::abs(value));
  EXPECT_TRUE(std::isnan(round_to_odd(std::nan(""))));
  EXPECT_EQ(round_to_odd(1 + 0x1p-40), 1 + 0x1p-23F);
  EXPECT_EQ(round_to_odd(1 - 0x1p-40), 1 - 0x1p-24F);
  EXPECT_EQ(round_to_odd(-1 - 0x1p-40), -1 - 0x1p-23F);
  EXPECT_EQ(round_to_odd(1e300), std::numeric_limits<float>::max());
  EXPECT_EQ(round_to_odd(1e-300), 0x1p-149F);
}

TEST(ConversionsTest, EveryFiniteHalfHasItsDefinedValue) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    if ((bits & 0x7C00) == 0x7C00)
      continue;
    ASSERT_EQ(float16_to_float(static_cast<uint16_t>(bits)), by_definition(bits, 5, 10, 15)) << bits;
  }
}

TEST(ConversionsTest, EveryHalfSurvivesTheRoundTrip) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    if ((bits & 0x7C00) == 0x7C00 && (bits & 0x3FF) != 0) {
      ASSERT_TRUE(std::isnan(float16_to_float(float_to_float16(float16_to_float(half)))));
    } else {
      ASSERT_EQ(float_to_float16(float16_to_float(half)), half);
    }
  }
}

TEST(ConversionsTest, HalvesRoundToNearestEven) {
  EXPECT_EQ(float_to_float16(1.0F + 0x1p-11F), 0x3C00);  // tie, to even
  EXPECT_EQ(float_to_float16(1.0F + 0x1p-11F + 0x1p-20F), 0x3C01);
  EXPECT_EQ(float_to_float16(1.0F + 3 * 0x1p-11F), 0x3C02);  // tie, to even
  EXPECT_EQ(float_to_float16(2.0F - 0x1p-12F), 0x4000);      // carries into the exponent
  EXPECT_EQ(float_to_float16(0x1p-25F), 0);                  // tie at half the smallest subnormal
  EXPECT_EQ(float_to_float16(0x1.8p-25F), 1);
  EXPECT_EQ(float_to_float16(65519.0F), 0x7BFF);
  EXPECT_EQ(float_to_float16(65520.0F), 0x7C00);
  EXPECT_EQ(float_to_float16(-inf), 0xFC00);
  EXPECT_EQ(float_to_float16(-0.0F), 0x8000);
}

TEST(ConversionsTest, EveryBfloat16SurvivesTheRoundTrip) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const float value = bfloat16_to_float(static_cast<uint16_t>(bits));
    if (std::isnan(value)) {
      ASSERT_TRUE(std::isnan(bfloat16_to_float(float_to_bfloat16(value))));
    } else {
      ASSERT_EQ(float_to_bfloat16(value), bits);
    }
  }
}

TEST(ConversionsTest, Bfloat16RoundsToNearestEven) {
  EXPECT_EQ(float_to_bfloat16(1.0F + 0x1p-8F), 0x3F80);
  EXPECT_EQ(float_to_bfloat16(1.0F + 3 * 0x1p-8F), 0x3F82);
  EXPECT_EQ(float_to_bfloat16(1.0F + 0x1p-8F + 0x1p-23F), 0x3F81);
  EXPECT_EQ(float_to_bfloat16(std::numeric_limits<float>::max()), 0x7F80);
  EXPECT_TRUE(std::isnan(bfloat16_to_float(float_to_bfloat16(std::bit_cast<float>(0x7F800001U)))));
}

TEST(ConversionsTest, EveryFloat8HasItsDefinedValue) {
  for (unsigned bits = 0; bits < 0x100; ++bits) {
    if ((bits & 0x7F) == 0x7F) {
      EXPECT_TRUE(std::isnan(float8_e4m3fn_values[bits]));
    } else {
      EXPECT_EQ(float8_e4m3fn_values[bits], by_definition(bits, 4, 3, 7)) << bits;
    }
    if ((bits & 0x7C) == 0x7C)
      continue;
    EXPECT_EQ(float8_e5m2_values[bits], by_definition(bits, 5, 2, 15)) << bits;
  }
  EXPECT_EQ(float8_e4m3fn_values[0x7E], 448);
  EXPECT_EQ(float8_e5m2_values[0x7C], inf);
  EXPECT_EQ(float8_e5m2_values[0xFC], -inf);
  EXPECT_TRUE(std::isnan(float8_e5m2_values[0x7D]));
}

TEST(ConversionsTest, WidensOneElementOfEveryDtype) {
  const double f64 = -0.1;
  const float f32 = 0.1F;
  const uint16_t bf16 = 0xC049, f16 = 0xC248;
  const uint8_t e4m3 = 0xC0, e5m2 = 0xC0, u8 = 200, yes = 1;
  const int64_t i64 = -(int64_t{1} << 53);
  const int32_t i32 = -70000;
  const int16_t i16 = -300;
  const int8_t i8 = -128;
  EXPECT_EQ(widen(DType::float64, &f64), -0.1);
  EXPECT_EQ(widen(DType::float32, &f32), static_cast<double>(0.1F));
  EXPECT_EQ(widen(DType::bfloat16, &bf16), -3.140625);
  EXPECT_EQ(widen(DType::float16, &f16), -3.140625);
  EXPECT_EQ(widen(DType::float8_e4m3fn, &e4m3), -2);
  EXPECT_EQ(widen(DType::float8_e5m2, &e5m2), -2);
  EXPECT_EQ(widen(DType::int64, &i64), -0x1p53);
  EXPECT_EQ(widen(DType::int32, &i32), -70000);
  EXPECT_EQ(widen(DType::int16, &i16), -300);
  EXPECT_EQ(widen(DType::int8, &i8), -128);
  EXPECT_EQ(widen(DType::uint8, &u8), 200);
  EXPECT_EQ(widen(DType::bool8, &yes), 1);
}

}  // namespace
}  // namespace parity
