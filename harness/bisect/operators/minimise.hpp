// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "harness/base/terminal/progress.hpp"
#include "harness/suite/cases/case.hpp"
#include "harness/suite/runs/run_settings.hpp"

namespace parity::bisect {

/// The smallest input found for which a check of an operator case fails.
struct SmallestFailure {
  bool found = false;               ///< whether a check fails because its arms differ
  size_t check = 0;                 ///< number of that check in the case
  std::string sentence;             ///< of the check, for the smallest input; or why nothing was searched
  std::string point;                ///< "b = 1, s = 3, float32"
  std::string first_point;          ///< where the search began
  int64_t elements = 0;             ///< of the inputs
  int64_t not_zero = 0;             ///< of these
  int64_t first_elements = 0;       ///< of the inputs where the search began
  size_t rounds = 0;                ///< runs of the arms
  std::filesystem::path file = {};  ///< the inputs, as a trace
  std::string lines = {};           ///< of an [operator] table that takes them

  Json to_json() const;
};

/// Searches the smallest input for which the first failing check still fails: first the sizes, then the
/// values.
///
/// Each round runs the arms once. It asks about many candidates, since each point of a sweep is judged by
/// itself: smaller sizes of every symbol; then inputs with parts set to 0; at last values of one significant
/// bit. Keeps the result as OUT/reproducers/CASE.h5.
/// \throws UserError as run_arms
SmallestFailure minimise(const suite::Case& source, const suite::RunSettings& settings, Progress& progress);

}  // namespace parity::bisect
