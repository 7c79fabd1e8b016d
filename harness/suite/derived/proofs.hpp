// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/suite/cases/case.hpp"

namespace parity::suite {

/// Adds a check of exact twins for each pair of arms that the case claims to be equivalent or distinct:
/// same_function where every such claim is `equivalent`, else other_function. Leaves out pairs that have one
/// already, and arms that parity-train does not run.
void add_proofs(Case& item);

}  // namespace parity::suite
