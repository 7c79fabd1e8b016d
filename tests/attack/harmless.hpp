// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "harness/compare/checks/check.hpp"

namespace parity::attack {

/// A mutation under which a claim still holds, and why that is correct.
struct Harmless {
  compare::Relation relation;
  std::string_view mutation;  ///< glob over names of mutations
  std::string_view reason;
};

std::span<const Harmless> harmless_rows();

/// Returns why a claim may still hold after a mutation; "" if it must fail.
std::string_view reason_to_hold(compare::Relation relation, const std::string& mutation);

}  // namespace parity::attack
