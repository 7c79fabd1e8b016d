// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/bisect/versions/pins.hpp"
#include "harness/suite/cases/case.hpp"
#include "harness/suite/runs/run_settings.hpp"

namespace parity::bisect {

/// The question to every environment between two sets of versions. It answers by the arms of a case.
struct VersionQuestion {
  Pins good, bad;
  suite::Case source;                 ///< has a table [python], and arms that use {python}
  std::vector<std::string> arms;      ///< only these arms; empty: those that use {python}
  std::vector<std::string> channels;  ///< globs: only these channels count; empty: everything
  double tolerance = 0;               ///< relative distance up to which two environments are the same
  size_t most = SIZE_MAX;             ///< largest number of releases to evaluate of one package
  double install_timeout = 3600;      ///< of one environment [seconds]
  suite::RunSettings suite;           ///< its `out` is the parent of all files of the search

  std::filesystem::path folder() const { return suite.out / "bisect" / "versions"; }
};

/// Checks the question, and sets the arms.
/// \throws UserError if the case has no such arm or no environment of Python, or a number is out of range
void complete_question(VersionQuestion& question);

}  // namespace parity::bisect
