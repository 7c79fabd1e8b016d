// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "harness/base/enum_names.hpp"

namespace parity::trace {

/// Numeric channels are compared and stored in goldens; timing channels are only shown. A per_rank channel is
/// a numeric channel for which each rank records its own values. A reader gets the largest value of each
/// step, and the smallest as "NAME.min" if the ranks differ.
enum class ChannelKind { numeric, timing, per_rank };

constexpr auto enum_names(ChannelKind) {
  return named<ChannelKind::per_rank>("kind of channel", {"numeric", "timing", "per_rank"});
}

/// A scalar per step, stored exactly.
struct Channel {
  ChannelKind kind = ChannelKind::numeric;
  std::variant<std::vector<double>, std::vector<int64_t>> values;  ///< one per step of Trace::steps

  std::vector<double> as_double() const;  ///< int64 values widened
};

}  // namespace parity::trace
