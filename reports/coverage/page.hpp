// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/coverage/matrix.hpp"

namespace parity::reports {

/// Returns a matrix as one offline page without scripts. Each text is escaped.
std::string coverage_page(const CoverageMatrix& matrix);

}  // namespace parity::reports
