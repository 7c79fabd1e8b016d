// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/traces/not_a_number.hpp"

#include <cmath>

#include <fmt/format.h>

namespace parity::compare {

std::string describe_not_a_number(const trace::Trace& trace) {
  for (size_t i = 0; i < trace.steps().size(); ++i)
    for (const auto& [name, channel] : trace.channels()) {
      const auto* values = std::get_if<std::vector<double>>(&channel.values);
      if (values != nullptr && channel.kind != trace::ChannelKind::timing && std::isnan((*values)[i]))
        return fmt::format("{} is NaN at step {}", name, trace.steps()[i]);
    }
  return "";
}

}  // namespace parity::compare
