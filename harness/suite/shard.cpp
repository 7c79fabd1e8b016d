// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/shard.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "harness/base/error.hpp"

namespace parity::suite {
namespace {

/// One shard during the assignment of cases.
struct Hand {
  double cost = 0;
  std::set<std::string> runs;

  double added_by(const ShardItem& item) const {
    double sum = 0;
    for (const auto& [id, cost_of_run] : item.runs)
      sum += runs.contains(id) ? 0 : cost_of_run;
    return sum;
  }
  void take(const ShardItem& item) {
    cost += added_by(item);
    for (const auto& entry : item.runs)
      runs.insert(entry.first);
  }
};

double total(const ShardItem& item) {
  return Hand().added_by(item);
}

bool parse_number(std::string_view text, int& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace

SuiteShard parse_shard(const std::string& text) {
  const size_t slash = text.find('/');
  SuiteShard shard;
  if (slash == std::string::npos || !parse_number(std::string_view(text).substr(0, slash), shard.index) ||
      !parse_number(std::string_view(text).substr(slash + 1), shard.count) || shard.index < 1 ||
      shard.index > shard.count)
    throw UserError(
        fmt::format("invalid --shard '{}' (expected I/N with 1 <= I <= N); for example, use --shard 1/3 on "
                    "the first of three machines",
                    text));
  return shard;
}

std::vector<int> deal(const std::vector<ShardItem>& items, int count) {
  std::vector<size_t> order(items.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const double cost_a = total(items[a]);
    const double cost_b = total(items[b]);
    return cost_a != cost_b ? cost_a > cost_b : items[a].name < items[b].name;
  });
  // At most as many hands as cases, since the others would stay empty.
  std::vector<Hand> hands(std::clamp<size_t>(items.size(), 1, static_cast<size_t>(count)));
  std::vector<int> shards(items.size(), 1);
  for (const size_t i : order) {
    // The new total cost of the shard, with the added cost counted twice: a run in two shards wastes time.
    const auto price = [&](const Hand& hand) { return hand.cost + 2 * hand.added_by(items[i]); };
    const auto best = std::min_element(hands.begin(), hands.end(),
                                       [&](const Hand& a, const Hand& b) { return price(a) < price(b); });
    best->take(items[i]);
    shards[i] = static_cast<int>(best - hands.begin()) + 1;
  }
  return shards;
}

}  // namespace parity::suite
