// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/numerics/exact_twin.hpp"

#include "harness/base/error.hpp"
#include "reference/config/model_names.hpp"
#include "reference/exact/arithmetic/tower.hpp"
#include "reference/exact/exact.hpp"
#include "reference/exact/ranks/collectives.hpp"
#include "reference/exact/shadow.hpp"
#include "reference/train/numerics/common_order.hpp"

namespace parity::reference {
namespace {

int64_t begins_after = 0;  ///< the update whose values the twin began from
ExactConstants form_of_constants = ExactConstants::binary;

exact::Constants constants_of(ExactConstants form) {
  switch (form) {
    case ExactConstants::decimal:
      return exact::Constants::decimal;
    case ExactConstants::fraction:
      return exact::Constants::fraction;
    default:
      return exact::Constants::binary;
  }
}

/// Returns how many levels the model needs: one more than exponentials follow each other between two norms.
/// An expert that weighs its input has two, that of the score and that of its activation. The exponential of
/// a capped score or logit has two.
int64_t levels_of(const RunConfig& config) {
  const ModelDimensions d = dimensions_of(config);
  return d.moe.score_before || d.attention_softcap > 0 || d.logit_softcap > 0 ? 3 : 2;
}

torch::Tensor residues_of(const torch::Tensor& x, const std::string& name) {
  try {
    return exact::residues_of(x);
  } catch (const UserError& error) {
    throw UserError(name + ": " + error.what());
  }
}

/// Drops levels where fewer exponentials follow, up to the next norm, than the model has at most: none after
/// values and the upper half of SwiGLU, one after norms, but for the experts that weigh their input.
void drop_unused_levels(Decoder& model) {
  const auto keep = [&](const std::string& part, size_t count) {
    model.hooks().after(part, [count](const torch::Tensor& x) {
      exact::limit_levels(x, count);
      return x;
    });
  };
  const ModelDimensions& dimensions = model.dimensions();
  const size_t before_scores = dimensions.attention_softcap > 0 ? 3 : 2;
  for (int64_t i = 0; i < dimensions.n_layers; ++i) {
    const std::string layer = "layers." + std::to_string(i);
    for (const char* norm :
         {".attention_norm", ".attention.q_norm", ".attention.k_norm", ".attention.kv_norm"})
      keep(layer + norm, before_scores);
    keep(layer + ".attention.v", 1);
    if (dimensions.moe.is_in(i))
      continue;
    keep(layer + ".ffn_norm", 2);
    keep(layer + ".feed_forward.w3", 1);
  }
  keep("norm", dimensions.logit_softcap > 0 ? 3 : 2);
}

}  // namespace

void begin_exact_twin(const RunConfig& config, uint64_t key, ExactConstants constants) {
  exact::begin(exact::Tower(key, levels_of(config), constants_of(constants)));
  begins_after = 0;
  form_of_constants = constants;
}

Json describe_residues() {
  if (!exact::is_active())
    return {};
  Json residues = {{"prime", std::to_string(exact::tower().field(0).prime())},
                   {"fingerprint", std::to_string(exact::tower().hash(0, 0, 0))}};
  if (form_of_constants != ExactConstants::binary)
    residues["constants"] = name_of(form_of_constants);
  if (begins_after > 0)
    residues["begin_after_update"] = begins_after;
  return residues;
}

void begin_residues_after(int64_t update) {
  begins_after = update;
}

void follow_collectives(const Group& world) {
  if (exact::is_active())
    world.follow(exact::follow_collectives());
}

bool is_of_operator(const std::string& name) {
  return name.find('@') != std::string::npos;
}

torch::Tensor recorded(const torch::Tensor& x, const std::string& name) {
  if (!exact::is_active() || !exact::is_numeric(x))
    return x;
  if (is_of_operator(name) && exact::known_of(x) == exact::Known::constants)
    return x;                                                               // a person can read it
  if (is_of_operator(name) && exact::known_of(x) != exact::Known::numbers)  // before a collective fills it
    return torch::full(x.sizes(), -1, torch::kLong).view(torch::kUInt64);
  const torch::Tensor residues = residues_of(x, name);
  if (!is_of_operator(name) && residues.numel() > 0 && residues.min().item<int64_t>() < 0)
    throw UserError(name + " has elements without a residue (" +
                    std::to_string(residues.lt(0).sum().item<int64_t>()) + " of " +
                    std::to_string(residues.numel()) + "), so that the exact twin proves nothing of it");
  return residues.view(torch::kUInt64);
}

void draw_residues(Decoder& model) {
  if (!exact::is_active())
    return;
  const auto drawn = [](const std::string& name, at::IntArrayRef shape) {
    return exact::drawn(name, torch::arange(c10::multiply_integers(shape), torch::kLong).view(shape));
  };
  model.visit_weights([&](const std::string& name, torch::Tensor& weight) {
    exact::restore(weight, in_own_order(name, weight.sizes(), model.dimensions(), drawn));
  });
  ModuleHooks::Operators operators = model.hooks().operators();
  operators.rms_norm = [inner = operators.rms_norm](const torch::Tensor& x, const torch::Tensor& weight,
                                                    double eps) {
    return inner(exact::renewed(x, eps), weight, eps);
  };
  operators.layer_norm = [inner = operators.layer_norm](const torch::Tensor& x, const torch::Tensor& weight,
                                                        const torch::Tensor& bias, double eps) {
    return inner(exact::renewed(x, eps, /*centered=*/true), weight, bias, eps);
  };
  model.hooks().compute_with(std::move(operators));
  drop_unused_levels(model);
}

void keep_levels(const Parameters& parameters) {
  if (exact::is_active())
    for (const Parameter& parameter : parameters)
      exact::lift_always(parameter.value);
}

}  // namespace parity::reference
