// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/golden/golden_file.hpp"
#include "harness/suite/cases/case.hpp"
#include "harness/suite/runs/run_settings.hpp"

namespace parity::bisect {

/// The commit after which an arm may have diverged from its golden.
struct GoldenOriginCommit {
  std::string good;     ///< id of the commit at which the golden held; "" if none is known
  std::string words;    ///< a sentence
  std::string command;  ///< finds the commit that did it; "" if none can
};

/// Returns the last commit known to agree with a golden, from the repository that contains the case.
///
/// This is the commit that added the present golden file. If the file is not committed, it is the commit of
/// the program that recorded it. (Goldens are often recorded before the change is committed, so that commit
/// is only the second choice.)
GoldenOriginCommit golden_origin(const golden::Golden& golden, const suite::Case& source,
                                 const std::string& arm, const suite::RunSettings& options);

}  // namespace parity::bisect
