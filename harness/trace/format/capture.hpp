// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/json.hpp"
#include "harness/trace/format/fault.hpp"
#include "harness/trace/format/phase.hpp"

namespace parity {

/// One row of a capture request: which tensors at which steps. Empty lists mean all.
struct CaptureRule {
  std::vector<int64_t> steps;
  std::vector<Phase> phases;
  std::vector<std::string> names;  ///< globs over logical names

  bool covers(int64_t step, Phase phase, std::string_view name) const;
};

/// What a run records beyond its channels. Written by the harness as PARITY_CAPTURE (a path to JSON):
/// {"tensors": [{"steps": [1], "phases": ["grad"], "names": ["*"]}], "sketches": [...], "replay": false,
///  "operators": [...], "faults": [...], "teacher": "trace.h5"}, the last three only where the run has any
struct Capture {
  std::vector<CaptureRule> tensors = {};   ///< kept whole
  std::vector<CaptureRule> sketches = {};  ///< statistics, digest and sketch only
  /// Operators to observe: the names are those of modules. What they take and give is then offered as
  /// tensors, which the rules above are about.
  std::vector<CaptureRule> operators = {};
  bool replay = false;  ///< initial parameters and every batch, under /replay
  /// Defects that the Recorder puts into the run. Unlike all above they change what it computes, and belong
  /// to its identity.
  std::vector<Fault> faults = {};
  /// The trace of another run whose tensors take the place of this one's once they are recorded
  /// (teacher.hpp);
  /// "": none. It changes what the run computes, as faults do.
  std::string teacher = {};

  bool wants_tensor(int64_t step, Phase phase, std::string_view name) const;
  bool wants_sketch(int64_t step, Phase phase,
                    std::string_view name) const;  ///< true also where the tensor is wanted
  bool wants_operators(int64_t step) const;
  bool wants_operators(int64_t step, Phase phase, std::string_view module) const;
  /// Everything in either; duplicate rules once. Both are of one run: faults that both have are the same.
  void merge(const Capture& other);
  /// Whether a run recorded under this capture answers `other` (rule-wise; may say no when unsure). Only if
  /// it has the same faults.
  bool includes(const Capture& other) const;

  Json to_json() const;
  static Capture from_json(const Json& json);  ///< \throws UserError naming the bad key or value
};

}  // namespace parity
