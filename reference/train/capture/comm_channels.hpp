// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "reference/comm/group.hpp"

namespace parity::reference {

/// Counts what this rank sent in each kind of collective during an update, as channels
/// "comm.<group>.<kind>.calls" and "comm.<group>.<kind>.bytes".
///
/// A channel needs a value at every update, so the first update defines the kinds. A kind that appears later
/// is not counted; one that does not appear again is 0.
class CommChannels {
 public:
  using Values = std::map<std::string, int64_t>;

  /// Stores the traffic so far.
  void begin(const Group& world) { before_ = world.traffic(); }
  /// Returns the traffic since begin(). Empty on one rank.
  Values end(const Group& world);

 private:
  std::map<std::string, Traffic> before_;
  std::vector<std::string> kinds_;  ///< "dp_replicate all_reduce"
  bool is_first_ = true;
};

}  // namespace parity::reference
