// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/explain/explain.hpp"

namespace parity::cli {

/// Prints in what two recipes differ, as a table, then what could not be compared, then the verdict.
/// \param first, second  the runs as the user named them
/// \param all            also prints what is the same
void print_explanation(const explain::Explanation& found, const std::string& first, const std::string& second,
                       bool all);

/// Prints the table alone, with at most `most` rows; nothing if no row differs.
void print_differences(const explain::Explanation& found, const std::string& first, const std::string& second,
                       size_t most);

}  // namespace parity::cli
