// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/processes/signals.hpp"

#include <csignal>

#include <gtest/gtest.h>

namespace parity {
namespace {

TEST(InterruptGuardTest, AnInnerGuardChangesNothing) {
  const InterruptGuard outer;
  {
    const InterruptGuard inner;
  }
  ASSERT_EQ(std::raise(SIGINT), 0);  // ends this program unless the outer guard still stands
  EXPECT_TRUE(interrupted());
  {
    const InterruptGuard inner;
  }
  EXPECT_TRUE(interrupted()) << "an inner guard must not forget the signal";
}

TEST(InterruptGuardTest, ANewOuterGuardBeginsAnew) {
  {
    const InterruptGuard first;
    ASSERT_EQ(std::raise(SIGTERM), 0);
  }
  EXPECT_TRUE(interrupted());
  const InterruptGuard second;
  EXPECT_FALSE(interrupted());
}

}  // namespace
}  // namespace parity
