// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/laws/run/recorded_run.hpp"

namespace parity::laws {

/// A tensor of the state of a run, before and after a restart.
struct StatePair {
  trace::TensorKey before, after;
};

/// A place at which a run was interrupted and resumed.
struct Restart {
  const RecordedRun* before;                 ///< has the state that was saved
  const RecordedRun* after;                  ///< has the state that was loaded; often the same run
  int64_t saved = 0;                         ///< the update of `before` after which the state was saved
  int64_t first = 1;                         ///< the first update of `after`
  std::vector<StatePair> pairs = {};         ///< what both have
  std::vector<trace::TensorKey> lost = {};   ///< what only `before` has
  std::vector<trace::TensorKey> added = {};  ///< what only `after` has, by its name there
};

/// Returns the restarts of a run: those inside of its trace, and the one between it and the run that it
/// continues. A trace shows a restart if it has what was loaded (phase input, "loaded/..."), or if it has the
/// initial state of a run whose predecessor is known.
std::vector<Restart> restarts_of(const RecordedRun& run);

/// Returns whether two recorded tensors have the same dtype, shape and bits; nothing if the traces have
/// neither values nor digests of both.
std::optional<bool> same_bits(const RecordedRun& a, const trace::TensorKey& key_a, const RecordedRun& b,
                              const trace::TensorKey& key_b);

}  // namespace parity::laws
