// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/base/json/json.hpp"
#include "harness/operators/problem/problem.hpp"
#include "harness/trace/write/recorder.hpp"

namespace parity::operators {

/// What the environment of a command arm asks a runner for.
struct RunnerTask {
  Json config;
  Json arm;  ///< config key `operator`: what to call, and how
  Problem problem;
  bool wide = false;   ///< the float64 twin: inputs of the point's dtype, widened
  std::string folder;  ///< of the case; "" if the program got none
};

/// Runs a program's main part. Prints "PROGRAM: PROBLEM" and returns the exit status of a failure.
/// \param run  given the task that PARITY_CONFIG and PARITY_DTYPE name
int run_program(const std::string& name, int argc, char** argv,
                const std::function<void(const RunnerTask&)>& run);

/// Calls `compute` for each point within a step of the trace at PARITY_TRACE, and names the point in the
/// heartbeat before, so that a crash shows where it was.
/// \throws UserError with the point, if `compute` throws
void run_points(const RunnerTask& task, const Json& provenance,
                const std::function<void(trace::Recorder& recorder, size_t point)>& compute);

/// Records the inputs of a point, in their own dtypes.
void record_inputs(trace::Recorder& recorder, const RunnerTask& task, size_t point);

/// Returns a number that nearly every change of a bit or of the order changes: the sum with signs by index.
double mark_of(const std::vector<double>& values);

}  // namespace parity::operators
