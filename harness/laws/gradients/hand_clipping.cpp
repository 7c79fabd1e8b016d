// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/gradients/hand_clipping.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "harness/laws/gradients/norm_guesses.hpp"
#include "harness/laws/gradients/set_norms.hpp"
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

/// A size that should be the limit, and the norm that clipping divided by.
struct Sized {
  int64_t step = 0;
  double size = 0, divisor = 0, bound = 0;

  /// Returns the relative distance from the limit: rounding, and the 1e-6 that PyTorch adds to the norm.
  double distance_bound() const { return std::min(2 * bound + 2e-6 / divisor, 1e-3); }
  bool meets(double limit) const { return std::abs(size - limit) <= distance_bound() * limit; }
};

/// Returns the limit if all sizes are one. A single update needs the limit of the config beside it.
std::optional<double> common_limit(const RecordedRun& run, const std::vector<Sized>& sizes) {
  double limit = 0;
  for (const Sized& at : sizes)
    limit = std::max(limit, at.size);
  for (const Sized& at : sizes) {
    const auto promised = run.max_norm(at.step);
    if (!at.meets(limit) || (sizes.size() < 2 && !(promised && at.meets(*promised))))
      return std::nullopt;
  }
  return sizes.empty() ? std::nullopt : std::optional(limit);
}

/// Returns the limit if all clipped gradients have that norm, and no others have a larger one.
std::optional<double> limit_of_norms(const RecordedRun& run, const std::vector<Scaling>& clipped,
                                     const std::vector<Scaling>& same) {
  std::vector<Sized> sizes;
  for (const Scaling& at : clipped)
    sizes.push_back({at.step, at.after, at.before, at.bound});
  const auto limit = common_limit(run, sizes);
  const bool has_larger =
      limit && std::ranges::any_of(same, [&](const Scaling& at) {
        return at.after > *limit * (1 + Sized{at.step, at.after, at.before, at.bound}.distance_bound());
      });
  return has_larger ? std::nullopt : limit;
}

/// Returns the limit if each factor is that, divided by the recorded norm: clipping took this norm for that
/// of the gradients, whether it is or not.
std::optional<double> limit_of_factors(const RecordedRun& run, const std::vector<Scaling>& clipped,
                                       const std::vector<Scaling>& same) {
  std::vector<Sized> sizes;
  for (const Scaling& at : clipped) {
    const auto recorded = run.channel("grad_norm", at.step);
    if (!recorded || !(*recorded > 0))
      return std::nullopt;
    sizes.push_back({at.step, *recorded * at.after / at.before, *recorded, at.bound});
  }
  const auto limit = common_limit(run, sizes);
  const bool has_larger = limit && std::ranges::any_of(same, [&](const Scaling& at) {
                            return run.channel("grad_norm", at.step).value_or(0) > *limit * (1 + 1e-3);
                          });
  return has_larger ? std::nullopt : limit;
}

/// Returns the order of the norm of grad_local that the channel has at all these updates; 2 if none fits.
double order_of_norms(const RecordedRun& run, const std::set<int64_t>& steps) {
  for (const double order : {std::numeric_limits<double>::infinity(), 1.0})
    if (std::ranges::all_of(steps, [&](int64_t step) {
          const auto norm = set_norm(run, step, {.order = order}, Phase::grad_local);
          return norm && norm->agrees(run.channel("grad_norm", step).value_or(0));
        }))
      return order;
  return 2;
}

}  // namespace

bool may_be_clipped_by_hand(const RecordedRun& run, int64_t step) {
  const Json& facts = run.trace().provenance();
  if (!facts.is_object() || !facts.contains("recipe") || !facts["recipe"].is_object())
    return false;
  return run.clip(step).is_object() && run.clip(step).empty() && run.names(step, Phase::grad_clipped).empty();
}

HandScaling hand_scaling(const RecordedRun& run, int64_t step) {
  if (run.trace().ranks() > 1 || run.trace().joined_ranks() > 1 || run.names(step, Phase::grad_local).empty())
    return HandScaling::unknown;
  const auto scaling = read_scaling(run, step);
  if (!scaling)
    return HandScaling::other;
  return scaling->is_same() ? HandScaling::none : HandScaling::one_factor;
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
  HandClipping found;
  for (const Scaling& at : clipped)
    found.steps.insert(at.step);
  if (const auto limit = limit_of_norms(run, clipped, same)) {
    found.max_norm = *limit;
    return found;
  }
  if (const auto limit = limit_of_factors(run, clipped, same)) {
    found.max_norm = *limit;
    found.order = order_of_norms(run, found.steps);
    return found;
  }
  return std::nullopt;
}

}  // namespace parity::laws
