// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/model/recipe_linear.hpp"

#include <unordered_set>

#include <torch/autograd.h>

#include "harness/base/error.hpp"
#include "reference/model/precision.hpp"

namespace parity::reference {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

ScaleRule rule_of(const LinearConfig& config) {
  const bool to_power = config.scales == LinearScales::power_of_two;
  if (config.scales == LinearScales::unit)
    return ScaleRule::unit;
  switch (config.recipe) {
    case LinearRecipe::float8_block:
      return to_power ? ScaleRule::division_up : ScaleRule::division;
    case LinearRecipe::mxfp8:
      return config.scales == LinearScales::round_up ? ScaleRule::mx_up : ScaleRule::mx;
    case LinearRecipe::nvfp4:
      return ScaleRule::nvfp4;
    default:
      return to_power ? ScaleRule::power_of_two : ScaleRule::float32;
  }
}

NarrowFormat format_of(const LinearConfig& config, LinearOperand operand) {
  if (config.recipe == LinearRecipe::nvfp4)
    return NarrowFormat::e2m1;
  const bool own_is_e5m2 = config.recipe == LinearRecipe::float8_tensor;
  const bool is_e5m2 =
      config.gradients == LinearGradients::recipe ? own_is_e5m2 : config.gradients == LinearGradients::e5m2;
  return operand == LinearOperand::gradient && is_e5m2 ? NarrowFormat::e5m2 : NarrowFormat::e4m3;
}

/// Returns Q(x), [R, C], in at least float32. The product sums over the columns.
torch::Tensor operand_of(const torch::Tensor& x, const LinearConfig& config, LinearOperand operand,
                         bool rounds) {
  Quantisation how = quantisation_of(config, operand);
  how.rounds = rounds;
  return quantised(at_least_float32(x), how);
}

struct RecipeLinear : torch::autograd::Function<RecipeLinear> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x, const torch::Tensor& weight,
                               const LinearConfig& config, bool rounds) {
    context->save_for_backward({x, weight});
    context->saved_data["recipe"] = static_cast<int64_t>(config.recipe);
    context->saved_data["gradients"] = static_cast<int64_t>(config.gradients);
    context->saved_data["scales"] = static_cast<int64_t>(config.scales);
    context->saved_data["rounds"] = rounds;
    const torch::Tensor x_TK = operand_of(x.reshape({-1, x.size(-1)}), config, LinearOperand::input, rounds);
    std::vector<int64_t> shape = x.sizes().vec();
    shape.back() = weight.size(0);
    return at::linear(x_TK, operand_of(weight, config, LinearOperand::weight, rounds))
        .to(x.scalar_type())
        .view(shape);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const LinearConfig config = {static_cast<LinearRecipe>(context->saved_data["recipe"].toInt()),
                                 static_cast<LinearGradients>(context->saved_data["gradients"].toInt()),
                                 static_cast<LinearScales>(context->saved_data["scales"].toInt())};
    const bool rounds = context->saved_data["rounds"].toBool();
    const variable_list saved = context->get_saved_variables();
    const torch::Tensor &x = saved[0], &weight = saved[1];
    const torch::Tensor dy_TN = gradients[0].reshape({-1, weight.size(0)});
    torch::Tensor dx, dweight;
    if (context->needs_input_grad(0))
      dx = operand_of(dy_TN, config, LinearOperand::gradient, rounds)
               .mm(operand_of(weight.t(), config, LinearOperand::weight, rounds).t())
               .to(x.scalar_type())
               .view(x.sizes());
    if (context->needs_input_grad(1))
      dweight = operand_of(dy_TN.t(), config, LinearOperand::gradient, rounds)
                    .mm(operand_of(x.reshape({-1, x.size(-1)}).t(), config, LinearOperand::input, rounds).t())
                    .to(weight.scalar_type());
    return {dx, dweight, torch::Tensor(), torch::Tensor()};
  }
};

}  // namespace

Quantisation quantisation_of(const LinearConfig& config, LinearOperand operand) {
  Quantisation how = {format_of(config, operand), rule_of(config)};
  switch (config.recipe) {
    case LinearRecipe::float8_row:
      how.rows = 1;
      break;
    case LinearRecipe::float8_block:
      how.rows = operand == LinearOperand::weight ? 128 : 1;
      how.columns = 128;
      break;
    case LinearRecipe::mxfp8:
      how.rows = 1;
      how.columns = 32;
      break;
    case LinearRecipe::nvfp4:
      how.rows = 1;
      how.columns = 16;
      break;
    default:
      break;
  }
  return how;
}

torch::Tensor recipe_linear(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias,
                            const LinearConfig& config, bool rounds) {
  const torch::Tensor y = RecipeLinear::apply(x, weight, config, rounds);
  return bias.defined() ? y + bias : y;
}

void multiply_by_recipe(Decoder& model, const Parameters& parameters, const LinearConfig& config,
                        bool rounds) {
  std::unordered_set<std::string> names;
  for (const Parameter& parameter : parameters)
    if (parameter.name.starts_with("layers.") && parameter.value.dim() == 2)
      names.insert(parameter.name);
  std::unordered_set<const c10::TensorImpl*> matrices;
  model.visit_weights([&](const std::string& name, const torch::Tensor& weight) {
    if (names.contains(name))
      matrices.insert(weight.unsafeGetTensorImpl());
  });
  require(!matrices.empty(), "no matrix to multiply by a recipe");
  ModuleHooks::Operators operators = model.hooks().operators();
  for (auto* linear : {&operators.linear, &operators.row_parallel_linear})
    *linear = [matrices, config, rounds, multiply = *linear](
                  const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias) {
      return matrices.contains(weight.unsafeGetTensorImpl()) ? recipe_linear(x, weight, bias, config, rounds)
                                                             : multiply(x, weight, bias);
    };
  model.hooks().compute_with(std::move(operators));
}

}  // namespace parity::reference
