// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "harness/base/enum_names.hpp"
#include "harness/base/exit_code.hpp"

namespace parity::results {

/// The reasons why a run does not finish.
enum class FailureKind {
  crashed,      ///< a rank ended by a signal or with an error status
  hung,         ///< no rank made progress within its time limit
  no_trace,     ///< the run ended well and left no trace
  bad_trace,    ///< its trace cannot be read, is partial, or contradicts the run
  bad_fault,    ///< a fault to inject matched no tensor
  non_finite,   ///< the trainer met a NaN or an infinity and stopped
  interrupted,  ///< Ctrl-C, or the suite was stopped
  not_started,  ///< something it needs failed: the run of another trace, a job
  bad_config,   ///< the trainer refused its config
  missing,      ///< a program, or a file that the config names, is not there
  no_device,    ///< the machine has no device that the config asks for
  /// The virtual environment of the case has not been made.
  no_environment,
};

constexpr auto enum_names(FailureKind) {
  return named<FailureKind::no_environment>(
      "kind of failure",
      {"crashed", "hung", "no_trace", "bad_trace", "bad_fault", "non_finite", "interrupted", "not_started",
       "bad_config", "missing", "no_device", "no_environment"});
}

/// Returns the kind with this name in results; `crashed` for "" or a name that this version does not know.
FailureKind failure_kind_of(std::string_view name);

/// The consequences of a kind of failure.
struct FailureMeaning {
  ExitCode exit_code;  ///< of a case with an arm that failed in this way
  bool computed;       ///< whether it says something about the numbers; false: training never began
};

/// Returns the consequences of a kind of failure, from the one table of them.
FailureMeaning meaning_of(FailureKind kind);

}  // namespace parity::results
