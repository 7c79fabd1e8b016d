// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// The search with the trainer that is really started: a fault is found at its step, phase, tensor and rank.
#include <gmock/gmock.h>

#include "tests/suite/planted_fault.hpp"

namespace parity {
namespace {

using FaultSearchTest = PlantedFaultTest;

TEST_F(FaultSearchTest, TwentySeededFaultsAreFoundWhereTheyAre) {
  int64_t exact = 0;
  EXPECT_THAT(campaign(20, 20261122, exact), testing::IsEmpty());
  EXPECT_EQ(exact, 20);
}

}  // namespace
}  // namespace parity
