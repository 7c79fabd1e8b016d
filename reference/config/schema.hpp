// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/base/json.hpp"

namespace parity::reference {

/// {"schema": "parity.config/1", "keys": {"lr.base": {"type", "default", "numeric", "doc", "values"?}}}: what
/// another program needs to check keys and fill in defaults.
Json config_schema();

}  // namespace parity::reference
