// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "harness/laws/law.hpp"

namespace parity::laws {

/// Adds the first departure of each kind of question.
class Departures {
 public:
  explicit Departures(Finding& finding) : finding_(finding) {}

  void add(const char* question, int64_t step, const std::string& sentence, const std::string& tensor = "",
           std::optional<int64_t> rank = {}, std::optional<double> factor = {}) {
    if (reported_.insert(question).second)
      finding_.departures.push_back({sentence, step, tensor, rank, factor});
  }
  bool has(const char* question) const { return reported_.contains(question); }

 private:
  Finding& finding_;
  std::set<std::string> reported_;
};

}  // namespace parity::laws
