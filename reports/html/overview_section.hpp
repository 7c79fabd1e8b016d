// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reports/html/page_parts.hpp"
#include "reports/model/suite/results.hpp"

namespace parity::reports {

/// Fills the part of the page above the cases: failures, changes against the goldens, the slowest cases.
///
/// \param slugs  id of each case's section
void set_overview(Data& page, const Results& results, const std::vector<std::string>& slugs);

/// Returns a case's row in the page's lists of all cases (templates/nav_row.mustache and case_row.mustache).
/// \param index  position on the page
Data case_row(const CaseLine& item, size_t index, const std::string& slug);

}  // namespace parity::reports
