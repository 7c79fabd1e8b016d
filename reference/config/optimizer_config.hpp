// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "harness/base/enum_names.hpp"
#include "reference/config/precision_choices.hpp"
#include "reference/config/variant_choices.hpp"

// Settings of the optimizers, and the closed sets of values that they take.

namespace parity::reference {

enum class OptimizerName { adamw, sgd, muon, adam, lion, adafactor };
constexpr auto enum_names(OptimizerName) {
  return named<OptimizerName::adafactor>("optimizer", {"adamw", "sgd", "muon", "adam", "lion", "adafactor"});
}

/// Where Adafactor's eps1 enters.
enum class AdafactorEps { denominator, square };
constexpr auto enum_names(AdafactorEps) {
  return named<AdafactorEps::square>("place of Adafactor's eps1", {"denominator", "square"});
}

enum class OptimizerImplementation { fused, plain, foreach };
constexpr auto enum_names(OptimizerImplementation) {
  return named<OptimizerImplementation::foreach>("optimizer implementation", {"fused", "plain", "foreach"});
}

enum class DecayedParameters { all, matrices };
constexpr auto enum_names(DecayedParameters) {
  return named<DecayedParameters::matrices>("set of decayed parameters", {"all", "matrices"});
}

enum class MuonCoefficients { fixed, quintic, polar_express };
constexpr auto enum_names(MuonCoefficients) {
  return named<MuonCoefficients::polar_express>("coefficients of Newton-Schulz",
                                                {"fixed", "quintic", "polar_express"});
}

enum class NewtonSchulzPrecision { bfloat16, float32 };
constexpr auto enum_names(NewtonSchulzPrecision) {
  return named<NewtonSchulzPrecision::float32>("dtype of Newton-Schulz", {"bfloat16", "float32"});
}

enum class MuonScale { original, match_rms_adamw, unit_rms_norm, none };
constexpr auto enum_names(MuonScale) {
  return named<MuonScale::none>("scale of Muon's updates",
                                {"original", "match_rms_adamw", "unit_rms_norm", "none"});
}

enum class MuonSharding { gathered, distributed, blockwise };
constexpr auto enum_names(MuonSharding) {
  return named<MuonSharding::blockwise>("use of shards by Muon", {"gathered", "distributed", "blockwise"});
}

enum class WeightDecayRamp { constant, linear, cosine };
constexpr auto enum_names(WeightDecayRamp) {
  return named<WeightDecayRamp::cosine>("weight decay ramp", {"constant", "linear", "cosine"});
}

/// Settings of optimizer.name = muon, for the matrices of the blocks. AdamW's settings hold for the rest.
struct MuonConfig {
  double lr = 0;  ///< of the matrices; 0 = lr.base
  double momentum = 0.95;
  bool nesterov = true;
  MuonCoefficients coefficients = MuonCoefficients::fixed;
  double a = 3.4445;  ///< of x, in the polynomial a x + b x^3 + c x^5 of MuonCoefficients::fixed
  double b = -4.775;
  double c = 2.0315;
  int64_t ns_steps = 5;
  double eps = 1e-7;  ///< least Frobenius norm that a matrix is divided by
  NewtonSchulzPrecision ns_dtype = NewtonSchulzPrecision::bfloat16;
  MuonScale adjust_lr = MuonScale::original;
  bool split_qkv = false;
  MuonSharding sharding = MuonSharding::gathered;
};

/// Settings of optimizer.name = adafactor. Defaults are those of torch.optim.Adafactor for float32.
struct AdafactorConfig {
  double beta2_decay = -0.8;             ///< power of the update's number in 1 - beta2
  double eps1 = 1.1920928955078125e-07;  ///< of a squared gradient's root; 2^-23
  AdafactorEps eps1_place = AdafactorEps::denominator;
  double eps2 = 1e-3;  ///< least RMS of a parameter in its step
  double d = 1;        ///< RMS above which an update is scaled down
  bool relative_step = true;
  bool scale_parameter = true;
};

struct OptimizerConfig {
  OptimizerName name = OptimizerName::adamw;
  OptimizerImplementation implementation = OptimizerImplementation::fused;
  double beta1 = 0.9;
  double beta2 = 0.95;
  double eps = 1e-8;
  double weight_decay = 0.1;
  WeightDecayRamp weight_decay_ramp = WeightDecayRamp::constant;
  double weight_decay_start = 0;  ///< of a ramp; it ends at weight_decay
  double momentum = 0;
  DecayedParameters decay = DecayedParameters::all;
  WeightStorage weights = WeightStorage::float32;
  int64_t rounding_seed = 0;  ///< of WeightStorage::stochastic
  MuonConfig muon;
  AdafactorConfig adafactor;
  double qk_clip = 0;  ///< tau, above which a head's logits are scaled down after the update; 0 = never
  QkClipScope qk_clip_scope = QkClipScope::head;
};

}  // namespace parity::reference
