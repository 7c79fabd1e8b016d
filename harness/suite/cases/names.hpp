// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "harness/suite/cases/case.hpp"

namespace parity::suite {

/// Renames cases that share a name, so that no two cases of one command share results.
///
/// Each gets as many folders of its path as a prefix as make its name unique. `one/case.toml` and
/// `two/case.toml`, both outside `cases`, become one/case and two/case. Files and goldens do not move.
void make_names_unique(std::vector<Case>& cases);

}  // namespace parity::suite
