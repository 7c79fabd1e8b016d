// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
// Limits are measured: decisions.md, "Newton-Schulz is emulated", has the numbers and the command.
#include "harness/laws/muon/step_match.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace parity::laws {
namespace {

using Values = std::vector<double>;

/// Of the same arithmetic with sums in another order: at most 0.076 of the direction and 0.0067 of the factor
/// were measured.
constexpr double bfloat16_limit = 0x1p-3, bfloat16_factor_limit = 0x1p-6;
/// Of float32 against float64, for matrices without singular values that rounding makes.
constexpr double float32_limit = 0x1p-12;
/// Distance of an arithmetic in bfloat16 from float64 over the largest of those that are emulated, which
/// include one that rounds each operation: 2.3 was measured.
constexpr double unknown_share = 4;
/// Standard deviations of the decay: 3.2 was measured.
constexpr double deviations = 8;

double dot(const Values& x, const Values& y) {
  double total = 0;
  for (size_t i = 0; i < x.size(); ++i)
    total += x[i] * y[i];
  return total;
}

double length(const Values& x) {
  return std::sqrt(dot(x, x));
}

double distance(const Values& x, const Values& y) {
  double squares = 0;
  for (size_t i = 0; i < x.size(); ++i)
    squares += (x[i] - y[i]) * (x[i] - y[i]);
  return std::sqrt(squares);
}

/// Returns what the roundings of a parameter, its decay and its step may be, in norm.
double rounding_of(const MuonMove& move) {
  double squares = 0;
  for (size_t i = 0; i < move.before.size(); ++i) {
    const double most = move.roundoff * (2 * std::abs(move.before[i]) + std::abs(move.after[i]));
    squares += most * most;
  }
  return std::sqrt(squares);
}

/// Returns the largest distance of the emulated arithmetics from float64, over the norm.
double spread(const Values& exact, const Values& input, const MatrixBlocks& blocks,
              const NewtonSchulz& rule) {
  double most = 0x1p-8;
  for (const SchulzArithmetic arithmetic :
       {SchulzArithmetic::bfloat16, SchulzArithmetic::bfloat16_apart, SchulzArithmetic::bfloat16_divided})
    most = std::max(most, distance(blocks.orthogonalized(input, rule, arithmetic), exact) / length(exact));
  return most;
}

void set_limits(StepMatch& match, double limit, double factor_limit) {
  match.limit = limit + match.hidden;
  match.factor_limit = factor_limit + match.hidden;
}

/// Returns float32's distance from float64 for this matrix, whose small singular values may be rounding.
double float32_spread(const Values& exact, const Values& input, const MatrixBlocks& blocks,
                      const NewtonSchulz& rule) {
  return distance(blocks.orthogonalized(input, rule, SchulzArithmetic::float32), exact) / length(exact);
}

std::vector<StepMatch> measure_scales(const MuonMove& move, const Values& direction,
                                      const MatrixBlocks& blocks, const std::vector<MuonScale>& scales,
                                      SchulzArithmetic arithmetic) {
  std::vector<StepMatch> matches;
  for (const MuonScale scale : scales) {
    StepMatch match = measure_step(move, blocks.scaled(direction, scale));
    match.scale = scale;
    match.arithmetic = arithmetic;
    matches.push_back(match);
  }
  return matches;
}

bool any_direction(const std::vector<StepMatch>& matches) {
  return std::ranges::any_of(matches, &StepMatch::has_direction);
}

double least_rest(const std::vector<StepMatch>& matches) {
  double least = INFINITY;
  for (const StepMatch& match : matches)
    if (match.rest < least)
      least = match.rest;
  return least;
}

/// Matches of float64, with the limits of float32.
std::vector<StepMatch> match_wide(const MuonMove& move, const Values& input, const MatrixBlocks& blocks,
                                  const NewtonSchulz& rule, const std::vector<MuonScale>& scales) {
  const Values exact = blocks.orthogonalized(input, rule, SchulzArithmetic::exact);
  std::vector<StepMatch> matches = measure_scales(move, exact, blocks, scales, SchulzArithmetic::exact);
  double limit = float32_limit;
  // Only what comes near needs the emulation. 16: sums of float32 in another order, at most 14 measured.
  if (const double rest = least_rest(matches); rest > limit && rest < 0x1p-4)
    limit += 16 * float32_spread(exact, input, blocks, rule);
  limit = std::min(limit, 0x1p-4);
  for (StepMatch& match : matches)
    set_limits(match, limit, limit);
  return matches;
}

}  // namespace

StepMatch measure_step(const MuonMove& move, const Values& direction) {
  Values moved(move.before.size());
  for (size_t i = 0; i < moved.size(); ++i)
    moved[i] = move.before[i] - move.after[i];
  const double ee = dot(direction, direction), ep = dot(direction, move.before),
               pp = dot(move.before, move.before);
  const double me = dot(moved, direction), mp = dot(moved, move.before);
  const double apart = pp - ep * ep / ee;  // squared norm of the parameter without its share of E
  StepMatch match;
  const bool has_decay = apart > 1e-6 * pp;
  match.shrunk = has_decay ? (mp - me * ep / ee) / apart : 0;
  const double along = (me - match.shrunk * ep) / ee;
  match.factor = along / move.lr;
  double squares = 0;
  for (size_t i = 0; i < moved.size(); ++i)
    squares += std::pow(moved[i] - along * direction[i] - match.shrunk * move.before[i], 2);
  const double size = std::abs(along) * std::sqrt(ee), count = std::sqrt(static_cast<double>(moved.size()));
  match.rest = std::sqrt(squares) / size;
  match.hidden = rounding_of(move) / size;
  match.hidden_if_due = rounding_of(move) / (move.lr * std::sqrt(ee));
  // The rest is spread over all elements, so that only a share of it lies along the parameter.
  match.shrunk_error =
      !has_decay ? INFINITY
                 : std::min(deviations, count) * std::sqrt(squares / apart) / count + 4 * move.roundoff;
  return match;
}

std::vector<StepMatch> match_steps(const MuonMove& move, const Values& input, const MatrixBlocks& blocks,
                                   const NewtonSchulz& rule, const std::vector<MuonScale>& scales,
                                   bool narrow) {
  std::vector<StepMatch> nearest = match_wide(move, input, blocks, rule, scales);
  if (any_direction(nearest) || !narrow)
    return nearest;
  for (const SchulzArithmetic arithmetic :
       {SchulzArithmetic::bfloat16, SchulzArithmetic::bfloat16_apart, SchulzArithmetic::bfloat16_divided}) {
    std::vector<StepMatch> matches =
        measure_scales(move, blocks.orthogonalized(input, rule, arithmetic), blocks, scales, arithmetic);
    for (StepMatch& match : matches)
      set_limits(match, bfloat16_limit, bfloat16_factor_limit);
    if (least_rest(matches) < least_rest(nearest))
      nearest = std::move(matches);
    if (any_direction(nearest) && least_rest(nearest) <= 0x1p-6)
      break;
  }
  return nearest;
}

std::vector<StepMatch> match_unknown_arithmetic(const MuonMove& move, const Values& input,
                                                const MatrixBlocks& blocks, const NewtonSchulz& rule,
                                                const std::vector<MuonScale>& scales) {
  const Values exact = blocks.orthogonalized(input, rule, SchulzArithmetic::exact);
  std::vector<StepMatch> matches = measure_scales(move, exact, blocks, scales, SchulzArithmetic::exact);
  const double limit = unknown_share * spread(exact, input, blocks, rule);
  for (StepMatch& match : matches)
    set_limits(match, limit, limit);
  return matches;
}

}  // namespace parity::laws
