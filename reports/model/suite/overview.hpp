// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reports/model/suite/results.hpp"

/// The part of a report above the cases: the few lines about the whole suite that a reader wants first.
namespace parity::reports {

/// A check and the case it belongs to. Not owned.
struct Finding {
  const CaseLine* item = nullptr;
  size_t case_index = 0;
  const Check* check = nullptr;
  size_t check_index = 0;  ///< position in its case
};

/// Returns the failed checks, in the order of the suite.
std::vector<Finding> failures(const Results& results);

/// How the suite agrees with its goldens.
struct GoldenState {
  size_t quantities = 0;          ///< compared
  size_t agree = 0;               ///< bit for bit
  size_t cases = 0;               ///< with a golden
  size_t without = 0;             ///< cases that have no golden yet
  size_t lost = 0;                ///< quantities of runs that did not finish, so nobody could compare them
  std::vector<Finding> changed;   ///< different, drifted, or missing on a side
  std::vector<Finding> recorded;  ///< written, or left unchanged, instead of compared

  /// Returns "1,001 of 1,001 stored quantities of 32 cases agree bit for bit".
  std::string sentence() const;

 private:
  std::string sentence_of_compared() const;
};
GoldenState golden_state(const Results& results);

/// Returns the cases whose runs took longest, slowest first; none if they took no time.
std::vector<const CaseLine*> slowest(const Results& results, size_t most);

/// Returns 12345 as "12,345".
std::string grouped(size_t number);

}  // namespace parity::reports
