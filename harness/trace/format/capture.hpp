// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/json/json.hpp"
#include "harness/trace/format/fault.hpp"
#include "harness/trace/format/phase.hpp"

namespace parity::trace {

/// One row of a capture request: which tensors at which steps. An empty list means all.
struct CaptureRule {
  std::vector<int64_t> steps;
  std::vector<Phase> phases;
  std::vector<std::string> names;  ///< globs over logical names

  bool covers(int64_t step, Phase phase, std::string_view name) const;
};

/// What a run records in addition to its channels. The harness writes it as JSON to the path in
/// PARITY_CAPTURE: {"tensors": [{"steps": [1], "phases": ["grad"], "names": ["*"]}], "sketches": [...],
/// "replay": false, "operators": [...], "micro_batches": true, "faults": [...], "teacher": "trace.h5"}. The
/// keys after "replay" are present only if used.
struct Capture {
  /// Tensors whose values are recorded.
  std::vector<CaptureRule> tensors = {};
  /// Tensors of which only statistics, digest and sketch are recorded.
  std::vector<CaptureRule> sketches = {};
  /// Modules whose operators are observed. The operators' inputs and outputs are then offered as tensors, to
  /// which the two rules above apply.
  std::vector<CaptureRule> operators = {};
  /// Whether to record the initial parameters and every batch, under /replay.
  bool replay = false;
  /// Whether the gradient of each single micro-batch is offered too (micro_batch_tensor.hpp), to which the
  /// two rules above apply.
  bool micro_batches = false;
  /// Defects that the Recorder injects into the run. They change what the run computes and are part of its
  /// identity, unlike the members above.
  std::vector<Fault> faults = {};
  /// Path of another run's trace; "" for none. Its tensors replace this run's tensors after these were
  /// recorded (teacher.hpp). Changes what the run computes, as faults do.
  std::string teacher = {};

  bool wants_tensor(int64_t step, Phase phase, std::string_view name) const;
  bool wants_sketch(int64_t step, Phase phase,
                    /// Returns true also if the values of the tensor are wanted.
                    std::string_view name) const;
  bool wants_operators(int64_t step) const;
  bool wants_operators(int64_t step, Phase phase, std::string_view module) const;
  /// Adds the rules of `other`, each once. Both captures belong to one run: faults in both are the same
  /// faults.
  void merge(const Capture& other);
  /// Returns whether a run recorded under this capture contains all that `other` asks for. Compares rule by
  /// rule and may return false when unsure. False if the faults differ.
  bool includes(const Capture& other) const;

  Json to_json() const;
  static Capture from_json(const Json& json);  ///< \throws UserError naming the bad key or value
};

}  // namespace parity::trace
