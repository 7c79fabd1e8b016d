// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "harness/compare/curves/series.hpp"
#include "reports/compare/comparison.hpp"

namespace parity::cli {

/// Parts of the pages of logs, traces and checkpoints.

/// A channel of one side next to the first side's, at the steps that both have.
struct OverlayPart {
  std::string label;
  const compare::Series &expected, &actual;  ///< of equal steps
};

/// Returns the curves of a channel over all steps that any pair has, with the gap of each side to the first.
/// \param first  label of the first side
/// \param floor  returns the noise at a step, or nothing; empty for a curve without a band
reports::OverlayCurve overlay(const std::string& channel, const std::string& first,
                              const std::vector<OverlayPart>& parts,
                              const std::function<reports::Value(int64_t step)>& floor = {});

/// Returns where a file comes from: name, kind, contents, size and hash.
/// \param contents  what it holds, such as {"channels", "5"}
std::vector<std::pair<std::string, std::string>> facts_of_file(
    const std::string& name, const std::string& kind,
    const std::vector<std::pair<std::string, std::string>>& contents, const std::filesystem::path& file);

/// Most rows of a table.
inline constexpr size_t most_page_rows = 300;

/// Returns "12 more tensors are not shown."; "" if all are.
std::string cut_note(size_t count, const std::string& what);

}  // namespace parity::cli
