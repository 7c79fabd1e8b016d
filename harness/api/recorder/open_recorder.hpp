// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/api/include/parity/recorder.h"
#include "harness/api/recorder/host_values.hpp"
#include "harness/base/files/heartbeat.hpp"
#include "harness/trace/write/recorder.hpp"

namespace parity::capi {

/// Returns the options of a Recorder. \throws UserError naming the member that is wrong
trace::Recorder::Options options_of(const parity_recorder_options& options);

/// Returns a caller's struct as this library knows it. \throws UserError as read_versioned
parity_recorder_options read_options(const parity_recorder_options* given);
parity_tensor read_tensor(const parity_tensor* given);

/// What was measured of a tensor, or of a rank's part of one.
struct Measured {
  DType dtype;
  Shape shape;
  TensorLayout layout;
  measure::Measurement found;
};

/// A Recorder with what its C interface remembers between calls.
class OpenRecorder {
 public:
  /// Reports progress in the heartbeat that PARITY_HEARTBEAT names.
  explicit OpenRecorder(trace::Recorder::Options options);

  trace::Recorder& recorder() { return recorder_; }

  void begin_step(int64_t step);
  /// Ends the step and reports it in the heartbeat.
  void end_step();
  /// Returns the number, from 1 on, of a phase and name. \throws UserError for an unknown phase
  int64_t intern(const char* phase, const char* name);
  /// Returns the PARITY_WANTS_* of an id at this step. \throws UserError for an id of no name
  int wants(int64_t id);
  /// Returns whether its elements are recorded or changed at this step. \throws UserError for an id of no
  /// name
  bool wants_elements(int64_t id);
  /// Offers a tensor to the Recorder, or to its teacher only if it was recomputed.
  void offer(const parity_tensor& tensor);
  /// Measures a tensor in memory of a CUDA device. \throws UserError if the device, or its library, fails
  Measured measure(const parity_tensor& tensor, int32_t device, void* stream);
  /// Offers a tensor by what was measured of it. \throws UserError if its elements are wanted
  void offer_measured(const parity_tensor& about, const Measured& measured);

 private:
  struct Name {
    trace::Phase phase;
    std::string name;
    std::optional<int> wanted;  ///< at this step
  };

  Name& name_of_id(int64_t id);
  /// The layout of a tensor, with its placement along the micro-batches.
  TensorLayout layout_of(const parity_tensor& tensor);
  void teach(const Name& name, const parity_tensor& tensor, const TensorLayout& layout);
  void record(const Name& name, const parity_tensor& tensor, const TensorLayout& layout, bool wanted);

  std::unique_ptr<Heartbeat> heartbeat_;  ///< null: nobody watches
  int64_t step_ = 0;
  trace::Recorder recorder_;
  std::vector<Name> names_;  ///< of id 1, 2, ...
  std::map<std::pair<trace::Phase, std::string>, int64_t> ids_;
  std::unordered_map<std::string, TensorLayout> layouts_;  ///< by their JSON text, each parsed once
};

}  // namespace parity::capi
