// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "harness/suite/cases/case.hpp"

namespace parity {

/// Gives cases of one name other names, so that no two of one command share results: each gets as many
/// folders of its path in front as tell it apart. `one/case.toml` and `two/case.toml`, both outside `cases`,
/// become one/case and two/case. Files and goldens stay where they are.
void tell_apart(std::vector<Case>& cases);

}  // namespace parity
