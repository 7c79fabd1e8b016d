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

/// A recipe in use; the graph keeps it.
struct Recipe : torch::CustomClassHolder {
  Recipe(const LinearConfig& own_config, bool own_rounds, MatrixShards own_shards)
      : config(own_config), rounds(own_rounds), shards(std::move(own_shards)) {}

  LinearConfig config;
  bool rounds;
  MatrixShards shards;  ///< of the weight

  /// Returns Q(x), [R, C], in at least float32. The product sums over the columns.
  torch::Tensor quantise(const torch::Tensor& x, LinearOperand operand, SharedDimension shared) const {
    Quantisation how = quantisation_of(config, operand, {shared, shards.max});
    how.rounds = rounds;
    const int64_t block = shared == SharedDimension::rows ? how.rows : how.columns;
    const int64_t length = x.size(shared == SharedDimension::rows ? 0 : 1);
    require(shared == SharedDimension::none || block == 0 || length % block == 0,
            "a block of a scale reaches over ranks");
    return quantised(at_least_float32(x), how);
  }
};

SharedDimension transposed(SharedDimension shared) {
  return shared == SharedDimension::rows      ? SharedDimension::columns
         : shared == SharedDimension::columns ? SharedDimension::rows
                                              : SharedDimension::none;
}

struct RecipeLinear : torch::autograd::Function<RecipeLinear> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x, const torch::Tensor& weight,
                               const c10::intrusive_ptr<Recipe>& recipe) {
    context->save_for_backward({x, weight});
    context->saved_data["recipe"] = c10::IValue::make_capsule(recipe);
    const SharedDimension shared = recipe->shards.dimension;
    const torch::Tensor x_TK =
        recipe->quantise(x.reshape({-1, x.size(-1)}), LinearOperand::input, of_x(shared));
    std::vector<int64_t> shape = x.sizes().vec();
    shape.back() = weight.size(0);
    return at::linear(x_TK, recipe->quantise(weight, LinearOperand::weight, shared))
        .to(x.scalar_type())
        .view(shape);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto held = context->saved_data["recipe"].toCapsule();
    const auto& recipe = static_cast<const Recipe&>(*held);
    const SharedDimension shared = recipe.shards.dimension;
    const variable_list saved = context->get_saved_variables();
    const torch::Tensor &x = saved[0], &weight = saved[1];
    const torch::Tensor dy_TN = gradients[0].reshape({-1, weight.size(0)});
    torch::Tensor dx, dweight;
    if (context->needs_input_grad(0))
      dx = recipe.quantise(dy_TN, LinearOperand::gradient, of_dy(shared))
               .mm(recipe.quantise(weight.t(), LinearOperand::weight, transposed(shared)).t())
               .to(x.scalar_type())
               .view(x.sizes());
    if (context->needs_input_grad(1))
      dweight = recipe.quantise(dy_TN.t(), LinearOperand::gradient, transposed(of_dy(shared)))
                    .mm(recipe
                            .quantise(x.reshape({-1, x.size(-1)}).t(), LinearOperand::input,
                                      transposed(of_x(shared)))
                            .t())
                    .to(weight.scalar_type());
    return {dx, dweight, torch::Tensor()};
  }

 private:
  /// Returns which dimension of x, [T, K], ranks share, by that of W, [N, K].
  static SharedDimension of_x(SharedDimension of_weight) {
    return of_weight == SharedDimension::columns ? of_weight : SharedDimension::none;
  }
  /// Returns the same for dy, [T, N].
  static SharedDimension of_dy(SharedDimension of_weight) {
    return of_weight == SharedDimension::rows ? SharedDimension::columns : SharedDimension::none;
  }
};

/// Returns whether a parameter is a matrix that a recipe multiplies by. A router keeps its precision, since
/// the choice of experts would depend on it, and so do adapters.
bool is_multiplied(const Parameter& parameter) {
  return parameter.name.starts_with("layers.") && parameter.value.dim() == 2 &&
         parameter.name.find(".router.") == std::string::npos &&
         parameter.name.find(".lora_") == std::string::npos;
}

}  // namespace

Quantisation quantisation_of(const LinearConfig& config, LinearOperand operand, const MatrixShards& shards) {
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
  if (shards.dimension == SharedDimension::none || config.tp_scales == ShardScales::shard)
    return how;
  const int64_t block = shards.dimension == SharedDimension::rows ? how.rows : how.columns;
  if (block == 0)
    how.block_max = shards.max;
  if (how.rule == ScaleRule::nvfp4)
    how.matrix_max = shards.max;
  return how;
}

torch::Tensor recipe_linear(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias,
                            const LinearConfig& config, bool rounds, const MatrixShards& shards) {
  const torch::Tensor y = RecipeLinear::apply(x, weight, c10::make_intrusive<Recipe>(config, rounds, shards));
  return bias.defined() ? y + bias : y;
}

void multiply_by_recipe(Decoder& model, const Parameters& parameters, const LinearConfig& config, bool rounds,
                        const MaxOverRanks& max) {
  std::unordered_set<std::string> names;
  for (const Parameter& parameter : parameters)
    if (is_multiplied(parameter))
      names.insert(parameter.name);
  std::unordered_set<const c10::TensorImpl*> matrices;
  model.visit_weights([&](const std::string& name, const torch::Tensor& weight) {
    if (names.contains(name))
      matrices.insert(weight.unsafeGetTensorImpl());
  });
  require(!matrices.empty(), "no matrix to multiply by a recipe");
  ModuleHooks::Operators operators = model.hooks().operators();
  const auto shards_of = [&](SharedDimension dimension) {
    return max ? MatrixShards{dimension, max} : MatrixShards{};
  };
  const MatrixShards of_rows = shards_of(SharedDimension::rows),
                     of_columns = shards_of(SharedDimension::columns);
  for (const auto& [linear, shards] :
       {std::pair(&operators.linear, of_rows), {&operators.row_parallel_linear, of_columns}})
    *linear = [matrices, config, rounds, shards, multiply = *linear](
                  const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias) {
      return matrices.contains(weight.unsafeGetTensorImpl())
                 ? recipe_linear(x, weight, bias, config, rounds, shards)
                 : multiply(x, weight, bias);
    };
  for (const auto& [linear, shards] :
       {std::pair(&operators.expert_linear, of_rows), {&operators.row_parallel_expert_linear, of_columns}})
    *linear = [config, rounds, shards](const torch::Tensor& x, const torch::Tensor& weight) {
      return recipe_linear(x, weight, {}, config, rounds, shards);
    };
  model.hooks().compute_with(std::move(operators));
}

}  // namespace parity::reference
