// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/base/enum_names.hpp"

namespace parity::results {

/// The kinds of checks.
enum class CheckKind {
  pair,      ///< a claim of the case file about its arms
  training,  ///< the loss of an arm fell
  replicas,  ///< ranks that hold the same tensor hold the same bits
  laws,      ///< the laws of training hold in the run of an arm
  golden,    ///< an arm agrees with its golden
};

constexpr auto enum_names(CheckKind) {
  return named<CheckKind::golden>("kind of check", {"pair", "training", "replicas", "laws", "golden"});
}

}  // namespace parity::results
