// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/files/spool.hpp"
#include "reports/html/case_section.hpp"
#include "reports/html/page_data.hpp"
#include "reports/html/short_paths.hpp"
#include "reports/model/suite/form.hpp"

namespace parity::reports {

/// The name of the file that index.html loads from its own folder.
inline constexpr std::string_view plot_library_name = "plotly.min.js";

/// The name of the page of pairs of features in that folder, which index.html links if it is there.
inline constexpr std::string_view coverage_page_name = "coverage.html";

/// Writes one offline page from templates/, with the text of the results escaped. The curves of each case are
/// a JSON block, which the page's script draws when a plot is scrolled into view. The page loads
/// plot_library_name from its own folder and nothing else. Cases that fail come first, because they are added
/// first.
class HtmlForm : public Form {
 public:
  /// \param folder  of the page; also the temporary place of its data until the sections are written
  HtmlForm(const Results& results, Sink out, const std::filesystem::path& folder);

  void add(const Case& item) override;
  void end() override;

 private:
  /// Writes text of the results, without absolute paths.
  void write(const std::string& text);
  /// Writes the page up to a tag, which is then filled one case at a time.
  void write_until(std::string_view tag);

  Sink out_;
  std::string_view template_;  ///< the part of the page that is not written yet
  Data page_;
  std::vector<std::string> slugs_;
  CaseSection section_;
  Texts texts_;
  ShortPaths paths_;
  Spool data_;
};

}  // namespace parity::reports
