// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/power/measure_power.hpp"
#include "tests/end_to_end/trained_case.hpp"

namespace parity {

/// A case with a golden, small enough to run a hundred times.
class PowerTest : public TrainedCaseTest {
 protected:
  /// Micro-batches against a whole batch, of five updates: equal up to rounding, with a golden of both.
  suite::Case accumulation() const {
    const std::string text = base() +
                             "[arms.whole]\nsteps = 5\n[arms.pieces]\nsteps = 5\ndata.micro_batches = 4\n" +
                             check("channel = [\"loss\", \"grad_norm\"]", "equivalent") +
                             check("tensor = \"*\"\nphase = \"grad\"", "equivalent", "steps = [1, 1]");
    const Json item = run_trainer(text, golden::GoldenMode::create_missing);
    EXPECT_TRUE(item.at("passed").get<bool>()) << failures(item);
    return write_case("c", text);
  }

  Progress progress_{stderr, false};
};

}  // namespace parity
