// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "harness/suite/content_hash.hpp"
#include "harness/suite/plan.hpp"

namespace parity {

/// What planning must know of this machine and of a trainer whose schema lies beside it.
/// \param hashes  must outlive what is returned
PlanContext plan_context(const std::filesystem::path& trainer, ContentHashes& hashes);

}  // namespace parity
