// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/gradients/hand_clipping.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "harness/laws/gradients/norm_guesses.hpp"
#include "harness/laws/run/rounding.hpp"

namespace parity::laws {
namespace {

using trace::Phase;

/// The gradients of one update, before and after something scaled all of them.
struct Scaling {
  int64_t step = 0;
  double before = 0, after = 0;  ///< norms
  double bound = 0;              ///< relative, of either norm and of the factor

  bool is_clipped() const { return after < before * (1 - bound); }
  bool is_same() const { return std::abs(after - before) <= bound * before; }
};

bool fits_factor(const GradientNorms& before, const GradientNorms& after, double factor, double bound) {
  for (size_t i = 0; i < before.names.size(); ++i) {
    const double wanted = factor * std::sqrt(before.squares[i]), found = std::sqrt(after.squares[i]);
    if (!(std::abs(found - wanted) <= bound * wanted))
      return false;
  }
  return true;
}

/// Returns how an update scaled its gradients; nothing without both phases, or with several factors.
std::optional<Scaling> read_scaling(const RecordedRun& run, int64_t step) {
  const GradientNorms before = gradient_norms(run, step, Phase::grad_local),
                      after = gradient_norms(run, step, Phase::grad);
  if (before.names.empty() || before.names != after.names || !before.bad.empty() || !after.bad.empty() ||
      before.norm() == 0)
    return std::nullopt;
  const double roundoff = std::max(before.roundoff, after.roundoff);
  const Scaling found{step, before.norm(), after.norm(), norm_bound(before.elements, roundoff)};
  if (!fits_factor(before, after, found.after / found.before, 2 * found.bound))
    return std::nullopt;
  return found;
}

/// Returns the relative distance of a clipped norm from its limit: rounding, and the 1e-6 that PyTorch adds
/// to the norm before it divides.
double distance_bound(const Scaling& at) {
  return std::min(2 * at.bound + 2e-6 / at.before, 1e-3);
}

/// Returns whether a norm is the limit, up to rounding.
bool meets(const Scaling& at, double limit) {
  return std::abs(at.after - limit) <= distance_bound(at) * limit;
}

}  // namespace

bool may_be_clipped_by_hand(const RecordedRun& run, int64_t step) {
  const Json& facts = run.trace().provenance();
  if (!facts.is_object() || !facts.contains("recipe") || !facts["recipe"].is_object())
    return false;
  return !facts["recipe"].contains("clip") && run.names(step, Phase::grad_clipped).empty();
}

std::optional<HandClipping> find_hand_clipping(const RecordedRun& run) {
  if (run.trace().ranks() > 1 || run.trace().joined_ranks() > 1)
    return std::nullopt;
  std::vector<Scaling> clipped, same;
  for (const int64_t step : run.steps()) {
    if (!may_be_clipped_by_hand(run, step))
      return std::nullopt;
    const auto scaling = read_scaling(run, step);
    if (!scaling)
      continue;
    if (!scaling->is_clipped() && !scaling->is_same())
      return std::nullopt;
    (scaling->is_clipped() ? clipped : same).push_back(*scaling);
  }
  if (clipped.empty())
    return std::nullopt;
  HandClipping found;
  for (const Scaling& at : clipped)
    found.max_norm = std::max(found.max_norm, at.after);
  for (const Scaling& at : clipped) {
    const auto limit = run.max_norm(at.step);
    if (!meets(at, found.max_norm) || (clipped.size() < 2 && !(limit && meets(at, *limit))))
      return std::nullopt;
    found.steps.insert(at.step);
  }
  const bool has_larger = std::ranges::any_of(
      same, [&](const Scaling& at) { return at.after > found.max_norm * (1 + distance_bound(at)); });
  return has_larger ? std::nullopt : std::optional(found);
}

}  // namespace parity::laws
