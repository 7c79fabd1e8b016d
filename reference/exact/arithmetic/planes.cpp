// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/exact/arithmetic/planes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include <ATen/ATen.h>

namespace parity::reference::exact {

at::Tensor added(const at::Tensor& x, const at::Tensor& y, const Field& field) {
  return map_all(x, y, [&](int64_t a, int64_t b) -> int64_t {
    if ((a | b) < 0)
      return a == unknown || b == unknown ? unknown : minus_infinity;
    return static_cast<int64_t>(field.add(static_cast<uint64_t>(a), static_cast<uint64_t>(b)));
  });
}

at::Tensor exponentials(const at::Tensor& x, int64_t level) {
  return map_all(x, [level, &here = tower()](int64_t a) -> int64_t {
    if (a < 0)
      return a == minus_infinity ? 0 : unknown;
    return static_cast<int64_t>(here.exp(level, static_cast<uint64_t>(a)));
  });
}

at::Tensor from_doubles(const at::Tensor& values, int64_t level) {
  const at::Tensor from = values.contiguous();
  at::Tensor result = at::empty(from.sizes(), at::kLong);
  const double* x = from.const_data_ptr<double>();
  int64_t* to = result.mutable_data_ptr<int64_t>();
  const Tower& here = tower();
  for (int64_t i = 0; i < from.numel(); ++i)
    to[i] = std::isfinite(x[i]) ? static_cast<int64_t>(here.constant(level, x[i]))
            : x[i] < 0          ? minus_infinity
                                : unknown;
  return result;
}

at::Tensor powers(const at::Tensor& x, uint64_t exponent, const Field& field) {
  const at::Tensor from = x.contiguous();
  at::Tensor result = at::empty_like(from);
  const int64_t* in = from.const_data_ptr<int64_t>();
  int64_t* out = result.mutable_data_ptr<int64_t>();
  // Eight elements at a time: the products of one of them wait for each other, those of eight do not.
  constexpr int64_t width = 8;
  const Montgomery form(field);
  at::parallel_for(0, (from.numel() + width - 1) / width, 16, [&](int64_t first, int64_t last) {
    for (int64_t begin = first * width; begin < std::min(from.numel(), last * width); begin += width) {
      const int64_t count = std::min(width, from.numel() - begin);
      std::array<uint64_t, width> base{}, power;
      for (int64_t i = 0; i < count; ++i)
        base[static_cast<size_t>(i)] = form.into(static_cast<uint64_t>(std::max<int64_t>(0, in[begin + i])));
      power.fill(form.into(1));
      for (int bit = 63 - std::countl_zero(exponent); bit >= 0; --bit) {
        for (uint64_t& each : power)
          each = form.mul(each, each);
        if ((exponent >> bit & 1) != 0)
          for (size_t i = 0; i < width; ++i)
            power[i] = form.mul(power[i], base[i]);
      }
      for (int64_t i = 0; i < count; ++i)
        out[begin + i] =
            in[begin + i] < 0 ? unknown : static_cast<int64_t>(form.out_of(power[static_cast<size_t>(i)]));
    }
  });
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
