// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/exact/planes.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <ATen/ATen.h>

namespace parity::reference::exact {
namespace {

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

bool has_no_residue(const at::Tensor& x) {
  return x.numel() > 0 && x.min().item<int64_t>() < 0;
}

}  // namespace

at::Tensor added(const at::Tensor& x, const at::Tensor& y, const Field& field) {
  return map_all(x, y, [&](int64_t a, int64_t b) -> int64_t {
    if ((a | b) < 0)
      return a == unknown || b == unknown ? unknown : minus_infinity;
    return static_cast<int64_t>(field.add(static_cast<uint64_t>(a), static_cast<uint64_t>(b)));
  });
}

at::Tensor exponentials(const at::Tensor& x, int64_t level) {
  return map_all(x, [level](int64_t a) -> int64_t {
    if (a < 0)
      return a == minus_infinity ? 0 : unknown;
    return static_cast<int64_t>(tower().exp(level, static_cast<uint64_t>(a)));
  });
}

at::Tensor from_doubles(const at::Tensor& values, int64_t level) {
  const at::Tensor from = values.contiguous();
  at::Tensor result = at::empty(from.sizes(), at::kLong);
  const double* x = from.const_data_ptr<double>();
  int64_t* to = result.mutable_data_ptr<int64_t>();
  for (int64_t i = 0; i < from.numel(); ++i)
    to[i] = std::isfinite(x[i]) ? static_cast<int64_t>(tower().constant(level, x[i]))
            : x[i] < 0          ? minus_infinity
                                : unknown;
  return result;
}

at::Tensor inverses(const at::Tensor& x, const Field& field) {
  const at::Tensor from = x.contiguous();
  at::Tensor result = at::empty_like(from);
  const int64_t* in = from.const_data_ptr<int64_t>();
  int64_t* out = result.mutable_data_ptr<int64_t>();
  // One inversion for a run of elements: Montgomery's trick.
  constexpr int64_t run = 1024;
  at::parallel_for(0, (from.numel() + run - 1) / run, 1, [&](int64_t first, int64_t last) {
    for (int64_t begin = first * run; begin < std::min(from.numel(), last * run); begin += run) {
      const int64_t end = std::min(from.numel(), begin + run);
      uint64_t all = 1;
      for (int64_t i = begin; i < end; ++i) {
        out[i] = static_cast<int64_t>(all);
        if (in[i] > 0)
          all = field.mul(all, static_cast<uint64_t>(in[i]));
      }
      uint64_t rest = field.inverse(all);
      for (int64_t i = end - 1; i >= begin; --i) {
        if (in[i] <= 0) {
          out[i] = unknown;
          continue;
        }
        out[i] = static_cast<int64_t>(field.mul(rest, static_cast<uint64_t>(out[i])));
        rest = field.mul(rest, static_cast<uint64_t>(in[i]));
      }
    }
  });
  return result;
}

at::Tensor products(const at::Tensor& a, const at::Tensor& b, const Field& field) {
  const int64_t m = a.size(-2), k = a.size(-1), n = b.size(-1);
  std::vector<int64_t> shape = a.sizes().vec();
  shape.back() = n;
  const at::Tensor left = a.contiguous(), right = b.transpose(-2, -1).contiguous();
  at::Tensor result = at::empty(shape, left.options());
  const auto* x = reinterpret_cast<const uint64_t*>(left.const_data_ptr<int64_t>());
  const auto* y = reinterpret_cast<const uint64_t*>(right.const_data_ptr<int64_t>());
  int64_t* to = result.mutable_data_ptr<int64_t>();
  const int64_t rows = k == 0 ? 0 : left.numel() / k;
  if (k == 0)
    return result.zero_();
  at::parallel_for(0, rows, 1, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const uint64_t* of_matrix = y + row / m * n * k;
      for (int64_t column = 0; column < n; ++column)
        to[row * n + column] = static_cast<int64_t>(dot(x + row * k, of_matrix + column * k, k, field));
    }
  });
  if (has_no_residue(left) || has_no_residue(right)) {
    const at::Tensor bad_rows = left.lt(0).any(-1, /*keepdim=*/true);
    const at::Tensor bad_columns = right.lt(0).any(-1, /*keepdim=*/true).transpose(-2, -1);
    result.masked_fill_(bad_rows.logical_or(bad_columns), unknown);
  }
  return result;
}

at::Tensor rows_to_fold(const at::Tensor& x, at::IntArrayRef dims) {
  std::vector<int64_t> order;
  std::vector<bool> folds(static_cast<size_t>(x.dim()), dims.empty());
  for (const int64_t dim : dims)
    folds[static_cast<size_t>(dim < 0 ? dim + x.dim() : dim)] = true;
  int64_t n = 1;
  for (int64_t i = 0; i < x.dim(); ++i)
    if (!folds[static_cast<size_t>(i)])
      order.push_back(i);
  for (int64_t i = 0; i < x.dim(); ++i)
    if (folds[static_cast<size_t>(i)]) {
      order.push_back(i);
      n *= x.size(i);
    }
  int64_t rest = 1;
  for (int64_t i = 0; i < x.dim(); ++i)
    rest *= folds[static_cast<size_t>(i)] ? 1 : x.size(i);
  return x.permute(order).contiguous().view({rest, n});
}

std::vector<int64_t> folded_shape(const at::Tensor& x, at::IntArrayRef dims, bool keepdim) {
  std::vector<bool> folds(static_cast<size_t>(x.dim()), dims.empty());
  for (const int64_t dim : dims)
    folds[static_cast<size_t>(dim < 0 ? dim + x.dim() : dim)] = true;
  std::vector<int64_t> shape;
  for (int64_t i = 0; i < x.dim(); ++i)
    if (!folds[static_cast<size_t>(i)])
      shape.push_back(x.size(i));
    else if (keepdim)
      shape.push_back(1);
  return shape;
}

}  // namespace parity::reference::exact
