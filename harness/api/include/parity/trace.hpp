// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "digest.hpp"
#include "kinds.hpp"
#include "tensor_view.hpp"

namespace parity::api {

/// Returns the phase of a name. \throws Error if there is none
Phase phase_named(std::string_view name);

/// Identifies one tensor of a trace.
struct TensorKey {
  int64_t step = 0;            ///< update number; 0 is the initial state
  Phase phase = Phase::param;  ///< point of the step
  std::string name = {};       ///< logical name

  /// Orders keys by step, phase and name.
  auto operator<=>(const TensorKey&) const = default;
};

/// A number per step, stored exactly.
struct Channel {
  std::string name = {};                                                ///< "loss"
  ChannelKind kind = ChannelKind::numeric;                              ///< how it is compared
  std::variant<std::vector<double>, std::vector<int64_t>> values = {};  ///< one per step of Trace::steps

  /// Returns the values as float64.
  std::vector<double> as_double() const;
};

/// What a trace keeps of each tensor, also if its values were not recorded.
struct SketchRow {
  TensorKey key = {};               ///< the tensor
  int64_t order = 0;                ///< position in the step's order of execution
  DType dtype = DType::float32;     ///< of its elements
  std::vector<int64_t> shape = {};  ///< of the logical tensor
  int64_t nan_count = 0;            ///< NaN elements
  int64_t inf_count = 0;            ///< infinite elements
  double norm = 0;                  ///< L2 norm of the finite elements
  double max_abs = 0;               ///< largest magnitude of the finite elements
  Digest digest = {};               ///< of all bits
  std::vector<double> values = {};  ///< the sketch
};

/// Values that several ranks should hold as replicas, but that differ.
struct ReplicaDifference {
  int64_t step = 0;                        ///< update number
  std::optional<Phase> phase = {};         ///< of a tensor; not set for a channel
  std::string name = {};                   ///< of the tensor or channel
  int64_t rank = 0;                        ///< the lower rank
  int64_t other = 0;                       ///< the other rank
  std::vector<int64_t> index = {};         ///< coordinates of the first differing element; empty if unknown
  std::optional<double> value = {};        ///< what `rank` has there
  std::optional<double> other_value = {};  ///< what `other` has there
};

/// A trace opened for reading. It joins what the ranks of a run recorded: its tensors are whole.
class Trace {
 public:
  /// Opens a trace file, or the trace of a run's folder.
  /// \throws Error naming the file if it, or another rank's file, is missing or not a trace
  static Trace open(const std::string& path);
  ~Trace();
  Trace(Trace&& other) noexcept;             ///< takes over the files
  Trace& operator=(Trace&& other) noexcept;  ///< takes over the files

  /// Returns the path of the file.
  std::string path() const;
  /// Returns "parity.trace/MAJOR.MINOR".
  std::string schema() const;
  /// Returns whether the run came to its end.
  bool complete() const;
  /// Returns the last committed step.
  int64_t last_step() const;
  /// Returns the number of ranks.
  int64_t ranks() const;
  /// Returns the committed updates, ascending, without step 0.
  std::vector<int64_t> steps() const;

  /// \name JSON text
  /// @{
  std::string config() const;                  ///< returns the numeric config, an object
  std::string provenance() const;              ///< returns facts about build and machine, an object
  std::optional<std::string> failure() const;  ///< returns what the run reported as its failure, an object
  std::string faults() const;                  ///< returns the injected faults and what they did, a list
  /// @}

  /// Returns the channels in order of their names.
  std::vector<Channel> channels() const;
  /// Returns the channel of a name; not set if there is none.
  std::optional<Channel> channel(std::string_view name) const;
  /// Returns the rows of all tensors, in order of step and execution.
  std::vector<SketchRow> sketches() const;
  /// Returns the row of a tensor; not set if there is none.
  std::optional<SketchRow> sketch(const TensorKey& key) const;
  /// Returns the replicas that are not bitwise equal, in order of steps.
  std::vector<ReplicaDifference> replica_differences() const;

  /// Returns the keys of the tensors whose values are in the trace, in order of step, phase and execution.
  std::vector<TensorKey> tensors() const;
  /// Returns whether the values of a tensor are in the trace.
  bool has_tensor(const TensorKey& key) const;
  /// Returns a tensor, valid as long as the Trace. Its first use compares the values with their digest.
  /// \throws Error if it was not recorded, or is corrupt
  TensorView tensor(const TensorKey& key) const;

 private:
  friend struct TraceAccess;
  struct State;
  explicit Trace(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace parity::api
