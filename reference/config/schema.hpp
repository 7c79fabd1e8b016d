// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/base/json.hpp"

namespace parity::reference {

/// {"schema": "parity.config/1", "keys": {"lr.base": {"type", "default", "numeric", "doc", "values"?}},
/// "channels": ["loss", ...]}: what another program needs to check a case and fill in defaults.
Json config_schema();

}  // namespace parity::reference
