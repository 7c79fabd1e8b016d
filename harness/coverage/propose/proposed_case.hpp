// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/suite/cases/flat_config.hpp"

namespace parity::coverage {

/// An arm that computes what the plain arm of its case computes, in another way.
struct ProposedArm {
  std::string name;
  suite::FlatConfig settings;    ///< that differ from the base
  std::vector<size_t> features;  ///< all that it has
  int64_t ranks = 1;
  bool same_bits = false;  ///< its trial had the bits of the plain arm
  /// Settings with fewer features, the shortest first: what is left if the trainer refuses `settings`.
  std::vector<suite::FlatConfig> shorter = {};
};

/// A case whose arms are equivalent by construction. Its base decides the mathematics and has the plain arm's
/// settings; the other arms only compute it in another way.
struct ProposedCase {
  std::string name;
  suite::FlatConfig base;
  std::vector<size_t> features;  ///< of the plain arm
  std::vector<ProposedArm> arms;
  std::vector<suite::FlatConfig> shorter = {};  ///< as of an arm
};

}  // namespace parity::coverage
