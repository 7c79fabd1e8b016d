// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "reports/model/suite/form.hpp"
#include "reports/model/suite/results.hpp"

namespace parity::reports {

/// The order in which a form receives the cases.
enum class Order { of_the_suite, failing_first };

/// How a form of the results is created. A new form is a pair of files and a row in render.cpp.
struct Renderer {
  std::string_view name;
  std::string_view file;  ///< inside the output folder
  Order order;
  /// \param results  outlives the form
  /// \param folder   where a form may store text temporarily
  std::unique_ptr<Form> (*begin)(const Results& results, Sink out, const std::filesystem::path& folder);
};

/// Returns every renderer: terminal, junit, summary, html.
std::span<const Renderer> renderers();

/// Returns one form as text.
std::string rendered(const Renderer& renderer, const ResultsFile& results);

/// Reads results.json and writes report.txt, junit.xml, summary.md, index.html and the plotting library next
/// to it. Each file is complete or missing. Only one case at a time is in memory.
/// \return the summary of all cases
/// \throws UserError as load_results; if a file cannot be written; (exit 3) if plotly.min.js is not installed
Results render(const std::filesystem::path& results_json, const std::filesystem::path& out_dir);

}  // namespace parity::reports
