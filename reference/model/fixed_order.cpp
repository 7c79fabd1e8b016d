// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/model/fixed_order.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <type_traits>
#include <vector>

#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>

#include "harness/measure/lanes/simd.hpp"

// Shapes: T tokens, R rows of the weight, D width; N tokens and M rows at once.

namespace parity::reference::fixed_order {
namespace {

constexpr size_t lane_bytes = 32;

template <class A>
constexpr size_t lanes = lane_bytes / sizeof(A);

template <class A>
A total(std::array<A, lanes<A>> sums) {
  for (size_t half = lanes<A> / 2; half > 0; half /= 2)
    for (size_t l = 0; l < half; ++l)
      sums[l] += sums[l + half];
  return sums[0];
}

/// sums[n][m] = sum over c of x[n, c] weight[m][c]
template <class A, size_t N, size_t M>
void sum_products(const A* x_ND, const std::array<const A*, M>& weight, size_t D, A (&sums)[N][M]) {
  typedef A Vector __attribute__((vector_size(lane_bytes)));
  typedef A Unaligned __attribute__((vector_size(lane_bytes), aligned(alignof(A)), may_alias));
  Vector vectors[N][M] = {};
  size_t c = 0;
  for (; c + lanes<A> <= D; c += lanes<A>) {
    Vector weights[M];
    for (size_t m = 0; m < M; ++m)
      weights[m] = *reinterpret_cast<const Unaligned*>(weight[m] + c);
    for (size_t n = 0; n < N; ++n) {
      const Vector x = *reinterpret_cast<const Unaligned*>(x_ND + n * D + c);
      for (size_t m = 0; m < M; ++m)
        vectors[n][m] += x * weights[m];
    }
  }
  std::array<A, lanes<A>> rest[N][M];
  for (size_t n = 0; n < N; ++n)
    for (size_t m = 0; m < M; ++m)
      rest[n][m] = std::bit_cast<std::array<A, lanes<A>>>(vectors[n][m]);
  for (size_t l = 0; c < D; ++l, ++c)
    for (size_t n = 0; n < N; ++n)
      for (size_t m = 0; m < M; ++m)
        rest[n][m][l] += x_ND[n * D + c] * weight[m][c];
  for (size_t n = 0; n < N; ++n)
    for (size_t m = 0; m < M; ++m)
      sums[n][m] = total(rest[n][m]);
}

/// Elements in the type that they are added up in.
template <class T>
class Widened {
 public:
  using A = at::opmath_type<T>;

  /// Returns the elements themselves, or a copy that the next call overwrites.
  const A* of(const T* elements, size_t count) {
    if constexpr (std::is_same_v<A, T>) {
      return elements;
    } else {
      copy_.assign(elements, elements + count);
      return copy_.data();
    }
  }

 private:
  std::vector<A> copy_;
};

// The number of simultaneous sums that fit into 16 registers together with the terms.
constexpr size_t tokens_at_once = 4, rows_at_once = 3;
// Tokens that stay in a cache while the whole weight is read.
constexpr size_t tokens_in_cache = 64;

/// Some rows of the weight. At its end, the last row takes the place of missing ones.
template <class T>
struct WeightRows {
  using A = at::opmath_type<T>;

  std::array<Widened<T>, rows_at_once> widened;
  std::array<const A*, rows_at_once> data;
  size_t count = 0;

