// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/checkpoints/match/head_rows.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

namespace parity::checkpoints {
namespace {

/// Splits rows into (heads, 2, head / 2), and swaps the last two of these dimensions.
StridedView swap_halves(const StridedView& view, size_t dimension, int64_t head, bool halves) {
  const int64_t rows = view.shape.at(dimension);
  if (!halves)
    return split(view, dimension, {rows / head, head / 2, 2});
  const StridedView apart = split(view, dimension, {rows / head, 2, head / 2});
  std::vector<size_t> order(apart.shape.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::swap(order[dimension + 1], order[dimension + 2]);
  return permute(apart, order);
}

}  // namespace

std::string HeadRows::text() const {
  return fmt::format("rows permuted within heads of {}, {} (RoPE)", head,
                     to_pairs ? "halves to pairs" : "pairs to halves");
}

StridedView HeadRows::of_expected(const StridedView& view, size_t dimension) const {
  return swap_halves(view, dimension, head, to_pairs);
}

StridedView HeadRows::of_actual(const StridedView& view, size_t dimension) const {
  return swap_halves(view, dimension, head, !to_pairs);
}

std::vector<HeadRows> head_rows_of(int64_t rows) {
  std::vector<int64_t> heads;
  for (const int64_t head : divisors_of(rows, 4))
    if (head % 2 == 0)
      heads.push_back(head);
  const auto unusual = [](int64_t head) { return head != 128 && head != 64; };
  std::stable_sort(heads.begin(), heads.end(), [&](int64_t a, int64_t b) { return unusual(a) < unusual(b); });
  std::vector<HeadRows> found;
  for (const int64_t head : heads)
    for (const bool to_pairs : {true, false})
      found.push_back({head, to_pairs});
  return found;
}

std::vector<int64_t> divisors_of(int64_t number, int64_t least) {
  constexpr int64_t most = int64_t{1} << 24;  // no matrix has more rows of heads
  std::vector<int64_t> found;
  if (number <= 0 || number > most)
    return found;
  for (int64_t i = 1; i * i <= number; ++i) {
    if (number % i != 0)
      continue;
    found.push_back(i);
    if (i != number / i)
      found.push_back(number / i);
  }
  std::sort(found.begin(), found.end());
  found.erase(found.begin(), std::lower_bound(found.begin(), found.end(), least));
  return found;
}

}  // namespace parity::checkpoints
