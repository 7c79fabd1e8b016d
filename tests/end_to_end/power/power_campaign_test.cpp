// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// The large campaign: minutes of training. Label slow, which the test presets leave out.
#include "tests/end_to_end/power/power_case.hpp"

namespace parity {
namespace {

using NoOpCampaign = PowerTest;

TEST_F(NoOpCampaign, TwoHundredNoOpPairsRaiseNoAlarm) {
  const suite::Case source = accumulation();
  const power::FalseAlarms found = power::false_alarms(source, "pieces", 200, 1, options(), progress_);
  EXPECT_EQ(found.all().trials, 200);
  for (const power::FalseAlarm& alarm : found.alarms)
    ADD_FAILURE() << alarm.change << " with seed " << alarm.seed << ": " << alarm.sentence;
}

}  // namespace
}  // namespace parity
