// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Activations of torch.nn. Each backward operator is the derivative of the forward formula by the chain rule,
// with the constants that PyTorch's own derivatives have.
#include <cmath>

#include <ATen/ATen.h>

#include "harness/base/error.hpp"
#include "reference/exact/call.hpp"

namespace parity::reference::exact {
namespace {

using Tensors = std::vector<at::Tensor>;

constexpr double cubic = 0.044715;
const double inner_scale = M_SQRT2 * M_2_SQRTPI * 0.5;

bool is_tanh(const Call& call, size_t i) {
  return call.argument(i).toStringRef() == "tanh";
}

at::Tensor tanh_of(const at::Tensor& x) {
  return ((x + x.pow(3) * cubic) * inner_scale).tanh();
}

Tensors gelu(Call& call) {  // (self, approximate)
  const at::Tensor& x = call.tensor(0);
  const at::Tensor odd = is_tanh(call, 1) ? tanh_of(x) : (x * M_SQRT1_2).erf();
  return {x * 0.5 * (odd + 1)};
}

Tensors gelu_backward(Call& call) {  // (grad, self, approximate)
  const at::Tensor& x = call.tensor(1);
  at::Tensor odd, slope;
  if (is_tanh(call, 2)) {
    odd = tanh_of(x);
    slope = (1 - odd * odd) * inner_scale * (x * x * cubic * 3 + 1);
  } else {
    const at::Tensor scaled = x * M_SQRT1_2;
    odd = scaled.erf();
    slope = (scaled * scaled).neg().exp() * (2 / std::sqrt(M_PI)) * M_SQRT1_2;
  }
  return {call.tensor(0) * ((odd + 1) * 0.5 + x * 0.5 * slope)};
}

Tensors leaky_relu(Call& call) {  // (self, slope)
  const at::Tensor& x = call.tensor(0);
  return {at::where(x > 0, x, x * call.number(1))};
}

Tensors leaky_relu_backward(Call& call) {  // (grad, self, slope, self_is_result)
  const at::Tensor& grad = call.tensor(0);
  return {at::where(call.tensor(1) > 0, grad, grad * call.number(2))};
}

Tensors elu(Call& call) {  // (self, alpha, scale, input_scale)
  const at::Tensor& x = call.tensor(0);
  const double alpha = call.number(1), scale = call.number(2), input_scale = call.number(3);
  return {at::where(x > 0, x * scale, ((x.clamp_max(0) * input_scale).exp() - 1) * alpha * scale)};
}

Tensors elu_backward(Call& call) {  // (grad, alpha, scale, input_scale, is_result, self_or_result)
  const at::Tensor &grad = call.tensor(0), &x = call.tensor(5);
  const double alpha = call.number(1), scale = call.number(2), input_scale = call.number(3);
  if (call.argument(4).toBool())
    return {at::where(x > 0, grad * scale,
                      grad * input_scale * (x + at::scalar_tensor(alpha, x.options()) * scale))};
  return {at::where(x > 0, grad * scale,
                    grad * input_scale * alpha * scale * (x.clamp_max(0) * input_scale).exp())};
}

/// Returns where softplus is the identity.
at::Tensor is_large(const at::Tensor& x, double beta, double threshold) {
  return x * beta > threshold;
}

Tensors softplus(Call& call) {  // (self, beta, threshold)
  const at::Tensor& x = call.tensor(0);
  const double beta = call.number(1);
  const at::Tensor large = is_large(x, beta, call.number(2));
  const at::Tensor log = ((x.masked_fill(large, 0) * beta).exp() + 1).log();
  return {at::where(large, x, beta == 1 ? log : log / beta)};
}

Tensors softplus_backward(Call& call) {  // (grad, self, beta, threshold)
  const at::Tensor &grad = call.tensor(0), &x = call.tensor(1);
  const at::Tensor large = is_large(x, call.number(2), call.number(3));
  const at::Tensor z = (x.masked_fill(large, 0) * call.number(2)).exp();
  return {at::where(large, grad, grad * z / (z + 1))};
}

Tensors log_sigmoid_backward(Call& call) {  // (grad, self, buffer)
  return {call.tensor(0) * call.tensor(1).neg().sigmoid()};
}

Tensors glu(Call& call) {  // (self, dim)
  const Tensors halves = call.tensor(0).chunk(2, call.integer(1));
  return {halves[0] * halves[1].sigmoid()};
}

Tensors glu_backward(Call& call) {  // (grad, self, dim)
  const Tensors halves = call.tensor(1).chunk(2, call.integer(2));
  const at::Tensor &grad = call.tensor(0), gate = halves[1].sigmoid();
  return {at::cat({grad * gate, grad * halves[0] * gate * (1 - gate)}, call.integer(2))};
}

}  // namespace

void add_activations(Rules& rules) {
  rules["gelu"] = composite(gelu);
  rules["gelu_backward"] = composite(gelu_backward);
  rules["leaky_relu"] = composite(leaky_relu);
  rules["leaky_relu_backward"] = composite(leaky_relu_backward);
  rules["elu"] = composite(elu);
  rules["elu_backward"] = composite(elu_backward);
  rules["softplus"] = composite(softplus);
  rules["softplus_backward"] = composite(softplus_backward);
  rules["log_sigmoid_backward"] = composite(log_sigmoid_backward);
  rules["glu"] = composite(glu);
  rules["glu_backward"] = composite(glu_backward);
}

}  // namespace parity::reference::exact
