// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/base/exit_code.hpp"
#include "harness/base/json/json.hpp"

namespace parity::cli {

/// What was found about one side, next to the first side.
struct PairOutcome {
  std::string side;  ///< as the user named it
  ExitCode code = ExitCode::agree;
  std::string verdict;  ///< a sentence
  Json json;
};

/// Returns the names, with " (2)" and so on after a name that was there before.
std::vector<std::string> unique_labels(const std::vector<std::string>& names);

/// Returns the exit code of all pairs: the first of differ, missing, crashed and agree that a pair has.
ExitCode overall_code(const std::vector<PairOutcome>& pairs);

/// Returns the sentence of the only pair; of more, how many sides agree with the first, and which do not.
std::string overall_verdict(const std::string& first, const std::vector<PairOutcome>& pairs);

/// Prints the pairs as JSON: the only pair's own, or an object of schema parity.overlay/1.
void print_json(const std::string& first, const std::vector<PairOutcome>& pairs);

/// Prints the verdict of one pair of several, or of all.
void print_verdict(ExitCode code, const std::string& verdict);

}  // namespace parity::cli
