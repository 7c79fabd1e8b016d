// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Variances, and norms that divide by them.
#include <ATen/ATen.h>

#include "reference/exact/call.hpp"

namespace parity::reference::exact {
namespace {

using Tensors = std::vector<at::Tensor>;

/// Returns the last n dimensions.
std::vector<int64_t> last(size_t n) {
  std::vector<int64_t> dims;
  for (size_t i = 0; i < n; ++i)
    dims.push_back(-1 - static_cast<int64_t>(i));
  return dims;
}

/// Returns the other dimensions of x.
std::vector<int64_t> all_but_last(const at::Tensor& x, size_t n) {
  std::vector<int64_t> dims;
  for (int64_t dim = 0; dim < x.dim() - static_cast<int64_t>(n); ++dim)
    dims.push_back(dim);
  return dims;
}

at::Tensor sum_over(const at::Tensor& x, const std::vector<int64_t>& dims) {
  return dims.empty() ? x : x.sum(dims);
}

Tensors layer_norm(Call& call) {  // (input, normalized_shape, weight, bias, eps) to (out, mean, rstd)
  const at::Tensor& x = call.tensor(0);
  const std::vector<int64_t> dims = last(call.integers(1).size());
  const at::Tensor mean = x.mean(dims, /*keepdim=*/true), centered = x - mean;
  const at::Tensor rstd = (centered.square().mean(dims, true) + call.number(4)).rsqrt();
  at::Tensor out = centered * rstd;
  if (call.has(2))
    out = out * call.tensor(2);
  if (call.has(3))
    out = out + call.tensor(3);
  return {out, mean, rstd};
}

/// (grad, input, normalized_shape, mean, rstd, weight, bias, mask) to gradients of input, weight and bias.
Tensors layer_norm_backward(Call& call) {
  const at::Tensor &grad = call.tensor(0), &x = call.tensor(1), &rstd = call.tensor(4);
  const size_t n = call.integers(2).size();
  const std::vector<int64_t> dims = last(n), rest = all_but_last(x, n);
  const auto wanted = call.argument(7).toBoolList();
  const at::Tensor normed = (x - call.tensor(3)) * rstd;
  Tensors results(3);
  if (wanted[0]) {
    const at::Tensor g = call.has(5) ? grad * call.tensor(5) : grad;
    results[0] = rstd * (g - g.mean(dims, true) - normed * (g * normed).mean(dims, true));
  }
  if (wanted[1])
    results[1] = sum_over(grad * normed, rest);
  if (wanted[2])
    results[2] = sum_over(grad, rest);
  return results;
}

/// Returns a vector of channels in the shape of x [N, C, ...].
at::Tensor of_channels(const at::Tensor& vector, const at::Tensor& x) {
  std::vector<int64_t> shape(static_cast<size_t>(x.dim()), 1);
  shape[1] = -1;
  return vector.view(shape);
}

/// Returns all dimensions but that of channels.
std::vector<int64_t> all_but_channels(const at::Tensor& x) {
  std::vector<int64_t> dims = {0};
  for (int64_t dim = 2; dim < x.dim(); ++dim)
    dims.push_back(dim);
  return dims;
}

/// (input, weight, bias, N, C, HxW, groups, eps) to (out, mean, rstd)
Tensors group_norm(Call& call) {
  const at::Tensor& x = call.tensor(0);
  const at::Tensor parts = x.reshape({x.size(0), call.integer(6), -1});
  const at::Tensor mean = parts.mean(-1, /*keepdim=*/true), centered = parts - mean;
  const at::Tensor rstd = (centered.square().mean(-1, true) + call.number(7)).rsqrt();
  at::Tensor out = (centered * rstd).view(x.sizes());
  if (call.has(1))
    out = out * of_channels(call.tensor(1), x);
  if (call.has(2))
    out = out + of_channels(call.tensor(2), x);
  return {out, mean.squeeze(-1), rstd.squeeze(-1)};
}

/// (grad, input, mean, rstd, weight, N, C, HxW, groups, mask) to gradients of input, weight and bias.
Tensors group_norm_backward(Call& call) {
  const at::Tensor &grad = call.tensor(0), &x = call.tensor(1);
  const std::vector<int64_t> shape = {x.size(0), call.integer(8), -1};
  const auto wanted = call.argument(9).toBoolList();
  const at::Tensor rstd = call.tensor(3).unsqueeze(-1);
  const at::Tensor normed = (x.reshape(shape) - call.tensor(2).unsqueeze(-1)) * rstd;
  Tensors results(3);
  if (wanted[0]) {
    const at::Tensor g = (call.has(4) ? grad * of_channels(call.tensor(4), x) : grad).reshape(shape);
    const at::Tensor each = rstd * (g - g.mean(-1, true) - normed * (g * normed).mean(-1, true));
    results[0] = each.view(x.sizes());
  }
  if (wanted[1])
    results[1] = (grad * normed.view(x.sizes())).sum(all_but_channels(x));
  if (wanted[2])
    results[2] = grad.sum(all_but_channels(x));
  return results;
}

/// Returns the variance and the mean. Overloads have (self, dim, correction, keepdim).
std::pair<at::Tensor, at::Tensor> moments(const Call& call) {
  const at::Tensor& x = call.tensor(0);
  std::vector<int64_t> dims = call.integers(1);
  if (dims.empty())
    dims = last(static_cast<size_t>(x.dim()));
  int64_t count = 1;
  for (const int64_t dim : dims)
    count *= x.size(dim);
  const double degrees = static_cast<double>(count) - (call.has(2) ? call.number(2) : 1);
  const at::Tensor mean = x.mean(dims, /*keepdim=*/true);
  const at::Tensor variance = (x - mean).square().sum(dims, /*keepdim=*/true) / degrees;
  const bool keepdim = call.has(3) && call.argument(3).toBool();
  return keepdim ? std::pair(variance, mean) : std::pair(variance.squeeze(dims), mean.squeeze(dims));
}

}  // namespace

void add_norms(Rules& rules) {
  rules["native_layer_norm"] = composite(layer_norm);
  rules["native_layer_norm_backward"] = composite(layer_norm_backward);
  rules["native_group_norm"] = composite(group_norm);
  rules["native_group_norm_backward"] = composite(group_norm_backward);
  rules["var"] = composite([](Call& call) -> Tensors { return {moments(call).first}; });
  rules["std"] = composite([](Call& call) -> Tensors { return {moments(call).first.sqrt()}; });
  rules["var_mean"] = composite([](Call& call) -> Tensors {
    const auto [variance, mean] = moments(call);
    return {variance, mean};
  });
  rules["std_mean"] = composite([](Call& call) -> Tensors {
    const auto [variance, mean] = moments(call);
    return {variance.sqrt(), mean};
  });
}

}  // namespace parity::reference::exact
