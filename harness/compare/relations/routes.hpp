// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "harness/compare/checks/check.hpp"
#include "harness/compare/sides/side.hpp"

namespace parity::compare {

/// Returns whether a check is about the routes of mixtures of experts (trace/format/routes.hpp). Such a check
/// records their values, also where digests would do.
bool is_of_routes(const Check& check);

/// Adds to the result of a check of routes how far the choices of experts agree: a sentence for each pair of
/// arms, and numbers for the first. Whether the check passes is the relation's.
void add_route_agreement(CheckResult& result, const Check& check, const std::vector<Side>& sides);

}  // namespace parity::compare
