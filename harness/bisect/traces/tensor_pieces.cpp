// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/traces/tensor_pieces.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <utility>

#include "harness/tensor/conversions.hpp"

namespace parity::bisect {
namespace {

constexpr int64_t most_elements = int64_t{1} << 22;

/// Numbers of a logical tensor, as an arithmetic sees them.
template <class Number>
struct Numbers {
  Shape shape;
  std::vector<Number> values;  ///< row-major
};

/// Values, which agree up to rounding.
struct Rounded {
  using Number = double;
  double rounding = 0;

  static double number(DType dtype, const std::byte* at) { return widen(dtype, at); }
  static double sum(double a, double b) { return a + b; }
  bool are_near(const std::vector<double>& a, const std::vector<double>& b) const {
    double gap = 0, norm = 0;
    for (size_t i = 0; i < a.size(); ++i) {
      if (a[i] == b[i] && std::isinf(a[i]))
        continue;  // a mask
      if (!std::isfinite(a[i]) || !std::isfinite(b[i]))
        return false;
      gap += (b[i] - a[i]) * (b[i] - a[i]);
      norm += a[i] * a[i];
    }
    return std::sqrt(gap) <= rounding * std::sqrt(norm);
  }
};

/// Residues, which add modulo a prime.
struct Modular {
  using Number = uint64_t;
  static constexpr uint64_t unknown = ~uint64_t{0};  ///< an element without a residue
  uint64_t prime = 0;

  static uint64_t number(DType /*dtype*/, const std::byte* at) {
    uint64_t residue = 0;
    std::memcpy(&residue, at, sizeof residue);
    return residue;
  }
  uint64_t sum(uint64_t a, uint64_t b) const {
    return a == unknown || b == unknown ? unknown : (a + b) % prime;
  }
  static bool are_near(const std::vector<uint64_t>& a, const std::vector<uint64_t>& b) { return a == b; }
};

template <class Arithmetic>
Numbers<typename Arithmetic::Number> numbers_of(const TensorView& view) {
  Numbers<typename Arithmetic::Number> numbers{view.shape, {}};
  const std::byte* at = view.raw().data();
  for (int64_t i = 0; i < view.size(); ++i, at += size_of(view.dtype))
    numbers.values.push_back(Arithmetic::number(view.dtype, at));
  return numbers;
}

/// Joins the pieces of logical tensors under an arithmetic.
template <class Arithmetic>
class Joiner {
 public:
  using Tensor = Numbers<typename Arithmetic::Number>;

  explicit Joiner(Arithmetic arithmetic) : arithmetic_(arithmetic) {}

  bool are_near(const Tensor& a, const Tensor& b) const {
    return a.shape == b.shape && arithmetic_.are_near(a.values, b.values);
  }
  Tensor sum_of(const std::vector<Tensor>& pieces) const {
    Tensor sum = pieces.front();
    for (size_t i = 1; i < pieces.size(); ++i)
      std::ranges::transform(sum.values, pieces[i].values, sum.values.begin(),
                             [&](auto x, auto y) { return arithmetic_.sum(x, y); });
    return sum;
  }

  /// Returns the pieces one after the other along a dimension. They may differ in this size only.
  std::optional<Tensor> concatenated(const std::vector<Tensor>& pieces, size_t dim) const {
    Tensor whole;
    whole.shape = pieces.front().shape;
    whole.shape[dim] = 0;
    int64_t rows = 1;
    for (size_t i = 0; i < dim; ++i)
      rows *= whole.shape[i];
    for (const Tensor& piece : pieces) {
      Shape others = piece.shape;
      others[dim] = whole.shape[dim];
      if (others != whole.shape)
        return std::nullopt;
      whole.shape[dim] += piece.shape[dim];
    }
    if (rows == 0)
      return whole;
    for (int64_t row = 0; row < rows; ++row)
      for (const Tensor& piece : pieces) {
        const auto width = static_cast<int64_t>(piece.values.size()) / rows;
        const auto begin = piece.values.begin() + row * width;
        whole.values.insert(whole.values.end(), begin, begin + width);
      }
    return whole;
  }

  /// Returns pieces of context-parallel ranks in the order of the sequence: rank r of n has the parts r and
  /// 2 n - 1 - r.
  std::optional<Tensor> unfolded(const std::vector<Tensor>& pieces, size_t dim) const {
    std::vector<Tensor> heads, tails;
    for (const Tensor& piece : pieces) {
      if (piece.shape[dim] % 2 != 0)
        return std::nullopt;
      for (const bool is_tail : {false, true})
        (is_tail ? tails : heads).push_back(half_of(piece, dim, is_tail));
    }
    heads.insert(heads.end(), tails.rbegin(), tails.rend());
    return concatenated(heads, dim);
  }
  static Tensor half_of(const Tensor& piece, size_t dim, bool is_tail) {
    Tensor half{piece.shape, {}};
    half.shape[dim] /= 2;
    int64_t rows = 1;
    for (size_t i = 0; i < dim; ++i)
      rows *= piece.shape[i];
    const int64_t width = rows == 0 ? 0 : static_cast<int64_t>(piece.values.size()) / rows;
    for (int64_t row = 0; row < rows; ++row) {
      const auto begin = piece.values.begin() + row * width + (is_tail ? width / 2 : 0);
      half.values.insert(half.values.end(), begin, begin + width / 2);
    }
    return half;
  }

