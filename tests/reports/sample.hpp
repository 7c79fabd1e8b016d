// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/base/file.hpp"
#include "harness/base/json.hpp"
#include "reports/results.hpp"
#include "tests/support/places.hpp"

namespace parity::reports {

/// Passing, failing, missing, crashed, vacuous, NaN, three arms, and a case whose every name is markup.
inline std::string sample_path() {
  return places::source + "/tests/reports/sample_results.json";
}

inline Json sample_json() {
  return Json::parse(read_file(sample_path()));
}

inline Results sample() {
  return load_results(sample_path());
}

}  // namespace parity::reports
