// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "harness/bisect/golden/gap.hpp"
#include "harness/bisect/search_record.hpp"

namespace parity::bisect {

/// Returns the stage that names the first stored tensor that differs, and what was not compared because only
/// the golden or only the run has it. Nothing if neither has a tensor.
std::optional<SearchStage> golden_tensor_stage(const GoldenGap& gap);

}  // namespace parity::bisect
