// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/laws/run/recorded_run.hpp"

namespace parity::laws {

/// Squared norms of the gradients of one update.
struct GradientNorms {
  struct Part {
    std::string name;
    int64_t rank = 0;
    double square = 0;
    bool replica = false;  ///< a lower rank holds the same part
  };
  std::vector<std::string> names;  ///< of logical tensors
  std::vector<double> squares;     ///< in their order
  std::vector<Part> parts;         ///< what each rank recorded; empty for one rank
  int64_t elements = 0;
  double roundoff = 0;  ///< the largest of the tensors
  std::string bad;      ///< a tensor that has no norm or is not finite; "" if there is none

  double square() const;
  double norm() const;
};

/// Reads the norms of a step. Empty names if nothing was recorded.
GradientNorms gradient_norms(const RecordedRun& run, int64_t step, trace::Phase phase);

/// A wrong way to compute a norm, and its value at one step.
struct NormGuess {
  std::string sentence;  ///< "the norm without layers.*.wv.weight of rank 1"; the same at each step
  double value = 0;
  std::string tensor = {};
  std::optional<int64_t> rank = {};
};

/// Returns wrong ways to compute the norm of one step, the simplest first.
std::vector<NormGuess> norm_guesses(const RecordedRun& run, int64_t step, const GradientNorms& norms);

}  // namespace parity::laws
