// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/base/json/json.hpp"

namespace parity::reference {

/// Returns the schema that another program needs to check a case and fill in defaults:
///
///     {"schema": "parity.config/1", "keys": {"lr.base": {"type", "default", "numeric", "doc", "values"?}},
///      "channels": ["loss", ...]}
Json config_schema();

}  // namespace parity::reference
