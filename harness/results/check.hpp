// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/json/json.hpp"
#include "harness/results/check_kind.hpp"
#include "harness/results/operator_errors.hpp"
#include "harness/results/pictures.hpp"

namespace parity::results {

/// A place in a run.
struct Place {
  int64_t step = 0;             ///< update number; 0 is the initial state
  std::string tensor;           ///< tensor or channel
  std::vector<int64_t> index;   ///< coordinates of the element; empty for a channel
  std::optional<int64_t> rank;  ///< set if the finding is about one rank
  std::string point = {};       ///< of an operator case: the point of the sweep, in place of the step
};

/// How far apart two sides are; each is set if it was measured.
struct Distance {
  std::optional<double> ulp;       ///< largest distance in units in the last place
  std::optional<double> relative;  ///< gap divided by the size of the expected side
  std::optional<double> floors;    ///< gap in multiples of the rounding noise
};

/// Returns the distance that a check's metrics hold.
/// \param measured  metric -> scalar
Distance distance_of(const Json& measured);

/// What a check found, for people and programs: where, how far, what it looks like, and what to do next.
struct Finding {
  std::optional<Place> where;  ///< where the sides differ most, or first; not set without a place
  Json expected, actual;       ///< number, "nan", "inf" or "-inf"; null if that side has no value
  std::string metric;          ///< the metric that decides at that place; "" without one
  Json value, limit;           ///< of that metric; null if bits decide
  Distance distance;
  std::string looks_like;  ///< likely cause, from the shape of the difference; "" if none is known
  std::string next;        ///< command that investigates the finding
  std::string cause;       ///< command that searches for the cause; "" if there is none
  std::vector<std::string> more = {};  ///< what was found besides the check's sentence, a sentence each

  /// Returns whether a side has a value at the place. Sketches have distances only.
  bool has_values() const { return !expected.is_null() || !actual.is_null(); }
};

/// One row of a check of tensors.
struct TensorRow {
  int64_t step = 0;
  std::string phase, name;
  bool identical = false;
  Json measured = Json::object();  ///< the row's other scalars

  bool operator==(const TensorRow&) const = default;
};

/// What a check measured of one channel against its bound.
struct MeasuredBound {
  std::string channel;
  std::string words;  ///< "8 measured floors", "a tolerance of 1e-05"
  std::vector<int64_t> steps = {};
  std::vector<double> gap = {}, floor = {}, limit = {};  ///< one each for a step, in the channel's unit
};

/// The origin of a check's float64 evidence.
struct CheckEvidence {
  enum class Source { measured, stored };
  Source source = Source::measured;  ///< twins that ran now, or the golden's
  std::string date;                  ///< when the stored twins ran, ISO 8601, UTC
  std::string producer, commit, environment;
  std::vector<std::string> runs;  ///< ids of the stored twins

  bool stored() const { return source == Source::stored; }
};

/// Amounts of one side that a check asked for, found or compared.
struct CoveredAmount {
  int64_t quantities = 0;
  std::string steps;   ///< "1-10"
  int64_t values = 0;  ///< pairs of quantity and step
};

/// One side of a check's coverage.
struct SideCoverage {
  std::string name;
  int64_t ranks_asked = 0, ranks_found = 0;  ///< 0: nothing asked
  CoveredAmount asked, found, compared;
};

/// What a verdict rests on.
struct Coverage {
  std::string text;                 ///< "2 channels at steps 1-10"; "" if the results do not say
  std::vector<SideCoverage> sides;  ///< empty for stored quantities that agree
};

/// One claim and its result.
struct Check {
  std::string id;
  CheckKind kind = CheckKind::pair;
  std::string quantity;
  std::vector<std::string> arms;  ///< the first is the expected side
  std::string against;            ///< "arm" or "golden"
  std::string relation;
  Json parameters = Json::object();  ///< of the relation: name -> scalar
  std::string steps;                 ///< the window, as the case names it
  std::string because;
  bool passed = false;
  std::string verdict;
  std::string sentence;
  Json measured = Json::object();  ///< metric -> scalar
  Json limit = Json::object();     ///< metric -> scalar; empty if bits decide
  Finding finding;
  std::vector<TensorRow> tensors;
  std::vector<MeasuredBound> bounds;
  std::optional<TensorPicture> picture;
  std::optional<OperatorErrors> errors;   ///< of a check of an operator
  std::optional<CheckEvidence> evidence;  ///< not set if the verdict needs no float64 evidence
  Coverage coverage;
  int64_t line = 0;  ///< of the case file; 0 if no line asks for the check

  /// Returns the word for the result: the verdict, but "trained" for an arm that trained, and "lawful" for
  /// one in which all laws hold.
  std::string outcome() const {
    return kind == CheckKind::training && passed                     ? "trained"
           : relation == "lawful" && passed && verdict == "rounding" ? "lawful"
                                                                     : verdict;
  }
};

}  // namespace parity::results
