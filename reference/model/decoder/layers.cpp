// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/model/decoder/layers.hpp"

namespace parity::reference {

torch::Tensor linear(const torch::Tensor& x, const torch::Tensor& weight, const Part& part) {
  return part.leave(part.operators().linear(part.enter(x), weight, {}));
}

torch::Tensor row_parallel_linear(const torch::Tensor& x, const torch::Tensor& weight, const Part& part) {
  return part.leave(part.operators().row_parallel_linear(part.enter(x), weight, {}));
}

Linear::Linear(const ModelDimensions& dimensions, LoraTarget target, int64_t rows, int64_t columns,
               bool has_bias, const torch::TensorOptions& options)
    : weight(torch::empty({rows, columns}, options)),
      is_row_parallel(target == LoraTarget::wo || target == LoraTarget::w2) {
  if (has_bias)
    bias = torch::empty({rows}, options);
  const LoraDimensions& lora = dimensions.lora;
  if (lora.adapts(target))
    adapter = {torch::empty({lora.rank, columns}, options), torch::empty({rows, lora.rank}, options),
               lora.scale, lora.merged};
}

torch::Tensor Linear::forward(const torch::Tensor& x_in, const Part& part) const {
  const torch::Tensor x = part.enter(x_in);
  const auto& operators = part.operators();
  const auto& multiply = is_row_parallel ? operators.row_parallel_linear : operators.linear;
  // Where ranks have terms of the product, the bias is added once, to their sum.
  const bool bias_comes_last = bias.defined() && part.is_summed();
  const torch::Tensor own_bias = bias_comes_last ? torch::Tensor() : bias;
  torch::Tensor y;
  if (adapter.a.defined() && adapter.merged)
    y = multiply(x, weight + at::mm(adapter.b, adapter.a) * adapter.scale, own_bias);
  else
    y = multiply(x, weight, own_bias);
  if (adapter.a.defined() && !adapter.merged)
    y = y + operators.linear(operators.linear(x, adapter.a, {}), adapter.b, {}) * adapter.scale;
  return part.leave(y, bias_comes_last ? bias : torch::Tensor());
}

void Linear::visit(const std::string& name, const WeightVisitor& visitor) {
  visitor(name + ".weight", weight);
  if (bias.defined())
    visitor(name + ".bias", bias);
  if (!adapter.a.defined())
    return;
  visitor(name + ".lora_a.weight", adapter.a);
  visitor(name + ".lora_b.weight", adapter.b);
}

Norm::Norm(const ModelDimensions& dimensions, int64_t width, const torch::TensorOptions& options)
    : weight(torch::empty({width}, options)), eps(dimensions.norm_eps) {
  if (dimensions.norm == NormKind::layer)
    bias = torch::empty({width}, options);
}

torch::Tensor Norm::forward(const torch::Tensor& x_BSD, const Part& part) const {
  const torch::Tensor x = part.enter(x_BSD);
  return part.leave(bias.defined() ? part.operators().layer_norm(x, weight, bias, eps)
                                   : part.operators().rms_norm(x, weight, eps));
}

void Norm::visit(const std::string& name, const WeightVisitor& visitor) {
  visitor(name + ".weight", weight);
  if (bias.defined())
    visitor(name + ".bias", bias);
}

}  // namespace parity::reference
