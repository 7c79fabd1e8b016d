// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/bisect/golden/gap.hpp"

namespace parity::bisect {

/// Commands for an arm whose config is not the one of its golden. They compare the arm with a run config of
/// the golden's values, written below OUT/bisect.
struct GoldenConfigCommands {
  std::string options;  ///< finds the keys that cause the difference
  std::string runs;     ///< finds where the two runs diverge
};

/// Returns the commands. Both are "" if the trainer no longer accepts the golden's values, or the arm is a
/// command.
GoldenConfigCommands golden_config_commands(const GoldenRuns& runs, const GoldenGap& gap,
                                            const suite::RunSettings& options);

}  // namespace parity::bisect