  /// The results of each way to join pieces, in a fixed order; not set where a way does not apply.
  using Ways = std::vector<std::optional<Tensor>>;

  /// Joins pieces in each way: the same, a sum, along each dimension, unfolded along each. A single piece is
  /// its own only result.
  Ways joined_in_each_way(const std::vector<Tensor>& pieces) const {
    const Tensor& first = pieces.front();
    if (pieces.size() == 1)
      return {first};
    const size_t dimensions = first.shape.size();
    Ways ways(2 + 2 * dimensions);
    const auto has_dimensions = [&](const Tensor& each) { return each.shape.size() == first.shape.size(); };
    if (!std::ranges::all_of(pieces, has_dimensions))
      return ways;
    if (std::ranges::all_of(pieces, [&](const Tensor& each) { return are_near(first, each); }))
      ways[0] = first;
    if (std::ranges::all_of(pieces, [&](const Tensor& each) { return each.shape == first.shape; }))
      ways[1] = sum_of(pieces);
    for (size_t dim = 0; dim < dimensions; ++dim) {
      ways[2 + dim] = concatenated(pieces, dim);
      ways[2 + dimensions + dim] = unfolded(pieces, dim);
    }
    return ways;
  }

  /// Returns the tensors that groups of pieces may be: all groups joined in one way, then the groups in one
  /// way.
  std::vector<Tensor> joined_groups(const std::vector<std::vector<Tensor>>& groups) const {
    std::vector<Ways> of_groups;
    for (const std::vector<Tensor>& group : groups)
      of_groups.push_back(joined_in_each_way(group));
    std::vector<Tensor> all;
    for (size_t way = 0; way < of_groups.front().size(); ++way) {
      std::vector<Tensor> parts;
      for (Ways& ways : of_groups)
        if (way < ways.size() && ways[way])
          parts.push_back(std::move(*ways[way]));
      if (parts.size() != groups.size())
        continue;
      for (std::optional<Tensor>& each : joined_in_each_way(parts))
        if (each)
          all.push_back(std::move(*each));
    }
    return all;
  }

  /// Returns the tensors that the pieces of a side may be.
  std::vector<Tensor> logical_tensors(const TensorPieces& pieces) const {
    std::vector<std::vector<Tensor>> of_ranks;
    for (const std::vector<TensorView>& rank : pieces) {
      of_ranks.emplace_back();
      std::ranges::transform(rank, std::back_inserter(of_ranks.back()), numbers_of<Arithmetic>);
    }
    std::vector<Tensor> all = joined_groups(of_ranks);
    const bool has_micro_batches = of_ranks.front().size() > 1;
    for (size_t size = 2; !has_micro_batches && size < of_ranks.size(); ++size) {
      if (of_ranks.size() % size != 0)
        continue;
      std::vector<std::vector<Tensor>> groups(of_ranks.size() / size);
      for (size_t rank = 0; rank < of_ranks.size(); ++rank)
        groups[rank / size].push_back(of_ranks[rank].front());
      for (Tensor& each : joined_groups(groups))
        all.push_back(std::move(each));
    }
    return all;
  }

 private:
  Arithmetic arithmetic_;
};

template <class Arithmetic>
bool pieces_equal(const TensorPieces& expected, const TensorPieces& actual, Arithmetic arithmetic) {
  const Joiner<Arithmetic> joiner(arithmetic);
  const auto mine = joiner.logical_tensors(expected), theirs = joiner.logical_tensors(actual);
  return std::ranges::any_of(mine, [&](const auto& a) {
    return std::ranges::any_of(theirs, [&](const auto& b) { return joiner.are_near(a, b); });
  });
}

/// Returns the number of pieces of residues, and of all pieces.
std::pair<size_t, size_t> count_residues(const TensorPieces& pieces) {
  std::pair<size_t, size_t> count;
  for (const std::vector<TensorView>& rank : pieces)
    for (const TensorView& piece : rank)
      count.first += piece.dtype == DType::residue64 ? 1 : 0, ++count.second;
  return count;
}

bool can_be_joined(const TensorPieces& pieces) {
  int64_t elements = 0;
  for (const std::vector<TensorView>& rank : pieces)
    for (const TensorView& piece : rank)
      elements += piece.size();
  return !pieces.empty() && !pieces.front().empty() && elements <= most_elements;
}

}  // namespace

std::optional<bool> pieces_agree(const TensorPieces& expected, const TensorPieces& actual, double rounding,
                                 uint64_t prime) {
  if (!can_be_joined(expected) || !can_be_joined(actual))
    return std::nullopt;
  const auto [residues_a, all_a] = count_residues(expected);
  const auto [residues_b, all_b] = count_residues(actual);
  if (residues_a + residues_b == 0)
    return pieces_equal(expected, actual, Rounded{rounding});
  if (residues_a != all_a || residues_b != all_b || prime == 0)
    return false;
  return pieces_equal(expected, actual, Modular{prime});
}

}  // namespace parity::bisect
