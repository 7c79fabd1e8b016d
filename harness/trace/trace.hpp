// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/base/json.hpp"
#include "harness/measure/digest.hpp"
#include "harness/tensor/tensor_view.hpp"
#include "harness/trace/fault.hpp"
#include "harness/trace/phase.hpp"
#include "harness/trace/recorder.hpp"

namespace parity {

/// A scalar per step, exact.
struct Channel {
  ChannelKind kind = ChannelKind::numeric;                         ///< whether values are compared
  std::variant<std::vector<double>, std::vector<int64_t>> values;  ///< one a step of Trace::steps

  std::vector<double> as_double() const;  ///< int64 values widened
};

/// Names one tensor of a trace.
struct TensorKey {
  int64_t step = 0;            ///< update number; 0 is the initial state
  Phase phase = Phase::param;  ///< when in the step it was recorded
  std::string name;            ///< of the logical tensor

  /// Orders keys by step, phase and name.
  auto operator<=>(const TensorKey&) const = default;
};

/// One row of /sketches.
struct SketchRow {
  TensorKey key;                 ///< which tensor
  int64_t order = 0;             ///< execution order within the step
  DType dtype = DType::float32;  ///< of the elements
  Shape shape;                   ///< of the logical tensor
  int64_t nan_count = 0;         ///< elements that are NaN
  int64_t inf_count = 0;         ///< elements that are infinite
  double norm = 0;               ///< L2, over the finite elements
  double max_abs = 0;            ///< over the finite elements
  Digest digest;                 ///< of all elements
  std::vector<double> values;    ///< K block sums (METRICS.md M16b)
};

/// What several ranks hold as the same values, and is not.
struct ReplicaDifference {
  int64_t step = 0;                  ///< update number
  std::optional<Phase> phase;        ///< of a tensor; none: a channel
  std::string name;                  ///< of the tensor or channel
  int64_t rank = 0;                  ///< one of the two ranks
  int64_t other = 0;                 ///< the other one
  std::vector<int64_t> index = {};   ///< of the first element that differs, in the ranks' own part; or empty
  std::optional<double> value = {};  ///< there, or of the channel
  std::optional<double> other_value = {};  ///< the same of the other rank
};

/// What one rank recorded of a tensor: all of it, a part, or a term of a sum.
struct RankRow {
  int64_t rank = 0;                    ///< who recorded it
  int64_t order = 0;                   ///< execution order within the step, on that rank
  Digest digest;                       ///< by the indices of the logical tensor
  double norm = 0;                     ///< over its own finite elements
  int64_t nan_count = 0;               ///< elements of its own that are NaN
  std::optional<TensorLayout> layout;  ///< of a part; nothing: it is whole
};

/// A trace opened for reading; of a run of several ranks, what they recorded together: tensors and sketches
/// are whole, whatever the ranks held of them. Of a run that did not end, what the ranks' files have
/// together.
///
/// Channels and sketches are read at once, tensors when asked for.
class Trace {
 public:
  /// `path`: a trace file, or a run folder that holds trace.h5 (or trace.h5.partial).
  /// \throws UserError if it is missing, truncated, foreign, of another major schema, or hostile (external
  ///         storage, filters, links out of the file, sizes beyond the file); if a rank's file is, it is
  ///         named.
  static Trace open(const std::filesystem::path& path);
  ~Trace();
  Trace(Trace&&) noexcept;             ///< takes the other's file
  Trace& operator=(Trace&&) noexcept;  ///< takes the other's file

  const std::filesystem::path& path() const;  ///< the file that was opened
  const std::string& schema() const;          ///< "parity.trace/MAJOR.MINOR"
  bool complete() const;                      ///< whether the run came to its end
  int64_t last_step() const;                  ///< of the committed steps
  const Json& config() const;                 ///< {} if the writer gave none
  const Json& provenance() const;             ///< {} likewise
  /// Returns what ended the run before its time; nothing if it reports no failure.
  const std::optional<Json>& failure() const;
  /// The faults that the run was given, with what they did on all ranks; empty of a run as it is.
  const std::vector<FaultReport>& faults() const;

  /// Returns the number of ranks that the run had.
  int64_t ranks() const;
  /// How many ranks' values the writer joined in one file of its own (attribute joined_ranks); else 1.
  int64_t joined_ranks() const;
  /// Replicated tensors and channels that were compared between two ranks.
  int64_t replicas_compared() const;
  /// Those that are not equal in bits, in order of steps; of the tensor itself the lowest rank's values
  /// stand.
  const std::vector<ReplicaDifference>& replica_differences() const;

  /// Returns the committed updates, ascending.
  const std::vector<int64_t>& steps() const;
  /// Returns the channels by name, each with a value a step.
  const std::map<std::string, Channel>& channels() const;
  /// Returns the sketch rows of all tensors.
  const std::vector<SketchRow>& sketches() const;
  /// Returns the sketch row of a tensor, or null.
  const SketchRow* find_sketch(const TensorKey& key) const;
  /// The channels that each rank recorded, by rank, as they were before they were joined; of a run of one
  /// rank and of one rank's file nothing.
  const std::map<int64_t, std::map<std::string, Channel>>& rank_channels() const;
  /// Every tensor of which some rank has a row, with these rows in order of rank; also terms of a sum and
  /// parts that do not make a whole.
  const std::map<TensorKey, std::vector<RankRow>>& rank_rows() const;
  /// Gives tensors and sketches the names that others know them by; for trainers that call them otherwise.
  /// \throws UserError if two get one name
  void rename_tensors(const std::function<std::string(const std::string&)>& new_name);

  /// Keys of the tensors that are there whole, in order of step, phase and execution.
  std::vector<TensorKey> tensors() const;
  /// Returns whether the tensor is there whole.
  bool has_tensor(const TensorKey& key) const;
  /// The logical tensor; the view stays valid as long as the Trace. At its first use its values are compared
  /// with the digest of its sketch row, where it has one.
  /// \throws UserError if it is not there, or "cannot read FILE (corrupt trace: ...)"
  TensorView tensor(const TensorKey& key) const;
  /// The same for who computes the digest of the values in a pass of his own, and gives it to `prove`.
  TensorView unproved_tensor(const TensorKey& key) const;
  /// Whether the values have been compared with their row, or cannot be: there is none.
  bool is_proved(const TensorKey& key) const;
  /// \param key    the tensor
  /// \param found  digest of the values. \throws UserError as `tensor`
  void prove(const TensorKey& key, const Digest& found) const;
  /// Bytes of such a view are not needed for now: where they are mapped, they leave this process's memory and
  /// are read again when looked at.
  void release(const std::byte* data, size_t bytes) const;

 private:
  struct State;
  explicit Trace(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace parity
