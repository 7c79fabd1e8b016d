// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

namespace parity {

/// Object keys are sorted, so `dump()` of equal values gives equal bytes: the canonical form.
using Json = nlohmann::json;

}  // namespace parity
