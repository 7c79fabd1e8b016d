// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "reports/results.hpp"

namespace parity::reports {

/// The file that index.html loads from its own folder.
inline constexpr std::string_view plot_library_name = "plotly.min.js";

/// One offline page: templates/, with the text of `results` escaped, and the curves as one JSON block that
/// the page's script draws when a plot is scrolled to. It loads plot_library_name from its own folder and
/// nothing else. Cases that fail come first.
std::string html(const Results& results);

}  // namespace parity::reports
