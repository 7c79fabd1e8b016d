// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/format/channel.hpp"

namespace parity::trace {

std::vector<double> Channel::as_double() const {
  return std::visit([](const auto& list) { return std::vector<double>(list.begin(), list.end()); }, values);
}

}  // namespace parity::trace
