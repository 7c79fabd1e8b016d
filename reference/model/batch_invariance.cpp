// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/model/batch_invariance.hpp"

#include <torch/autograd.h>

#include "harness/base/error.hpp"
#include "reference/exact/exact.hpp"
#include "reference/model/fixed_order.hpp"

namespace parity::reference {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Shapes: T tokens, D width, R rows of the weight.

struct InvariantLinear : torch::autograd::Function<InvariantLinear> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x, const torch::Tensor& weight,
                               int64_t pieces) {
    context->save_for_backward({x, weight});
    return exact::computed_as(fixed_order::linear_in_pieces(x, weight, pieces),
                              [&] { return at::linear(x, weight); });
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const torch::Tensor &x = saved[0], &weight = saved[1];
    const torch::Tensor dy_TR = gradients[0].reshape({-1, weight.size(0)});
    const torch::Tensor dx =
        context->needs_input_grad(0) ? dy_TR.mm(weight).view(x.sizes()) : torch::Tensor();
    const torch::Tensor dweight =
        context->needs_input_grad(1) ? dy_TR.t().mm(x.reshape({-1, weight.size(1)})) : torch::Tensor();
    return {dx, dweight, torch::Tensor()};
  }
};

struct InvariantSilu : torch::autograd::Function<InvariantSilu> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x) {
    context->save_for_backward({x});
    return exact::computed_as(fixed_order::silu(x), [&] { return at::silu(x); });
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    return {at::silu_backward(gradients[0], context->get_saved_variables()[0])};
  }
};

struct InvariantRmsNorm : torch::autograd::Function<InvariantRmsNorm> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x, const torch::Tensor& weight,
                               double eps) {
    context->save_for_backward({x, weight});
    context->saved_data["eps"] = eps;
    return exact::computed_as(fixed_order::rms_norm(x, weight, eps),
                              [&] { return at::rms_norm(x, weight.sizes(), weight, eps); });
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const variable_list inputs = {saved[0].detach().requires_grad_(), saved[1].detach().requires_grad_()};
    const at::AutoGradMode again(true);
    const torch::Tensor y =
        at::rms_norm(inputs[0], inputs[1].sizes(), inputs[1], context->saved_data["eps"].toDouble());
    variable_list result = torch::autograd::grad({y}, inputs, {gradients[0]});
    result.emplace_back();
    return result;
  }
};

/// \param b  needs no gradient
struct InvariantComplexProduct : torch::autograd::Function<InvariantComplexProduct> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& a, const torch::Tensor& b) {
    context->save_for_backward({b});
    return exact::computed_as(fixed_order::complex_product(a, b), [&] { return a * b; });
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    return {gradients[0] * context->get_saved_variables()[0].conj(), torch::Tensor()};
  }
};

}  // namespace

void make_batch_invariant(ModuleHooks& hooks, int64_t pieces) {
  const auto linear_of = [](int64_t count) {
    return [count](const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias) {
      require(!bias.defined(), "a bias in a product of fixed order");
      return InvariantLinear::apply(x, weight, count);
    };
  };
  hooks.compute_with(
      {.linear = linear_of(1),
       .row_parallel_linear = linear_of(pieces),
       .silu = [](const torch::Tensor& x) { return InvariantSilu::apply(x); },
       .rms_norm = [](const torch::Tensor& x, const torch::Tensor& weight,
                      double eps) { return InvariantRmsNorm::apply(x, weight, eps); },
       .complex_product = [](const torch::Tensor& a,
                             const torch::Tensor& b) { return InvariantComplexProduct::apply(a, b); }});
}

}  // namespace parity::reference
