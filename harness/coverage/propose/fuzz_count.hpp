// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "harness/base/exit_code.hpp"
#include "harness/coverage/propose/trials.hpp"

namespace parity::coverage {

/// What `parity fuzz` found so far.
struct FuzzCount {
  int64_t cases = 0, arms = 0;
  int64_t different = 0;  ///< arms that differ from the plain arm, or did not end
  int64_t untrained = 0;  ///< cases whose arms agree, but whose loss did not fall
  int64_t amplified =
      0;  ///< cases whose arms differ by what float64 removes, and whose plain arm loses as much

  /// Adds a case; one that was not judged counts nothing.
  void add(const Trial& trial);
  /// Returns agree, differ, or missing if no case was judged whose agreement says something.
  ExitCode exit_code() const;
  /// Returns a line such as "8 cases with 20 arms in 60 s: 0 arms differ or did not end".
  std::string sentence(double seconds) const;
};

}  // namespace parity::coverage