  void take(const T* weight_RD, size_t first, size_t R, size_t D) {
    count = std::min(rows_at_once, R - first);
    for (size_t m = 0; m < rows_at_once; ++m)
      data[m] = widened[m].of(weight_RD + (first + std::min(m, count - 1)) * D, D);
  }
};

/// Multiplies N tokens.
template <size_t N, class T>
void multiply_block(const at::opmath_type<T>* x_ND, const WeightRows<T>& weight, T* y, size_t R, size_t D) {
  at::opmath_type<T> sums[N][rows_at_once];
  sum_products(x_ND, weight.data, D, sums);
  for (size_t n = 0; n < N; ++n)
    for (size_t m = 0; m < rows_at_once; ++m)
      if (m < weight.count)
        y[n * R + m] = static_cast<T>(sums[n][m]);
}

struct Linear {
  template <class T>
  void operator()(const T* x_TD, const T* weight_RD, T* y_TR, size_t tokens, size_t R, size_t D) const {
    Widened<T> widened;
    WeightRows<T> weight;
    for (size_t first = 0; first < tokens; first += tokens_in_cache) {
      const size_t count = std::min(tokens_in_cache, tokens - first);
      const auto* x = widened.of(x_TD + first * D, count * D);
      for (size_t r = 0; r < R; r += rows_at_once) {
        weight.take(weight_RD, r, R, D);
        T* y = y_TR + first * R + r;
        size_t t = 0;
        for (; t + tokens_at_once <= count; t += tokens_at_once)
          multiply_block<tokens_at_once>(x + t * D, weight, y + t * R, R, D);
        if (count - t == 3)
          multiply_block<3>(x + t * D, weight, y + t * R, R, D);
        if (count - t == 2)
          multiply_block<2>(x + t * D, weight, y + t * R, R, D);
        if (count - t == 1)
          multiply_block<1>(x + t * D, weight, y + t * R, R, D);
      }
    }
  }
};

struct RmsNorm {
  template <class T>
  void operator()(const T* x_TD, const T* weight_D, T* y_TD, size_t tokens, size_t D, double eps) const {
    using A = at::opmath_type<T>;
    Widened<T> widened_row, widened_weight;
    const A* weight = widened_weight.of(weight_D, D);
    for (size_t t = 0; t < tokens; ++t) {
      const A* x = widened_row.of(x_TD + t * D, D);
      A square_sum[1][1];
      sum_products<A, 1, 1>(x, {x}, D, square_sum);
      const A scale = 1 / std::sqrt(square_sum[0][0] / static_cast<A>(D) + static_cast<A>(eps));
      for (size_t c = 0; c < D; ++c)
        y_TD[t * D + c] = static_cast<T>(x[c] * scale * weight[c]);
    }
  }
};

int64_t rows_of(const torch::Tensor& x) {
  return c10::multiply_integers(x.sizes().slice(0, x.sizes().size() - 1));
}

}  // namespace

torch::Tensor linear(const torch::Tensor& x, const torch::Tensor& weight) {
  const torch::Tensor x_TD = x.contiguous(), weight_RD = weight.contiguous();
  std::vector<int64_t> shape = x.sizes().vec();
  shape.back() = weight.size(0);
  torch::Tensor y_TR = torch::empty(shape, x.options());
  AT_DISPATCH_FLOATING_TYPES_AND(at::kBFloat16, x.scalar_type(), "fixed_order_linear", [&] {
    measure::simd::run(Linear(), x_TD.const_data_ptr<scalar_t>(), weight_RD.const_data_ptr<scalar_t>(),
                       y_TR.data_ptr<scalar_t>(), rows_of(x), weight.size(0), weight.size(1));
  });
  return y_TR;
}

torch::Tensor tree_sum(std::vector<torch::Tensor> terms) {
  for (; terms.size() > 1; terms.resize(terms.size() / 2))
    for (size_t i = 0; i + 1 < terms.size(); i += 2)
      terms[i / 2] = terms[i] + terms[i + 1];
  return terms.at(0);
}

torch::Tensor linear_in_pieces(const torch::Tensor& x, const torch::Tensor& weight, int64_t pieces) {
  const std::vector<torch::Tensor> x_parts = x.chunk(pieces, -1), weight_parts = weight.chunk(pieces, -1);
  std::vector<torch::Tensor> terms;
  for (size_t i = 0; i < x_parts.size(); ++i)
    terms.push_back(fixed_order::linear(x_parts[i], weight_parts[i]));
  return tree_sum(std::move(terms));
}

torch::Tensor rms_norm(const torch::Tensor& x, const torch::Tensor& weight, double eps) {
  const torch::Tensor x_TD = x.contiguous(), weight_D = weight.contiguous();
  torch::Tensor y_TD = torch::empty_like(x_TD);
  AT_DISPATCH_FLOATING_TYPES_AND(at::kBFloat16, x.scalar_type(), "fixed_order_rms_norm", [&] {
    measure::simd::run(RmsNorm(), x_TD.const_data_ptr<scalar_t>(), weight_D.const_data_ptr<scalar_t>(),
                       y_TD.data_ptr<scalar_t>(), rows_of(x), weight.size(0), eps);
  });
  return y_TD;
}

torch::Tensor silu(const torch::Tensor& x) {
  const torch::Tensor in = x.contiguous();
  torch::Tensor out = torch::empty_like(in);
  AT_DISPATCH_FLOATING_TYPES_AND(at::kBFloat16, x.scalar_type(), "fixed_order_silu", [&] {
    const auto* from = in.const_data_ptr<scalar_t>();
    auto* to = out.data_ptr<scalar_t>();
    for (int64_t i = 0; i < in.numel(); ++i) {
      const auto element = static_cast<at::opmath_type<scalar_t>>(from[i]);
      to[i] = static_cast<scalar_t>(element / (1 + std::exp(-element)));
    }
  });
  return out;
}

torch::Tensor complex_product(const torch::Tensor& a, const torch::Tensor& b) {
  const torch::Tensor left = a.contiguous(), right = b.expand_as(a).contiguous();
  torch::Tensor out = torch::empty_like(left);
  AT_DISPATCH_COMPLEX_TYPES(a.scalar_type(), "fixed_order_complex_product", [&] {
    const auto *x = left.const_data_ptr<scalar_t>(), *y = right.const_data_ptr<scalar_t>();
    auto* to = out.data_ptr<scalar_t>();
    for (int64_t i = 0; i < out.numel(); ++i)
      to[i] = {x[i].real() * y[i].real() - x[i].imag() * y[i].imag(),
               x[i].real() * y[i].imag() + x[i].imag() * y[i].real()};
  });
  return out;
}

}  // namespace parity::reference::fixed_order
