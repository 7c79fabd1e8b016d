// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "reference/comm/group.hpp"

namespace parity::reference {

/// What this rank gave to each kind of collective during an update: the difference of two looks at its
/// group's traffic, as channels "comm.<group>.<kind>.calls" and "comm.<group>.<kind>.bytes".
///
/// A channel has a value at every update, so the kinds are those of the first update; one that comes up later
/// is not counted, one that does not come again is 0.
class CommChannels {
 public:
  using Values = std::map<std::string, int64_t>;

  /// Remembers the traffic up to here.
  void begin(const Group& world) { before_ = world.traffic(); }
  /// What came since. Empty on one rank.
  Values end(const Group& world);

 private:
  std::map<std::string, Traffic> before_;
  std::vector<std::string> kinds_;  ///< "dp_replicate all_reduce"
  bool is_first_ = true;
};

}  // namespace parity::reference
