// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/base/terminal/progress.hpp"
#include "harness/bisect/search_record.hpp"
#include "harness/bisect/versions/question.hpp"

namespace parity::bisect {

/// Finds the releases of packages that moved a case's numbers: first which packages, then which release of
/// each, the largest move first.
///
/// n packages take about log2 n environments for one culprit, m releases of it log2 m more. Environments that
/// cannot be installed are skipped.
/// \throws UserError if a side cannot be installed or run, or two sides name the same versions; after Ctrl-C
///         (exit 130)
SearchRecord search_versions(VersionQuestion question, Progress& progress);

}  // namespace parity::bisect
