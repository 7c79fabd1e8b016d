// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/compare/outputs.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "harness/base/files/file.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/compare/text/wording.hpp"
#include "reports/compare/page.hpp"
#include "reports/compare/plots.hpp"
#include "reports/html/plot_library.hpp"

namespace parity::cli {
namespace {

namespace fs = std::filesystem;

std::string write_page(const fs::path& file, const reports::Comparison& comparison) {
  write_file(file, comparison_page(comparison));
  reports::copy_plot_library(fs::absolute(file).parent_path());
  return "wrote " + escape_to_line(file.string());
}

std::string write_pictures(const fs::path& folder, const reports::Comparison& comparison) {
  const size_t drawn = write_comparison_plots(comparison, folder);
  return fmt::format("drew {} to {}", compare::count_text(drawn, "channel"), escape_to_line(folder.string()));
}

}  // namespace

void write_outputs(const ComparisonOutputs& outputs, const std::function<reports::Comparison()>& comparison,
                   bool say) {
  if (!outputs.any())
    return;
  reports::Comparison content = comparison();
  content.title = outputs.title;
  const auto told = [&](const std::string& sentence) {
    if (say)
      fmt::print("{}\n", sentence);
  };
  if (!outputs.html.empty())
    told(write_page(outputs.html, content));
  if (!outputs.report.empty())
    told(write_page(fs::path(outputs.report) / "index.html", content));
  if (!outputs.plots.empty())
    told(write_pictures(outputs.plots, content));
  if (!outputs.report.empty())
    told(write_pictures(fs::path(outputs.report) / "plots", content));
}

}  // namespace parity::cli
