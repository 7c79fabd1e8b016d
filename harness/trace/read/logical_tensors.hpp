// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "harness/trace/read/rank_rows.hpp"
#include "harness/trace/read/trace_content.hpp"

namespace parity::trace {

/// Where a rank's file holds a tensor or part of one.
struct PartSource {
  const TraceContent* file = nullptr;
  const TensorPlace* place = nullptr;
  const PartCover* cover = nullptr;  ///< null: the whole tensor
};

/// A logical tensor and the files that hold its values.
struct LogicalTensor {
  int64_t order = 0;
  Shape shape;
  /// Parts that cover each element once, or once for each term of a sum. Empty if a part cannot be read.
  std::vector<PartSource> parts;
  int64_t terms = 1;  ///< number of terms whose sum is an element
  bool mean = false;  ///< elements are the mean of the terms, not their sum
  /// Values of a sharded tensor; filled on the first request.
  std::vector<std::byte> joined;
  /// Whether the values were found to match the digests of their rows.
  bool proved = false;

  /// Returns whether a single file holds the whole tensor.
  bool is_whole() const { return parts.size() == 1 && !parts.front().cover; }
  /// Returns the values. Parts are proved, then joined; terms are added in float64. \param key  for messages
  TensorView view(const TensorKey& key);
  /// Compares the values with the digests of their rows, once.
  /// \throws UserError "cannot read FILE (corrupt trace: ...)"
  void prove(const TensorKey& key);
  /// Compares a digest that the caller computed with the row of a tensor that is whole in one file.
  void prove(const TensorKey& key, const measure::Digest& found);
};

/// The logical tensors of all ranks.
struct LogicalTensors {
  std::vector<SketchRow> sketches;  ///< one row per tensor, in order of step and execution
  std::map<TensorKey, LogicalTensor> tensors;
  /// Replicas that are not equal, in order of steps.
  std::vector<ReplicaDifference> differences;
  /// Number of tensors and channels that several ranks hold and that were compared.
  int64_t replica_settings = 0;  ///< of them, channels that are settings
  int64_t replicas = 0;
};

/// What to do with a tensor whose parts do not cover the whole.
enum class PartsWanted {
  all,   ///< throw an error
  left,  ///< the run did not finish: leave out its values and row
};

/// Joins what the ranks recorded. Replicas are taken from the lowest rank.
/// \param files  in order of rank
/// \throws UserError if parts are missing, overlap, or differ in dtype or shape
LogicalTensors join_ranks(const std::vector<const TraceContent*>& files,
                          PartsWanted wanted = PartsWanted::all);

}  // namespace parity::trace
