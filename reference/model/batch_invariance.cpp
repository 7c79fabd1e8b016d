// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/model/batch_invariance.hpp"

#include <torch/autograd.h>

namespace parity::reference {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Shapes: T tokens, P of them with those that fill the last tile, D width, R rows of the weight.
constexpr int64_t tile = 16;

int64_t filled_up(int64_t count, int64_t step) {
  return (count + step - 1) / step * step;
}

torch::Tensor in_tiles(const torch::Tensor& x_TD, const torch::Tensor& weight_RD) {
  const int64_t T = x_TD.size(0), P = filled_up(T, tile);
  const torch::Tensor x_PD = at::constant_pad_nd(x_TD, {0, 0, 0, P - T}).contiguous();
  torch::Tensor y_PR = torch::empty({P, weight_RD.size(0)}, x_TD.options());
  const torch::Tensor weight_DR = weight_RD.t();
  for (int64_t first = 0; first < P; first += tile) {
    torch::Tensor y = y_PR.narrow(0, first, tile);
    at::mm_out(y, x_PD.narrow(0, first, tile), weight_DR);
  }
  return y_PR.narrow(0, 0, T);
}

struct TiledLinear : torch::autograd::Function<TiledLinear> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x,
                               const torch::Tensor& weight) {
    context->save_for_backward({x, weight});
    std::vector<int64_t> shape = x.sizes().vec();
    shape.back() = weight.size(0);
    return in_tiles(x.reshape({-1, weight.size(1)}), weight).view(shape);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const torch::Tensor &x = saved[0], &weight = saved[1];
    const torch::Tensor dy_TR = gradients[0].reshape({-1, weight.size(0)});
    const torch::Tensor dx =
        context->needs_input_grad(0) ? dy_TR.mm(weight).view(x.sizes()) : torch::Tensor();
    const torch::Tensor dweight =
        context->needs_input_grad(1) ? dy_TR.t().mm(x.reshape({-1, weight.size(1)})) : torch::Tensor();
    return {dx, dweight};
  }
};

}  // namespace

torch::Tensor tiled_linear(const torch::Tensor& x, const torch::Tensor& weight) {
  return TiledLinear::apply(x, weight);
}

torch::Tensor even_silu(const torch::Tensor& x) {
  constexpr int64_t two_vectors = 128;  // bytes that PyTorch's loops take at once, at most
  const int64_t width = x.size(-1), step = two_vectors / x.element_size();
  if (width % step == 0)
    return at::silu(x);
  return at::silu(at::constant_pad_nd(x, {0, filled_up(width, step) - width})).narrow(-1, 0, width);
}

void make_batch_invariant(ModuleHooks& hooks) {
  hooks.compute_with({tiled_linear, even_silu});
}

}  // namespace parity::reference
