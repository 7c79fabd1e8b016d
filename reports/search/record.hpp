// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/results/json_node.hpp"
#include "reports/model/curves/curve.hpp"

namespace parity::reports {

/// One tensor of an update, in order of computation.
struct Station {
  std::string phase, name;
  bool differs = false;  ///< in bits
  Value relative;        ///< ||a - e|| / ||e||; nothing without a sketch
  Value alone;  ///< the same, of the side fed with the good side's numbers, beyond rounding: it is wrong
                ///< by itself. Nothing: it is not, or nobody was fed
};

/// How the error grows through an update.
struct Depth {
  std::vector<Station> stations;
  std::optional<size_t> first;      ///< that differs
  std::optional<size_t> amplifier;  ///< where the error grows most
};

/// One stage of a search. Its details decide what it shows, whatever the kind of search.
struct Stage {
  std::string name, answer, command;
  int64_t runs = 0, cached = 0;
  double seconds = 0;
  std::vector<Curve> curves;  ///< of the two sides: series expected and actual, and the second one's gap
  std::optional<Depth> depth;
  std::optional<TensorPicture> picture;
  results::JsonNode details;
};

/// What a search found.
struct Search {
  std::string kind, subject, sentence;
  bool differs = true;
  int64_t runs = 0, cached = 0;
  double seconds = 0;
  std::vector<std::string> notes;
  std::vector<Stage> stages;
  results::JsonNode details;
};

/// Reads and validates a record of `parity bisect` (schema parity.bisect/1).
///
/// \param record  must outlive the result
/// \throws UserError (exit 2) if it has another schema, lacks a required field, or has one of another type;
/// the message names it, as in stages[2].details.path[4].name
Search read_search(const Json& record);

}  // namespace parity::reports
