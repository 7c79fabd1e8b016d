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
#include <vector>

#include "harness/base/json.hpp"
#include "harness/measure/digest.hpp"
#include "harness/tensor/tensor_view.hpp"
#include "harness/trace/format/channel.hpp"
#include "harness/trace/format/fault.hpp"
#include "harness/trace/format/sketch_row.hpp"
#include "harness/trace/format/tensor_key.hpp"
#include "harness/trace/read/rank_rows.hpp"

namespace parity {

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
  Trace(Trace&&) noexcept;
  Trace& operator=(Trace&&) noexcept;

  const std::filesystem::path& path() const;
  const std::string& schema() const;
  bool complete() const;
  int64_t last_step() const;
  const Json& config() const;      ///< {} if the writer gave none
  const Json& provenance() const;  ///< {} likewise
  const std::optional<Json>& failure() const;
  /// The faults that the run was given, with what they did on all ranks; empty of a run as it is.
  const std::vector<FaultReport>& faults() const;

  int64_t ranks() const;
  /// How many ranks' values the writer joined in one file of its own (attribute joined_ranks); else 1.
  int64_t joined_ranks() const;
  /// Replicated tensors and channels that were compared between two ranks.
  int64_t replicas_compared() const;
  /// Those that are not equal in bits, in order of steps; of the tensor itself the lowest rank's values
  /// stand.
  const std::vector<ReplicaDifference>& replica_differences() const;

  const std::vector<int64_t>& steps() const;
  const std::map<std::string, Channel>& channels() const;
  const std::vector<SketchRow>& sketches() const;
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
  bool has_tensor(const TensorKey& key) const;
  /// The logical tensor; the view stays valid as long as the Trace. At its first use its values are compared
  /// with the digest of its sketch row, where it has one.
  /// \throws UserError if it is not there, or "cannot read FILE (corrupt trace: ...)"
  TensorView tensor(const TensorKey& key) const;
  /// The same for who computes the digest of the values in a pass of his own, and gives it to `prove`.
  TensorView unproved_tensor(const TensorKey& key) const;
  /// Whether the values have been compared with their row, or cannot be: there is none.
  bool is_proved(const TensorKey& key) const;
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
