// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/golden/golden_file.hpp"
#include "harness/suite/cases/case.hpp"
#include "harness/suite/runs/run_settings.hpp"

namespace parity {

/// Since which commit an arm may have left its golden.
struct GoldenOriginCommit {
  std::string good;     ///< id of the commit at which the golden held; "" if none is known
  std::string words;    ///< a sentence
  std::string command;  ///< that asks which commit did it; "" where none can
};

/// Looks into the repository that the case lies in. The good side is the commit that brought the golden file
/// as it is; where the file is not committed, the one that the program which recorded it was built from. (A
/// golden is often recorded before the change that it belongs to is committed, so the latter comes second.)
GoldenOriginCommit golden_origin(const Golden& golden, const Case& source, const std::string& arm,
                                 const RunSettings& options);

}  // namespace parity
