// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/exact/arithmetic/field.hpp"

#include <array>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace parity::reference::exact {
namespace {

constexpr std::array<uint64_t, 4> primes = {7, 1000003, 1125899906842679,
                                            2305843009213693951 - 0};  // the last: 2^61 - 1

RC_GTEST_PROP(FieldTest, ArithmeticIsThatOfWholeNumbersModuloThePrime, (uint64_t a, uint64_t b)) {
  for (const uint64_t p : primes) {
    const Field field(p);
    const uint64_t x = a % p, y = b % p;
    RC_ASSERT(field.add(x, y) == (static_cast<Wide>(x) + y) % p);
    RC_ASSERT(field.sub(x, y) == (static_cast<Wide>(x) + p - y) % p);
    RC_ASSERT(field.mul(x, y) == static_cast<Wide>(x) * y % p);
    RC_ASSERT(field.add(x, field.neg(x)) == 0U);
    RC_ASSERT(field.reduce_any(static_cast<Wide>(a) << 64 | b) == (static_cast<Wide>(a) << 64 | b) % p);
  }
}

RC_GTEST_PROP(FieldTest, AnInverseTimesItsNumberIsOne, (uint64_t a)) {
  for (const uint64_t p : primes) {
    const Field field(p);
    if (a % p != 0)
      RC_ASSERT(field.mul(a % p, field.inverse(a % p)) == 1U);
  }
}

RC_GTEST_PROP(FieldTest, MontgomerysFormMultipliesTheSame, (uint64_t a, uint64_t b)) {
  for (const uint64_t p : primes) {
    const Field field(p);
    const Montgomery form(field);
    for (const uint64_t x : {a % p, p - 1, uint64_t{0}}) {
      RC_ASSERT(form.out_of(form.into(x)) == x);
      RC_ASSERT(form.out_of(form.mul(form.into(x), form.into(b % p))) == field.mul(x, b % p));
      const uint64_t product = form.mul(2 * p - 1, 2 * p - 1);
      RC_ASSERT(product < 2 * p);
    }
  }
}

TEST(FieldTest, ZeroHasNoInverseAndPowersCount) {
  const Field field(1000003);
  EXPECT_EQ(field.inverse(0), 0U);
  EXPECT_EQ(field.power(2, 10), 1024U);
  EXPECT_EQ(field.power(5, 0), 1U);
}

}  // namespace
}  // namespace parity::reference::exact
