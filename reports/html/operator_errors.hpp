// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/results/operator_errors.hpp"
#include "reports/html/page_parts.hpp"

namespace parity::reports {

/// Adds to `data` what details.mustache draws of an operator's errors: a chart of the largest error against
/// each dimension of the sweep and against the dtype, the histogram of all elements by error, and the
/// negative controls.
void set_operator_errors(Data& data, const results::OperatorErrors& errors);

}  // namespace parity::reports
