// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/coverage/survey.hpp"
#include "reports/coverage/matrix.hpp"

namespace parity::cli {

/// Returns a survey as the matrix of a page.
reports::CoverageMatrix coverage_matrix(const coverage::Survey& survey);

}  // namespace parity::cli
