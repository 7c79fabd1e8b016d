// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/results/case.hpp"

namespace parity::results {

/// Returns a case as it is in results.json (schema parity.results/2). read_case() reads the same case back.
Json to_json(const Case& item);

}  // namespace parity::results
