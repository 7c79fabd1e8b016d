// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/json/json.hpp"
#include "harness/laws/muon/newton_schulz.hpp"
#include "harness/laws/run/recorded_run.hpp"

// Trainers agree on Newton-Schulz and differ in all around it. A run may say which convention it follows.
// Where it does not, any known one is lawful, if all matrices follow it at all updates.

namespace parity::laws {

/// Factor of the learning rate of an A x B matrix.
///
/// - original:        sqrt(max(1, A / B)), Keller Jordan
/// - match_rms_adamw: 0.2 sqrt(max(A, B)), Moonshot, arXiv:2502.16982
/// - unit_rms_norm:   sqrt(A / B), Bernstein, "Deriving Muon"
/// - spectral:        sqrt(max(A, B)), NVIDIA's Emerging-Optimizers
/// - none:            1
enum class MuonScale { original, match_rms_adamw, unit_rms_norm, spectral, none };

constexpr auto enum_names(MuonScale) {
  return named<MuonScale::none>("scale of Muon's updates",
                                {"original", "match_rms_adamw", "unit_rms_norm", "spectral", "none"});
}

double muon_scale(MuonScale rule, size_t rows, size_t columns);
/// Returns the formula of a factor and who uses it.
std::string describe(MuonScale rule);

/// Coefficients that trainers publish.
///
/// - keller_jordan: 3.4445, -4.7750, 2.0315 in every step
/// - quintic:       another polynomial for each of 5 steps
/// - polar_express: another for each of 8 steps, arXiv:2505.16932
enum class SchulzTable { keller_jordan, quintic, polar_express };

constexpr auto enum_names(SchulzTable) {
  return named<SchulzTable::polar_express>("coefficients of Newton-Schulz",
                                           {"Keller Jordan's", "quintic", "Polar Express"});
}

/// Returns the first steps of a table, at most as many as it has.
std::vector<Quintic> schulz_steps(SchulzTable table, size_t count);

/// Rows of a fused projection: of each key head its queries, its key and its value.
struct FusedHeads {
  size_t sharing = 1;   ///< queries for each key head
  size_t head_dim = 0;  ///< rows of a head
};

/// What a run says of its Muon. What is empty, it does not say.
struct MuonRules {
  std::optional<bool> nesterov = {};
  std::optional<std::vector<Quintic>> steps = {};
  std::optional<double> eps = {};
  std::optional<MuonScale> scale = {};
  std::optional<bool> narrow = {};       ///< whether Newton-Schulz computes in bfloat16
  std::optional<FusedHeads> fused = {};  ///< if `attention.wqkv.weight` has q, k and v
  bool split_qkv = false;                ///< whether they are matrices apart
  bool spent = false;                    ///< whether the audit has orthogonalized as many matrices as it does
  bool by_blocks = false;                ///< each rank takes its shard for a whole matrix
};

/// Returns what the config of parity-train says: optimizer.muon.*.
MuonRules muon_rules_of_config(const RecordedRun& run);

/// Returns what the settings of a parameter group say, by the names of torch.optim.Muon: nesterov, ns_steps,
/// ns_coefficients, eps and adjust_lr_fn.
MuonRules muon_rules_of_settings(const Json& settings);

/// A form of the step that a run uses throughout.
struct MuonForm {
  bool nesterov = true;
  MuonScale scale = MuonScale::original;
  SchulzTable table = SchulzTable::keller_jordan;
  size_t steps = 5;
  auto operator<=>(const MuonForm&) const = default;
};

/// Returns a form as text: "Nesterov's momentum, 5 steps of Newton-Schulz, sqrt(max(1, rows / columns))".
std::string describe(const MuonForm& form);

}  // namespace parity::laws
