// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/data/order/epoch_order.hpp"

#include <bit>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <utility>

#include "harness/base/error.hpp"

namespace parity::reference {
namespace {

/// Returns a uniform number of 0 .. most. Source: NumPy, random_interval.
uint32_t interval(std::mt19937& generator, uint32_t most) {
  const auto mask = static_cast<uint32_t>((uint64_t{1} << std::bit_width(most)) - 1);
  uint32_t value = 0;
  do
    value = static_cast<uint32_t>(generator()) & mask;
  while (value > most);
  return value;
}

}  // namespace

std::vector<int64_t> shuffled(int64_t count, uint32_t seed) {
  if (count > std::numeric_limits<uint32_t>::max())
    throw UserError("cannot shuffle " + std::to_string(count) +
                    " items (more than 32 bits number); set data.shuffle = false");
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  std::mt19937 generator(seed);
  for (size_t i = order.size() - 1; i > 0; --i)
    std::swap(order[i], order[interval(generator, static_cast<uint32_t>(i))]);
  return order;
}

int64_t EpochOrder::at(int64_t index) {
  if (const int64_t epoch = index / count_; epoch != epoch_) {
    order_ = shuffled(count_, static_cast<uint32_t>(seed_ + epoch));
    epoch_ = epoch;
  }
  return order_[static_cast<size_t>(index % count_)];
}

}  // namespace parity::reference
