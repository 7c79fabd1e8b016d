// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/capture/comm_channels.hpp"

#include "reference/config/channels.hpp"

namespace parity::reference {

CommChannels::Values CommChannels::end(const Group& world) {
  const std::map<std::string, Traffic>& now = world.traffic();
  if (is_first_)
    for (const auto& [kind, traffic] : now)
      if (traffic.calls > before_[kind].calls)
        kinds_.push_back(kind);
  is_first_ = false;
  Values values;
  for (const std::string& kind : kinds_) {
    const size_t space = kind.find(' ');
    const std::string group = kind.substr(0, space), collective = kind.substr(space + 1);
    values[comm_channel(group, collective, "calls")] = now.at(kind).calls - before_[kind].calls;
    values[comm_channel(group, collective, "bytes")] = now.at(kind).bytes - before_[kind].bytes;
  }
  return values;
}

}  // namespace parity::reference
