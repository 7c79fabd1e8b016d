// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/api/include/parity/check.hpp"
#include "harness/compare/checks/check.hpp"

namespace parity::facade {

/// Returns the public form of a result, whose rows are JSON inside the tree.
api::CheckResult outer_result(const compare::CheckResult& result);

}  // namespace parity::facade
