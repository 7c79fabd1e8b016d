// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "reports/results.hpp"
#include "reports/terminal.hpp"

namespace parity::reports {

/// One form of the results. Adding one is a pair of files and a row in render.cpp.
struct Renderer {
  std::string_view name;
  std::string_view file;  ///< inside the output folder
  std::string (*function)(const Results&);
};

/// Every renderer: terminal, junit, summary, html.
std::span<const Renderer> renderers();

/// Reads results.json and writes report.txt, junit.xml, summary.md, index.html and the plotting library
/// beside it. Each file is whole or not there.
/// \throws UserError as load_results; if a file cannot be written; (exit 3) if plotly.min.js is not installed
void render(const std::filesystem::path& results_json, const std::filesystem::path& out_dir);

}  // namespace parity::reports
