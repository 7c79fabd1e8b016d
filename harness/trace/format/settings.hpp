// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace parity::trace {

/// Returns whether a channel only says how a run was set up: a setting of an optimizer's parameter group (lr,
/// beta1, lr.1 of the second group), or a count of tokens. Runs, or ranks, with equal ones can train
/// differently.
inline bool is_setting(std::string_view channel) {
  constexpr std::array<std::string_view, 9> settings = {
      "lr", "muon_lr", "beta1", "beta2", "eps", "momentum", "weight_decay", "tokens", "valid_tokens"};
  return std::ranges::find(settings, channel.substr(0, channel.find('.'))) != settings.end();
}

}  // namespace parity::trace
