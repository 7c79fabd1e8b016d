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

#include "harness/base/json/json.hpp"
#include "harness/measure/tensor/digest.hpp"
#include "harness/tensor/tensor_view.hpp"
#include "harness/trace/format/channel.hpp"
#include "harness/trace/format/fault.hpp"
#include "harness/trace/format/sketch_row.hpp"
#include "harness/trace/format/tensor_key.hpp"
#include "harness/trace/read/rank_rows.hpp"

namespace parity::trace {

/// A trace opened for reading. For a run of several ranks it joins what the ranks recorded: tensors and
/// sketches are whole, whatever part each rank held. For a run that did not finish it joins what the ranks
/// left, without the tensors that have missing parts.
///
/// Channels and sketches are read on opening, tensors on request.
class Trace {
 public:
  /// Opens a trace file, or the trace of a run folder (trace.h5 or trace.h5.partial).
  /// \throws UserError naming the file if it or another rank's file is missing, truncated, not a trace, or of
  ///         another major schema; also for a hostile file (external storage, filters, links out of the file,
  ///         sizes beyond the file)
  static Trace open(const std::filesystem::path& path);
  ~Trace();
  Trace(Trace&&) noexcept;             ///< takes over the other's files
  Trace& operator=(Trace&&) noexcept;  ///< takes over the other's files

  const std::filesystem::path& path() const;  ///< the file that was opened
  const std::string& schema() const;          ///< "parity.trace/MAJOR.MINOR"
  /// Returns whether the run came to its end.
  bool complete() const;
  int64_t last_step() const;       ///< last of the committed steps
  const Json& config() const;      ///< {} if the writer recorded none
  const Json& provenance() const;  ///< {} if the writer recorded none
  /// Returns what the run reported as its failure; not set if it reported none.
  const std::optional<Json>& failure() const;
  /// Returns the faults injected into the run, with their effects on all ranks; empty for an unmodified run.
  const std::vector<FaultReport>& faults() const;

  int64_t ranks() const;  ///< number of ranks in the run
  /// Returns how many ranks' values the writer joined in this one file (attribute joined_ranks); else 1.
  int64_t joined_ranks() const;
  /// Returns how many replicated tensors and channels were compared between two ranks.
  int64_t replicas_compared() const;
  /// Returns how many of them are channels that only say how the run was set up (is_setting).
  int64_t replica_settings() const;
  /// Returns the replicas that are not bitwise equal, in order of steps. The trace itself shows the lowest
  /// rank's values of such a tensor.
  const std::vector<ReplicaDifference>& replica_differences() const;

  /// Returns the committed updates, ascending. The initial state, step 0, is not an update.
  const std::vector<int64_t>& steps() const;
  /// Returns the channels by name, each with one value per step.
  const std::map<std::string, Channel>& channels() const;
  /// Returns the sketch rows of all tensors, in order of step and execution.
  const std::vector<SketchRow>& sketches() const;
  /// Returns the sketch row of a tensor; null if there is none.
  const SketchRow* find_sketch(const TensorKey& key) const;
  /// Returns the channels of each rank before they were joined, by rank. Empty for a run of one rank and for
  /// the file of a single rank.
  const std::map<int64_t, std::map<std::string, Channel>>& rank_channels() const;
  /// Returns, for every tensor that any rank recorded, the rows of all ranks in order of rank. Includes terms
  /// of a sum and parts that do not cover the whole tensor.
  const std::map<TensorKey, std::vector<RankRow>>& rank_rows() const;
  /// Renames tensors and sketches, to compare trainers that use different names.
  /// \throws UserError if two of them get the same name
  void rename_tensors(const std::function<std::string(const std::string&)>& new_name);

  /// Returns the keys of the tensors whose values are in the trace, in order of step, phase and execution.
  std::vector<TensorKey> tensors() const;
  /// Returns whether the values of a tensor are in the trace as a whole.
  bool has_tensor(const TensorKey& key) const;
  /// Returns a view of a logical tensor, valid as long as the Trace. Its first use compares the values with
  /// the digest of the tensor's sketch row, if there is one.
  /// \throws UserError if the tensor was not recorded, or "cannot read FILE (corrupt trace: ...)"
  TensorView tensor(const TensorKey& key) const;
  /// Returns a view of what one rank recorded of a tensor: the whole, or its own part. Compares it with the
  /// digest of its row at each call. Nothing if that rank recorded none.
  /// \throws UserError as `tensor`
  std::optional<TensorView> rank_tensor(const TensorKey& key, int64_t rank) const;
  /// Returns the view of `tensor` without comparing the values with the digest. The caller computes the
  /// digest in its own pass and passes it to `prove`.
  TensorView unproved_tensor(const TensorKey& key) const;
  /// Returns whether the values were compared with their sketch row. Also true for a tensor without a row.
  bool is_proved(const TensorKey& key) const;
  /// Compares a digest that the caller computed with the tensor's sketch row.
  /// \param key    the tensor
  /// \param found  digest of the values
  /// \throws UserError as `tensor`
  void prove(const TensorKey& key, const measure::Digest& found) const;
  /// Releases bytes of a view that are not needed for now. Mapped bytes leave this process's memory and are
  /// read from the file again on their next use.
  void release(const std::byte* data, size_t bytes) const;

 private:
  struct State;
  explicit Trace(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace parity::trace
