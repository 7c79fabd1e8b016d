// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/base/exit_code.hpp"
#include "harness/base/json/json.hpp"
#include "harness/cli/compare/outputs.hpp"
#include "reports/compare/comparison.hpp"

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

/// What `parity compare` found, whatever kind the sides are of.
struct ComparedPairs {
  std::string first;  ///< the reference, as the user named it
  std::vector<PairOutcome> pairs;
  std::vector<std::string> heads;  ///< a line about the reference, and one about each other side; "" for none
  std::function<void(size_t pair)> print;
  std::function<reports::Comparison()> page;  ///< without title, verdict and outcome
};

/// Prints all pairs and their verdicts, or JSON: the only pair's own, or an object of schema
/// parity.overlay/1. Then writes the files that are wanted.
/// \return the exit code of all pairs
/// \throws UserError as write_outputs
ExitCode conclude(const ComparedPairs& compared, const ComparisonOutputs& outputs, bool json);

}  // namespace parity::cli
