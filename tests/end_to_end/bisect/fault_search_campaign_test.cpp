// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// The large campaign: an hour of training. Label slow, which the test presets leave out.
#include <gmock/gmock.h>

#include "tests/end_to_end/faults/planted_fault.hpp"

namespace parity {
namespace {

using FaultSearchCampaign = PlantedFaultTest;

TEST_F(FaultSearchCampaign, ThreeHundredFaults_99PercentAreLocated) {
  int64_t exact = 0;
  const std::vector<std::string> wrong = campaign(300, 1, exact);
  EXPECT_GE(exact, 297);
  for (const std::string& words : wrong)
    std::printf("not exact: %s\n", words.c_str());
}

}  // namespace
}  // namespace parity
