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

namespace parity {

/// A tensor or part in the file of a rank.
struct PartSource {
  const TraceContent* file = nullptr;
  const TensorPlace* place = nullptr;
  const PartCover* cover = nullptr;  ///< null: it is whole
};

/// A logical tensor: where its values lie.
struct LogicalTensor {
  int64_t order = 0;
  Shape shape;
  std::vector<PartSource> parts;  ///< each element once, or once a term; empty where a part is not read
  int64_t terms = 1;              ///< that each element is the sum of
  bool mean = false;              ///< of the terms
  std::vector<std::byte> joined;  ///< values of a tensor in parts, once they were asked for
  bool proved = false;            ///< the values have the digests that their rows say

  /// Whether all of it lies in one file.
  bool is_whole() const { return parts.size() == 1 && !parts.front().cover; }
  /// Parts joined, terms added in float64; those are proved before they are joined. \param key  for messages
  TensorView view(const TensorKey& key);
  /// Holds the values against the digests of their rows, once.
  /// \throws UserError "cannot read FILE (corrupt trace: ...)"
  void prove(const TensorKey& key);
  /// The same for a whole one whose digest somebody has computed already.
  void prove(const TensorKey& key, const Digest& found);
};

/// The logical tensors of all ranks.
struct LogicalTensors {
  std::vector<SketchRow> sketches;  ///< a row a tensor, in order of step and execution
  std::map<TensorKey, LogicalTensor> tensors;
  std::vector<ReplicaDifference> differences;  ///< the first one first
  int64_t replicas = 0;                        ///< tensors that several ranks hold and that were compared
};

/// What to do with a tensor whose parts do not make a whole.
enum class PartsWanted {
  all,   ///< it is an error
  left,  ///< the run did not end: the tensor has no values and no row
};

/// Joins what the ranks recorded. Of replicas the lowest rank's is taken.
/// \param files  in order of rank. \throws UserError if parts are missing, overlap, or differ in dtype or
/// shape
LogicalTensors join_ranks(const std::vector<const TraceContent*>& files,
                          PartsWanted wanted = PartsWanted::all);

}  // namespace parity
