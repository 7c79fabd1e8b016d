// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/exact/arithmetic/matrix_product.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <ATen/ATen.h>

#include "reference/exact/arithmetic/planes.hpp"

namespace parity::reference::exact {
namespace {

__extension__ using Signed = __int128;

/// Products of so many pairs below 2^61 fit into 128 bits.
constexpr int64_t products_in_a_sum = 64;

/// Returns the sum of a_i b_i.
uint64_t dot(const uint64_t* a, const uint64_t* b, int64_t n, const Field& field) {
  uint64_t total = 0;
  for (int64_t begin = 0; begin < n; begin += products_in_a_sum) {
    Wide sum = 0;
    const int64_t end = std::min(n, begin + products_in_a_sum);
    for (int64_t i = begin; i < end; ++i)
      sum += static_cast<Wide>(a[i]) * b[i];
    total = field.add(total, field.reduce_any(sum));
  }
  return total;
}

constexpr int digit_bits = 21;
/// Pairs whose products float64 adds exactly: each sum of two digits is at most 2^21.
constexpr int64_t pairs_in_a_sum = int64_t{1} << 11;
constexpr int64_t tile = 256;    ///< rows and columns that are computed together, which bounds the memory
constexpr int64_t grain = 8192;  ///< elements that are worth a thread

/// The digits a0, a1, a2 and the sums a0 + a1, a0 + a2, a1 + a2 of a matrix.
using Digits = std::array<at::Tensor, 6>;

Digits digits_of(const at::Tensor& matrix, const Field& field) {
  const at::Tensor from = matrix.contiguous();
  Digits result;
  std::array<double*, 6> to{};
  for (size_t i = 0; i < result.size(); ++i) {
    result[i] = at::empty(from.sizes(), at::kDouble);
    to[i] = result[i].mutable_data_ptr<double>();
  }
  const int64_t* x = from.const_data_ptr<int64_t>();
  const auto prime = static_cast<int64_t>(field.prime());
  constexpr int64_t base = int64_t{1} << digit_bits, half = base / 2;
  const auto split = [&](int64_t i) {
    const int64_t value = x[i] > prime / 2 ? x[i] - prime : x[i];
    const int64_t first = ((value + half) & (base - 1)) - half, rest = (value - first) >> digit_bits;
    const int64_t second = ((rest + half) & (base - 1)) - half, third = (rest - second) >> digit_bits;
    to[0][i] = static_cast<double>(first);
    to[1][i] = static_cast<double>(second);
    to[2][i] = static_cast<double>(third);
    to[3][i] = static_cast<double>(first + second);
    to[4][i] = static_cast<double>(first + third);
    to[5][i] = static_cast<double>(second + third);
  };
  at::parallel_for(0, from.numel(), grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      split(i);
  });
  return result;
}

/// Adds to each element of `to` what six products of digits say.
void add_digits(const at::Tensor& to, const Digits& products, const Field& field) {
  const Signed multiple = static_cast<Signed>(field.prime())
                          << 60;  // more than any sum here, so that none is negative
  std::array<const double*, 6> from{};
  for (size_t i = 0; i < products.size(); ++i)
    from[i] = products[i].const_data_ptr<double>();
  const int64_t columns = to.size(1), stride = to.stride(0);
  auto* const out = reinterpret_cast<uint64_t*>(to.mutable_data_ptr<int64_t>());
  at::parallel_for(0, to.size(0), 1 + grain / columns, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin * columns; i < end * columns; ++i) {
      const auto at = [&](size_t product) { return static_cast<int64_t>(from[product][i]); };
      const int64_t square0 = at(0), square1 = at(1), square2 = at(2);
      const int64_t of_base = at(3) - square0 - square1, of_square = at(4) - square0 - square2 + square1,
                    of_cube = at(5) - square1 - square2;
      const Signed high = of_cube + (static_cast<Signed>(square2) << digit_bits);
      const Signed low = square0 + (static_cast<Signed>(of_base) << digit_bits) +
                         (static_cast<Signed>(of_square) << (2 * digit_bits));
      const uint64_t high_residue = field.reduce(static_cast<Wide>(high + multiple));
      const Wide sum =
          (static_cast<Wide>(high_residue) << (3 * digit_bits)) + static_cast<Wide>(low + multiple);
      uint64_t& element = out[i / columns * stride + i % columns];
      element = field.add(element, field.reduce(sum));
    }
  });
}

