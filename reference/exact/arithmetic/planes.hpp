// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Loops over planes: int64 tensors of residues of one field.
#pragma once

#include <array>
#include <cstdint>

#include <ATen/Parallel.h>
#include <ATen/TensorIterator.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include "reference/exact/arithmetic/tower.hpp"

namespace parity::reference::exact {

/// Elements of a plane that are not residues.
constexpr int64_t minus_infinity = -1;
constexpr int64_t unknown = -2;  ///< nothing is known: NaN, or arithmetic with infinity

namespace detail {

/// Calls f(result, x...) for each element of an iterator with one output and N inputs.
template <size_t N, class Function>
void for_elements(at::TensorIteratorBase& iterator, const Function& function) {
  iterator.for_each([&](char** data, const int64_t* strides, int64_t count, int64_t rows) {
    for (int64_t row = 0; row < rows; ++row) {
      std::array<char*, N + 1> at;
      for (size_t k = 0; k <= N; ++k)
        at[k] = data[k] + row * strides[N + 1 + k];
      for (int64_t i = 0; i < count; ++i) {
        if constexpr (N == 1)
          *reinterpret_cast<int64_t*>(at[0]) = function(*reinterpret_cast<const int64_t*>(at[1]));
        else
          *reinterpret_cast<int64_t*>(at[0]) =
              function(*reinterpret_cast<const int64_t*>(at[1]), *reinterpret_cast<const int64_t*>(at[2]));
        for (size_t k = 0; k <= N; ++k)
          at[k] += strides[k];
      }
    }
  });
}

}  // namespace detail

/// Returns f(x) of each element, which may not be a residue.
template <class Function>
at::Tensor map_all(const at::Tensor& x, const Function& function) {
  at::Tensor result;
  auto iterator = at::TensorIteratorConfig().add_output(result).add_const_input(x).build();
  detail::for_elements<1>(iterator, function);
  return iterator.output();
}

/// Returns f(x, y) of each pair, with broadcasting; an element may not be a residue.
template <class Function>
at::Tensor map_all(const at::Tensor& x, const at::Tensor& y, const Function& function) {
  at::Tensor result;
  auto iterator = at::TensorIteratorConfig().add_output(result).add_const_input(x).add_const_input(y).build();
  detail::for_elements<2>(iterator, function);
  return iterator.output();
}

/// Returns f(x) of each element. An element that is not a residue becomes unknown.
template <class Function>
at::Tensor map(const at::Tensor& x, const Function& function) {
  return map_all(x, [&](int64_t a) {
    return a < 0 ? unknown : static_cast<int64_t>(function(static_cast<uint64_t>(a)));
  });
}

/// Returns f(x, y) of each pair, with broadcasting. An element that is not a residue makes the result
/// unknown.
template <class Function>
at::Tensor map(const at::Tensor& x, const at::Tensor& y, const Function& function) {
  return map_all(x, y, [&](int64_t a, int64_t b) {
    return (a | b) < 0 ? unknown
                       : static_cast<int64_t>(function(static_cast<uint64_t>(a), static_cast<uint64_t>(b)));
  });
}

/// Returns x + y; minus infinity plus a residue is minus infinity.
at::Tensor added(const at::Tensor& x, const at::Tensor& y, const Field& field);
/// Returns 1 / x; 0 has none and becomes unknown.
at::Tensor inverses(const at::Tensor& x, const Field& field);
/// Returns x^exponent.
at::Tensor powers(const at::Tensor& x, uint64_t exponent, const Field& field);
/// Returns exp(x) at a level, of elements of the next one; exp(minus infinity) = 0.
at::Tensor exponentials(const at::Tensor& x, int64_t level);
/// Returns doubles as elements of a level; NaN and plus infinity are unknown.
at::Tensor from_doubles(const at::Tensor& values, int64_t level);

/// Returns rows [rest, n]: the dimensions `dims` last, flattened. Negative dims count from the end; none:
/// all.
at::Tensor rows_to_fold(const at::Tensor& x, at::IntArrayRef dims);
/// Returns the shape of a reduction's result.
std::vector<int64_t> folded_shape(const at::Tensor& x, at::IntArrayRef dims, bool keepdim);

/// Combines the elements along dimensions. An element that is not a residue makes the result unknown.
template <class Function>
at::Tensor fold(const at::Tensor& x, at::IntArrayRef dims, bool keepdim, uint64_t start,
                const Function& function) {
  const at::Tensor rows = rows_to_fold(x, dims);
  const int64_t n = rows.size(1);
  at::Tensor result = at::empty({rows.size(0)}, rows.options());
  const int64_t* from = rows.const_data_ptr<int64_t>();
  int64_t* to = result.mutable_data_ptr<int64_t>();
  at::parallel_for(0, rows.size(0), 1 + 16384 / (n + 1), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      uint64_t value = start;
      int64_t signs = 0;
      for (int64_t i = 0; i < n; ++i) {
        signs |= from[row * n + i];
        value = function(value, static_cast<uint64_t>(from[row * n + i]));
      }
      to[row] = signs < 0 ? unknown : static_cast<int64_t>(value);
    }
  });
  return result.view(folded_shape(x, dims, keepdim));
}

}  // namespace parity::reference::exact
