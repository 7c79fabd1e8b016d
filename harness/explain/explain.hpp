// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/base/exit_code.hpp"
#include "harness/base/json/json.hpp"
#include "harness/explain/topic.hpp"

namespace parity::explain {

/// Version of the JSON that an explanation gives.
constexpr const char* explanation_schema = "parity.explain/1";

/// In what two recipes differ, by consequence: what computes another function first, environments last.
struct Explanation {
  struct Part {
    const Topic* topic;
    Finding finding;
  };
  std::vector<Part> parts;

  /// Returns the number of differences between the environments, or of all others.
  size_t count(bool environment) const;
  /// Returns whether anything of the recipes was compared.
  bool compared() const;
  /// Returns differ if the recipes differ, missing if nothing could be compared, else agree. Another
  /// environment alone is agreement.
  ExitCode exit_code() const;
  std::string verdict() const;
  Json to_json() const;
};

/// Compares what two runs compute, before any of their numbers. Reads tensors' statistics, never their
/// values.
Explanation explain(const trace::Trace& first, const trace::Trace& second);

}  // namespace parity::explain
