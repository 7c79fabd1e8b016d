// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/traces/tensor_pieces.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <utility>

#include "harness/tensor/conversions.hpp"

namespace parity::bisect {
namespace {

constexpr int64_t most_elements = int64_t{1} << 22;

struct Numbers {
  Shape shape;
  std::vector<double> values;  ///< row-major
};

Numbers numbers_of(const TensorView& view) {
  Numbers numbers{view.shape, std::vector<double>(static_cast<size_t>(view.size()))};
  const std::byte* at = view.raw().data();
  for (double& value : numbers.values) {
    value = widen(view.dtype, at);
    at += size_of(view.dtype);
  }
  return numbers;
}

bool are_near(const Numbers& a, const Numbers& b, double rounding) {
  if (a.shape != b.shape)
    return false;
  double gap = 0, norm = 0;
  for (size_t i = 0; i < a.values.size(); ++i) {
    if (a.values[i] == b.values[i] && std::isinf(a.values[i]))
      continue;  // a mask
    if (!std::isfinite(a.values[i]) || !std::isfinite(b.values[i]))
      return false;
    gap += (b.values[i] - a.values[i]) * (b.values[i] - a.values[i]);
    norm += a.values[i] * a.values[i];
  }
  return std::sqrt(gap) <= rounding * std::sqrt(norm);
}

Numbers sum_of(const std::vector<Numbers>& pieces) {
  Numbers sum = pieces.front();
  for (size_t i = 1; i < pieces.size(); ++i)
    std::ranges::transform(sum.values, pieces[i].values, sum.values.begin(), std::plus<>());
  return sum;
}

/// Returns the pieces one after the other along a dimension. They may differ in this size only.
std::optional<Numbers> concatenated(const std::vector<Numbers>& pieces, size_t dim) {
  Numbers whole;
  whole.shape = pieces.front().shape;
  whole.shape[dim] = 0;
  int64_t rows = 1;
  for (size_t i = 0; i < dim; ++i)
    rows *= whole.shape[i];
  for (const Numbers& piece : pieces) {
    Shape others = piece.shape;
    others[dim] = whole.shape[dim];
    if (others != whole.shape)
      return std::nullopt;
    whole.shape[dim] += piece.shape[dim];
  }
  if (rows == 0)
    return whole;
  for (int64_t row = 0; row < rows; ++row)
    for (const Numbers& piece : pieces) {
      const auto width = static_cast<int64_t>(piece.values.size()) / rows;
      const auto begin = piece.values.begin() + row * width;
      whole.values.insert(whole.values.end(), begin, begin + width);
    }
  return whole;
}

/// The results of each way to join pieces, in a fixed order; not set where a way does not apply.
using Ways = std::vector<std::optional<Numbers>>;

/// Joins pieces in each way: the same, a sum, along each dimension. A single piece is its own only result.
Ways joined_in_each_way(const std::vector<Numbers>& pieces, double rounding) {
  const Numbers& first = pieces.front();
  if (pieces.size() == 1)
    return {first};
  Ways ways(2 + first.shape.size());
  const auto has_dimensions = [&](const Numbers& each) { return each.shape.size() == first.shape.size(); };
  if (!std::ranges::all_of(pieces, has_dimensions))
    return ways;
  if (std::ranges::all_of(pieces, [&](const Numbers& each) { return are_near(first, each, rounding); }))
    ways[0] = first;
  if (std::ranges::all_of(pieces, [&](const Numbers& each) { return each.shape == first.shape; }))
    ways[1] = sum_of(pieces);
  for (size_t dim = 0; dim < first.shape.size(); ++dim)
    ways[2 + dim] = concatenated(pieces, dim);
  return ways;
}

/// Returns the tensors that groups of pieces may be: all groups joined in one way, then the groups in one
/// way.
std::vector<Numbers> joined_groups(const std::vector<std::vector<Numbers>>& groups, double rounding) {
  std::vector<Ways> of_groups;
  for (const std::vector<Numbers>& group : groups)
    of_groups.push_back(joined_in_each_way(group, rounding));
  std::vector<Numbers> all;
  for (size_t way = 0; way < of_groups.front().size(); ++way) {
    std::vector<Numbers> parts;
    for (Ways& ways : of_groups)
      if (way < ways.size() && ways[way])
        parts.push_back(std::move(*ways[way]));
    if (parts.size() != groups.size())
      continue;
    for (std::optional<Numbers>& each : joined_in_each_way(parts, rounding))
      if (each)
        all.push_back(std::move(*each));
  }
  return all;
}

/// Returns the tensors that the pieces of a side may be.
std::vector<Numbers> logical_tensors(const TensorPieces& pieces, double rounding) {
  std::vector<std::vector<Numbers>> of_ranks;
  for (const std::vector<TensorView>& rank : pieces) {
    of_ranks.emplace_back();
    std::ranges::transform(rank, std::back_inserter(of_ranks.back()), numbers_of);
  }
  std::vector<Numbers> all = joined_groups(of_ranks, rounding);
  const bool has_micro_batches = of_ranks.front().size() > 1;
  for (size_t size = 2; !has_micro_batches && size < of_ranks.size(); ++size) {
    if (of_ranks.size() % size != 0)
      continue;
    std::vector<std::vector<Numbers>> groups(of_ranks.size() / size);
    for (size_t rank = 0; rank < of_ranks.size(); ++rank)
      groups[rank / size].push_back(of_ranks[rank].front());
    for (Numbers& each : joined_groups(groups, rounding))
      all.push_back(std::move(each));
  }
  return all;
}

bool can_be_joined(const TensorPieces& pieces) {
  int64_t elements = 0;
  for (const std::vector<TensorView>& rank : pieces)
    for (const TensorView& piece : rank)
      elements += piece.size();
  return !pieces.empty() && !pieces.front().empty() && elements <= most_elements;
}

}  // namespace

std::optional<bool> pieces_agree(const TensorPieces& expected, const TensorPieces& actual, double rounding) {
  if (!can_be_joined(expected) || !can_be_joined(actual))
    return std::nullopt;
  const std::vector<Numbers> mine = logical_tensors(expected, rounding),
                             theirs = logical_tensors(actual, rounding);
  for (const Numbers& a : mine)
    for (const Numbers& b : theirs)
      if (are_near(a, b, rounding))
        return true;
  return false;
}

}  // namespace parity::bisect