/// Adds the product of two tiles to a tile of the result.
void add_product(const at::Tensor& to, const Digits& a, const Digits& b, const Field& field) {
  Digits products;
  for (size_t i = 0; i < products.size(); ++i)
    products[i] = at::mm(a[i], b[i]);
  add_digits(to, products, field);
}

/// Returns the product of two matrices, in the faster of the two ways.
at::Tensor faster_product(const at::Tensor& a, const at::Tensor& b, const Field& field) {
  constexpr int64_t small = 1 << 15;
  const int64_t m = a.size(0), k = a.size(1), n = b.size(1);
  return k < 8 || m * k * n < small ? product_of_integers(a, b, field) : product_of_digits(a, b, field);
}

}  // namespace

at::Tensor product_of_integers(const at::Tensor& a, const at::Tensor& b, const Field& field) {
  const int64_t m = a.size(0), k = a.size(1), n = b.size(1);
  const at::Tensor left = a.contiguous(), right = b.t().contiguous();
  at::Tensor result = at::empty({m, n}, at::kLong);
  const auto* x = reinterpret_cast<const uint64_t*>(left.const_data_ptr<int64_t>());
  const auto* y = reinterpret_cast<const uint64_t*>(right.const_data_ptr<int64_t>());
  int64_t* to = result.mutable_data_ptr<int64_t>();
  at::parallel_for(0, m, 1 + 16384 / (k * n + 1), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row)
      for (int64_t column = 0; column < n; ++column)
        to[row * n + column] = static_cast<int64_t>(dot(x + row * k, y + column * k, k, field));
  });
  return result;
}

at::Tensor product_of_digits(const at::Tensor& a, const at::Tensor& b, const Field& field) {
  const int64_t m = a.size(0), k = a.size(1), n = b.size(1);
  at::Tensor result = at::zeros({m, n}, at::kLong);
  for (int64_t column = 0; column < n; column += tile)
    for (int64_t pair = 0; pair < k; pair += pairs_in_a_sum) {
      const int64_t columns = std::min(tile, n - column), pairs = std::min(pairs_in_a_sum, k - pair);
      const Digits right = digits_of(b.narrow(0, pair, pairs).narrow(1, column, columns), field);
      for (int64_t row = 0; row < m; row += tile) {
        const int64_t rows = std::min(tile, m - row);
        add_product(result.narrow(0, row, rows).narrow(1, column, columns),
                    digits_of(a.narrow(0, row, rows).narrow(1, pair, pairs), field), right, field);
      }
    }
  return result;
}

at::Tensor products(const at::Tensor& a, const at::Tensor& b, const Field& field) {
  const int64_t m = a.size(-2), k = a.size(-1), n = b.size(-1);
  std::vector<int64_t> shape = a.sizes().vec();
  shape.back() = n;
  const int64_t matrices = c10::multiply_integers(a.sizes().slice(0, a.dim() - 2));
  const at::Tensor left = a.reshape({matrices, m, k}), right = b.reshape({matrices, k, n});
  const at::Tensor result = at::empty({matrices, m, n}, at::kLong);
  for (int64_t i = 0; i < matrices; ++i)
    result[i].copy_(faster_product(left[i], right[i], field));
  const at::Tensor bad_rows = left.lt(0).any(-1, /*keepdim=*/true),
                   bad_columns = right.lt(0).any(-2, /*keepdim=*/true);
  result.masked_fill_(bad_rows.logical_or(bad_columns), unknown);
  return result.view(shape);
}

}  // namespace parity::reference::exact
