// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/results.hpp"

namespace parity::reports {

/// GitHub-flavoured Markdown, made for a job summary: the outcome, a table of cases, each failure expanded.
/// At most 50 failed checks are written out, so that it stays far below GitHub's limit of 1 MiB; the rest is
/// counted.
std::string summary(const Results& results);

}  // namespace parity::reports
