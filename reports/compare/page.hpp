// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "reports/compare/comparison.hpp"

namespace parity::reports {

/// The number of channels whose curves are open when the page opens.
inline constexpr size_t most_open = 6;

/// Returns one offline page: the verdict, the files, what was compared and left out, and the curves of each
/// channel with their gaps to the first side. Channels come in the order of curve_order(). Their curves are
/// drawn when they are scrolled to.
///
/// The page loads plot_library_name from its own folder, if it is there, and nothing else. Without it the
/// page draws its curves itself. Every text is escaped.
std::string comparison_page(const Comparison& comparison);

}  // namespace parity::reports
