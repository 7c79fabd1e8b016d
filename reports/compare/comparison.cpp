// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/compare/comparison.hpp"

#include <numeric>

namespace parity::reports {

std::string ComparedChannel::verdict() const {
  const auto differs = std::ranges::find(rows, false, &ComparedRow::agrees);
  if (differs != rows.end())
    return differs->verdict;
  return rows.empty() ? "" : rows.front().verdict;
}

std::vector<size_t> curve_order(const std::vector<ComparedChannel>& channels) {
  std::vector<size_t> order(channels.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto rank = [&](size_t place) {
    return channels[place].name == "loss" ? 0 : channels[place].agrees() ? 2 : 1;
  };
  std::ranges::stable_sort(order, {}, rank);
  return order;
}

}  // namespace parity::reports
