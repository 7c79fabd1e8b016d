// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

/// The files of reports/html/templates, embedded by embed.cmake when the library is built.
namespace parity::reports::templates {

extern const std::string_view page_mustache;
extern const std::string_view nav_row_mustache;
extern const std::string_view case_row_mustache;
extern const std::string_view case_mustache;
extern const std::string_view check_mustache;
extern const std::string_view check_group_mustache;
extern const std::string_view check_alike_mustache;
extern const std::string_view details_mustache;
extern const std::string_view arm_mustache;
extern const std::string_view search_mustache;
extern const std::string_view stage_mustache;
extern const std::string_view facts_mustache;
extern const std::string_view chart_mustache;
extern const std::string_view compare_mustache;
extern const std::string_view coverage_mustache;
extern const std::string_view report_css;
extern const std::string_view search_css;
extern const std::string_view compare_css;
extern const std::string_view coverage_css;
extern const std::string_view canvases_js;
extern const std::string_view plots_js;
extern const std::string_view heat_js;
extern const std::string_view masks_js;
extern const std::string_view copy_js;
extern const std::string_view report_js;
extern const std::string_view plain_js;
extern const std::string_view cases_js;
extern const std::string_view tables_js;
extern const std::string_view compare_js;
extern const std::string_view GLOSSARY_md;  ///< harness/GLOSSARY.md

}  // namespace parity::reports::templates
