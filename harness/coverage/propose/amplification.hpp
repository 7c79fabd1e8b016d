// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/base/terminal/progress.hpp"
#include "harness/suite/cases/case.hpp"
#include "harness/suite/runs/run_settings.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity::coverage {

/// Runs that start from weights one rounding away from those of another run, and compute as it does. They
/// show how far training carries one rounding in each update.
struct PerturbedRuns {
  const trace::Trace* origin = nullptr;
  std::vector<const trace::Trace*> runs;
  double roundoff = 0x1p-24;  ///< of the dtype
};

/// Returns whether an arm is no farther from the origin than eight times the perturbed runs are, in each
/// update of a channel.
///
/// Distances are relative. That of the perturbed runs is their largest so far, and at least one rounding.
/// Once they are a tenth apart, they are other trainings: a later update says nothing. A value that is
/// missing or not finite is too far.
bool is_within(const PerturbedRuns& perturbed, const trace::Trace& arm, const std::string& channel);

/// Returns whether amplified rounding alone explains how far arms are from the plain arm of their case.
///
/// Runs the plain arm from perturbed weights in the arms' own dtype and in float64 (METRICS.md M6). Each arm
/// must be as near as these in both dtypes, in every channel that an `equivalent` check asks of it. So a
/// difference that rounding does not start, or that is larger than what training makes of one, stays one.
/// \param source  a case whose plain arm is called "plain", and whose arms have float64 twins
/// \param arms    names of the arms that differ
/// \throws UserError as suite::run_arms
bool explains_by_amplification(const suite::Case& source, const std::vector<std::string>& arms,
                               const suite::RunSettings& settings, Progress& progress);

}  // namespace parity::coverage
