// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/enum_names.hpp"
#include "harness/trace/format/phase.hpp"

namespace parity::laws {

class RecordedRun;

/// What a law found in a run.
enum class Answer {
  holds,    ///< everything that was recomputed agrees within its bound
  departs,  ///< something does not
  /// The trace lacks what the law needs. Never a sign of agreement.
  not_asked,
};

constexpr auto enum_names(Answer) {
  return named<Answer::not_asked>("answer of a law", {"holds", "departs", "not asked"});
}

/// One thing that a run did otherwise than a law says.
struct Departure {
  std::string sentence;          ///< what is wrong, and what reproduces the recorded value
  std::optional<int64_t> step;   ///< the first step; 0 is the initial state
  std::string tensor;            ///< name, or a pattern of names; empty for a channel
  std::optional<int64_t> rank;   ///< if one rank is at fault
  std::optional<double> factor;  ///< recorded over recomputed value, if it is one number

  /// Returns the sentence, with the step if the sentence does not name it.
  std::string text() const;
};

/// The answer of a law with its evidence.
struct Finding {
  int64_t checked = 0;  ///< quantities that were recomputed and compared
  double largest = 0;   ///< largest error of those that agree, as a share of its bound
  std::vector<Departure> departures;
  std::vector<std::string> notes;  ///< conventions that were found, and parts that could not be asked
  std::string why;                 ///< why the law could not be asked
  std::string record;              ///< what to record so that it can be

  /// Counts a compared quantity. NaN is never within a bound. \return whether it is within
  bool compare(double error, double bound) {
    ++checked;
    const bool within = error <= bound;
    if (within && bound > 0)
      largest = error / bound > largest ? error / bound : largest;
    return within;
  }
  Answer answer() const {
    return !departures.empty() ? Answer::departs : checked > 0 ? Answer::holds : Answer::not_asked;
  }
};

/// Tensors that a law reads at each update that it judges.
struct LawTensors {
  trace::Phase phase = trace::Phase::grad;
  std::vector<std::string> names = {"*"};  ///< globs
  bool values = true;                      ///< false: statistics are enough
  bool before = false;                     ///< also at the update before
  bool itself = true;                      ///< at the update that it judges; false: only before
};

/// Something that must follow from what a trace holds, whatever the trainer.
struct Law {
  std::string_view name;
  std::string_view question;
  std::string_view needs;           ///< what must be recorded, for people
  std::vector<LawTensors> tensors;  ///< what must be recorded, for programs; empty: channels are enough
  Finding (*ask)(const RecordedRun& run);
  bool micro_batches = false;  ///< whether it also reads the gradients of single micro-batches
};

}  // namespace parity::laws
