// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "reports/compare/comparison.hpp"

namespace parity::cli {

/// The files of a comparison that the user wants; "" for none.
struct ComparisonOutputs {
  std::string html;    ///< file of the page
  std::string plots;   ///< folder of pictures and plots.md
  std::string report;  ///< folder of both, as index.html and plots/
  std::string title;

  bool any() const { return !html.empty() || !plots.empty() || !report.empty(); }
};

/// Writes the files, each whole or not at all, and the plotting library beside a page if it is installed.
/// Does nothing if none is wanted.
/// \param comparison  what is on the page; called once, if at all
/// \param say         whether to print what was written
/// \throws UserError if a file cannot be written; (exit 3) if gnuplot is needed and missing
void write_outputs(const ComparisonOutputs& outputs, const std::function<reports::Comparison()>& comparison,
                   bool say);

}  // namespace parity::cli
