// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/base/terminal/progress.hpp"
#include "harness/suite/cases/case.hpp"
#include "harness/suite/runs/run_settings.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity::coverage {

/// Runs that compute as another run does, with results that move by some roundings. They show how far
/// training carries rounding.
struct PerturbedRuns {
  const trace::Trace* origin = nullptr;
  std::vector<const trace::Trace*> runs;
  double roundoff = 0x1p-24;  ///< of the dtype
};

/// How far an arm and the perturbed runs are from the origin at one update, relative to the largest
/// value of the channel.
struct Distance {
  double arm = 0;
  double perturbed = 0;  ///< the largest so far, and at least one rounding
};

/// Returns the distances in a channel for each update; nothing if a run lacks values, or a value of the arm
/// or the origin is not finite.
std::optional<std::vector<Distance>> distances(const PerturbedRuns& perturbed, const trace::Trace& arm,
                                               const std::string& channel);

/// Returns whether rounding explains how far an arm is: at each update at most eight times as far as the
/// perturbed runs. It may also be eight times as many roundings away as in the other dtype: a cancelling sum
/// costs as many in both, a narrower type or another computation does not. Once the perturbed runs are a
/// hundredth apart, they are other trainings: a later update says nothing. At the first update they must not
/// be.
/// \param own         in the dtype of the arm, float32
/// \param in_float64  of its twin and the origin's
bool is_rounding(const std::vector<Distance>& own, const std::vector<Distance>& in_float64);

/// Returns whether amplified rounding alone explains how far arms are from the plain arm of their case.
///
/// Runs the plain arm with perturbed weights, results and gradients, in the arms' own dtype and in float64
/// (METRICS.md M6). Each arm must be as near as these in both dtypes, in every channel that an `equivalent`
/// check asks of it. So a difference that rounding does not start, or that is larger than what training makes
/// of one, stays one.
/// \param source  a case whose plain arm is called "plain", and whose arms have float64 twins
/// \param arms    names of the arms that differ
/// \throws UserError as suite::run_arms
bool explains_by_amplification(const suite::Case& source, const std::vector<std::string>& arms,
                               const suite::RunSettings& settings, Progress& progress);

}  // namespace parity::coverage
