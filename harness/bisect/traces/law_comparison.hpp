// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/json/json.hpp"
#include "harness/laws/law.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity::bisect {

/// The answers of one law to both sides.
struct LawAnswers {
  std::string law;
  laws::Finding expected, actual;

  const laws::Finding& of(bool expected_side) const { return expected_side ? expected : actual; }
  /// Returns whether either side could be asked.
  bool is_asked() const;
};

/// A departure of one side from a law that the other side keeps, cannot be asked about, or breaks otherwise.
struct LawBreak {
  std::string law;
  bool of_expected = false;  ///< else of the actual side
  laws::Departure departure;
  laws::Answer other = laws::Answer::holds;  ///< of the other side
};

/// What the laws of training say of two sides, each judged alone.
///
/// A channel may differ although no recorded tensor does. Then the laws recompute the channel from the
/// tensors of each side, which shows the side that computes it otherwise.
struct LawComparison {
  std::vector<LawAnswers> answers;  ///< in the order of an audit

  /// Returns the departure that explains most: of one side alone before one of both, then the earliest. Two
  /// sides that depart by the same words explain nothing.
  std::optional<LawBreak> first() const;
  /// Returns the departure in a sentence, with the other side's answer. Without a departure, the laws that
  /// hold on both sides and those that could not be asked, with the reason: they are no sign of agreement.
  std::string text(const std::string& expected, const std::string& actual) const;
  /// Returns {"law", "side", "step", "tensor", "rank", "factor", "sentence", "other", "laws"}.
  Json to_json() const;
  /// Takes the answers of laws that could not be asked of either side from another comparison.
  void fill_from(const LawComparison& other);
};

/// Asks every law about both traces.
/// \param last  departures that begin after this step are left out, since they explain nothing before it
LawComparison compare_laws(const trace::Trace& expected, const trace::Trace& actual, int64_t last);

}  // namespace parity::bisect
