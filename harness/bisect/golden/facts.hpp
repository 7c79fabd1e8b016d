// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/base/json/json.hpp"
#include "harness/suite/cases/flat_config.hpp"

namespace parity::bisect {

/// The keys of the configs or environments of a golden and a run whose values differ.
struct GoldenFacts {
  Json stored = Json::object(), now = Json::object();  ///< by dotted key; null for a missing key
  std::string words;                                   ///< "torch is 2.10.0 in the golden and 2.11.0 here"
  /// Keys that only the run has, and whose default is unknown: "NAME (VALUE)". They may be a cause.
  std::vector<std::string> unknown;

  bool differ() const { return !words.empty(); }
};

/// Returns the keys of an environment whose values differ, and those that only the golden has.
GoldenFacts facts_between(const Json& stored, const Json& now);

/// Returns the keys of a config whose values differ, those that only the golden has, and new keys whose value
/// is not the default. A golden from before a key was made with what is now the key's default.
/// \param defaults  of the trainer's keys; empty if they are unknown, as a command's are
GoldenFacts config_facts(const Json& stored, const Json& now, const suite::FlatConfig& defaults);

}  // namespace parity::bisect
