// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "harness/base/files/file.hpp"
#include "harness/base/json/json.hpp"
#include "reports/model/suite/results.hpp"
#include "reports/render.hpp"
#include "tests/support/places.hpp"

namespace parity::reports {

/// Passing, failing, missing, crashed, vacuous, NaN, three arms, and a case whose every name is markup.
inline std::string sample_path() {
  return places::source + "/tests/reports/sample_results.json";
}

inline Json sample_json() {
  return Json::parse(read_file(sample_path()));
}

inline ResultsFile sample_file() {
  return load_results(sample_path());
}

/// Returns the summary of all its cases.
inline Results sample() {
  return sample_file().results();
}

inline Case sample_case(size_t place) {
  return sample_file().whole(place);
}

/// Returns one form of results as text, by the name of its renderer.
inline std::string as(std::string_view name, const ResultsFile& results) {
  return rendered(*std::ranges::find(renderers(), name, &Renderer::name), results);
}

}  // namespace parity::reports
