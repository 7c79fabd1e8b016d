// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/bisect/options/findings.hpp"
#include "harness/bisect/options/sides.hpp"
#include "harness/bisect/search_record.hpp"

namespace parity::bisect {

/// Returns the record of a search for options: sentence, stages and numbers.
SearchRecord option_record(const OptionFindings& found, const OptionSides& sides);

}  // namespace parity::bisect
