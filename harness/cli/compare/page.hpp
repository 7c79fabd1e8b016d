// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "harness/logs/compare/compare_logs.hpp"
#include "harness/logs/log.hpp"

namespace parity::cli {

/// A page of a comparison that the user wants.
struct ComparisonFile {
  std::string path;   ///< "" for none
  std::string title;  ///< "" for none
};

/// One side of a comparison of channels.
struct ComparedSide {
  const logs::Log& log;
  std::filesystem::path file;  ///< that was read; "-" for the standard input
};

/// Writes the page of a comparison, whole or not at all, and the plotting library beside it if it is
/// installed.
/// \param verdict  the sentence that the verb prints
/// \throws UserError if it cannot be written
void write_comparison(const ComparisonFile& file, const logs::LogDifference& difference,
                      const ComparedSide& first, const ComparedSide& second, const std::string& verdict,
                      bool agrees);

}  // namespace parity::cli
