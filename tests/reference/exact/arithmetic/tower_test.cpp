// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/exact/arithmetic/tower.hpp"

#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace parity::reference::exact {
namespace {

TEST(TowerTest, PrimesDivideEachOthersGroupsAndAreThreeModuloFour) {
  std::set<uint64_t> seen;
  for (uint64_t key = 0; key < 20; ++key) {
    const Tower tower(key, 4);
    seen.insert(tower.field(0).prime());
    for (int64_t level = 0; level < 4; ++level) {
      EXPECT_TRUE(is_prime(tower.field(level).prime()));
      EXPECT_EQ(tower.field(level).prime() % 4, 3U);
      if (level > 0) {
        EXPECT_EQ((tower.field(level - 1).prime() - 1) % tower.field(level).prime(), 0U);
      }
    }
    EXPECT_GT(tower.field(0).prime() >> 52U, 0U) << key;
    EXPECT_EQ(tower.field(0).prime() >> 61U, 0U) << key;
    EXPECT_GT(tower.field(3).prime() >> 40U, 0U) << key;
  }
  EXPECT_EQ(seen.size(), 20U) << "each key has its own primes";
}

RC_GTEST_PROP(TowerTest, ExponentialsOfSumsAreProducts, (uint64_t a, uint64_t b)) {
  static const Tower tower(7, 3);
  for (int64_t level = 0; level < 2; ++level) {
    const Field &here = tower.field(level), &above = tower.field(level + 1);
    const uint64_t x = a % above.prime(), y = b % above.prime();
    RC_ASSERT(tower.exp(level, above.add(x, y)) == here.mul(tower.exp(level, x), tower.exp(level, y)));
  }
  RC_ASSERT(tower.exp(0, 0) == 1U);
}

TEST(TowerTest, ProjectionKeepsOrderAndMakesRootsUnique) {
  const Tower tower(7, 2);
  const uint64_t y = tower.project(12345);
  EXPECT_NE(y, 1U);
  EXPECT_EQ(tower.field(0).power(y, tower.field(1).prime()), 1U);
}

TEST(TowerTest, ConstantsAreTheRationalNumbersThatTheyAre) {
  const Tower tower(3, 2);
  for (int64_t level = 0; level < 2; ++level) {
    const Field& field = tower.field(level);
    const auto times = [&](double value, uint64_t n) { return field.mul(tower.constant(level, value), n); };
    EXPECT_EQ(tower.constant(level, 0), 0U);
    EXPECT_EQ(tower.constant(level, 5), 5U);
    EXPECT_EQ(tower.constant(level, -5), field.prime() - 5);
    EXPECT_EQ(times(0.375, 8), 3U);
    EXPECT_EQ(field.mul(tower.constant(level, 0x1p-1074), field.power(2, 1074)), 1U);
    EXPECT_EQ(tower.constant(level, 0x1p1000), field.power(2, 1000));
    EXPECT_NE(times(0.1, 10), 1U) << "the double 0.1 is not a tenth";
    EXPECT_NE(tower.constant(level, 1e-5), tower.constant(level, static_cast<double>(1e-5F)));
  }
}

TEST(TowerTest, DecimalConstantsAreWhatSomebodyWrote) {
  const Tower tower(3, 1, Constants::decimal);
  const Field& field = tower.field(0);
  EXPECT_EQ(field.mul(tower.constant(0, 0.1), 10), 1U);
  EXPECT_EQ(field.mul(tower.constant(0, -2.5e-7), 10000000), field.neg(field.mul(25, field.inverse(10))));
  EXPECT_EQ(tower.constant(0, 1e-5), tower.constant(0, static_cast<double>(1e-5F)));
  EXPECT_EQ(tower.constant(0, 1e20), field.power(10, 20));
}

TEST(TowerTest, FractionsAreWhatSomebodyDivided) {
  const Tower tower(3, 1, Constants::fraction);
  const Field& field = tower.field(0);
  for (const int64_t p : {1, 2, 5, 1999})
    for (const int64_t q : {3, 7, 768, 1000003}) {
      const uint64_t value = tower.constant(0, static_cast<double>(p) / static_cast<double>(q));
      EXPECT_EQ(field.mul(value, static_cast<uint64_t>(q)), static_cast<uint64_t>(p)) << p << "/" << q;
    }
  EXPECT_EQ(field.mul(tower.constant(0, static_cast<double>(2 / 768.0F)), 768), 2U);
  EXPECT_EQ(tower.constant(0, -1 / 3.0), field.neg(field.inverse(3)));
  EXPECT_EQ(tower.constant(0, 1e-5), tower.constant(0, static_cast<double>(1e-5F)));
  EXPECT_EQ(field.mul(tower.constant(0, 1e-12), field.power(10, 12)), 1U)
      << "too fine for a fraction: a decimal";
}

TEST(TowerTest, FractionsTellDoublesApart) {
  const Tower tower(3, 1, Constants::fraction);
  double x = 1 / 3.0;
  std::set<uint64_t> found;
  for (int i = 0; i < 1000; ++i, x = std::nextafter(x, 1.0))
    found.insert(tower.constant(0, x));
  EXPECT_EQ(found.size(), 1000U);
  EXPECT_NE(tower.constant(0, 1e-5), tower.constant(0, 1e-5 * (1 + 1e-10)));
}

TEST(TowerTest, HashesDependOnKeyLevelFunctionAndNumber) {
  const Tower tower(1, 2), other(2, 2);
  EXPECT_EQ(tower.hash(0, 5, 9), tower.hash(0, 5, 9));
  EXPECT_NE(tower.hash(0, 5, 9), tower.hash(0, 5, 10));
  EXPECT_NE(tower.hash(0, 5, 9), tower.hash(0, 6, 9));
  EXPECT_NE(tower.hash(0, 5, 9), tower.hash(1, 5, 9));
  EXPECT_NE(tower.hash(0, 5, 9), other.hash(0, 5, 9));
}

TEST(TowerTest, PrimesAreTold) {
  EXPECT_TRUE(is_prime(2));
  EXPECT_TRUE(is_prime(2305843009213693951));  // 2^61 - 1
  EXPECT_FALSE(is_prime(1));
  EXPECT_FALSE(is_prime(3215031751));  // a strong pseudoprime to 2, 3, 5 and 7
  EXPECT_FALSE(is_prime(1000003ULL * 1000033));
}

}  // namespace
}  // namespace parity::reference::exact
