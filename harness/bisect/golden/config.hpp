// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/bisect/golden/gap.hpp"

namespace parity {

/// What can be asked where an arm's config is not the one its golden was recorded with: the golden's values,
/// written as a run config below OUT/bisect, against the arm.
struct GoldenConfigCommands {
  std::string options;  ///< which of the keys carry the difference
  std::string runs;     ///< where the two runs part
};

/// Both "" where nothing can run with these values any more, or the arm is a command.
GoldenConfigCommands golden_config_commands(const GoldenRuns& runs, const GoldenGap& gap,
                                            const RunSettings& options);

}  // namespace parity
