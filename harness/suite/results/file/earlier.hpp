// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <string>

namespace parity::suite {

/// A report that a later run of the same output folder set aside.
struct EarlierReport {
  std::filesystem::path folder;  ///< OUT/earlier/TIME, with a results.json whose traces are still found
  size_t cases = 0;              ///< number of its cases
  std::string started;           ///< when its run began; "" if unknown
};

/// Copies OUT/results.json to OUT/earlier/TIME if it has a row that the results of the next run will not
/// have.
///
/// OUT/earlier never keeps a report all of whose rows are in newer ones, so the newest row of each case is in
/// OUT or below OUT/earlier. Call it before OUT/results.json is replaced.
/// \param next  row keys of the next results
/// \return the copy; nothing if no row would be lost, or there are no readable results
std::optional<EarlierReport> keep_earlier_report(const std::set<std::string>& next,
                                                 const std::filesystem::path& out);

}  // namespace parity::suite
