// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "harness/base/json/json.hpp"
#include "harness/base/terminal/progress.hpp"
#include "harness/reveal/arithmetic.hpp"
#include "harness/reveal/find_tree.hpp"
#include "harness/reveal/predict.hpp"
#include "harness/suite/cases/case.hpp"
#include "harness/suite/runs/run_settings.hpp"

namespace parity::reveal {

/// Which sum of an operator case is asked about.
struct SumQuestion {
  std::string over;  ///< symbol of the dimension that is summed; "": found from the inputs
  std::map<std::string, int64_t> sizes;  ///< of symbols, in place of those of the sweep
  std::string dtype;                     ///< of the inputs; "": the first one of the sweep
};

/// How an arm of an operator case adds.
struct RevealedSum {
  std::string arm;
  std::string over;   ///< "x[0, :] by w[:, 0]"
  std::string point;  ///< "b = 1, k = 64, float32"
  FoundTree found{SummationTree(0)};
  Arithmetic arithmetic;
  Prediction prediction;
  bool multiplies = false;

  /// Returns order and arithmetic in words.
  std::string sentence() const;
  Json to_json() const;
};

/// Finds how an arm adds, by running it on probes. Each round of probes is one run, whose points differ in
/// values only.
///
/// The elements along the summed dimension are probed in the first line of the tensor; all other elements are
/// zero. If a second tensor has the dimension, its first line holds the factors. The first element of the
/// first output is the result.
/// \throws NotRevealed as find_tree
/// \throws UserError if no dimension is summed, or if the arm fails
RevealedSum reveal_arm(const suite::Case& source, const std::string& arm, const SumQuestion& question,
                       const suite::RunSettings& settings, Progress& progress);

/// Returns whether two arms add in the same order and round alike.
bool adds_alike(const RevealedSum& a, const RevealedSum& b);

/// Returns what two orders have to do with each other: "formula and fused add in the same order", or both
/// orders.
std::string compare(const RevealedSum& a, const RevealedSum& b);

}  // namespace parity::reveal
