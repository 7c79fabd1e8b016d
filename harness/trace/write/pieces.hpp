// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/tensor/placement.hpp"
#include "harness/tensor/tensor_view.hpp"
#include "harness/trace/format/sketch_row.hpp"

namespace parity::trace {

/// Name of the mesh dimension along which one rank records the pieces of a tensor, one after another.
inline constexpr std::string_view micro_batch_dimension = "micro_batch";

/// Returns the layout's placement along `micro_batch`; null if the tensor is recorded as a whole.
const Placement* micro_batch_of(const TensorLayout& layout);

/// Joins pieces to the rank's whole tensor. Pieces are cut along dimension 0 and lie there in the order of
/// their coordinates. They may be added in any order.
class Pieces {
 public:
  /// A joined tensor, or the rank's part of one.
  struct Joined {
    SketchRow row;                 ///< sums over the pieces
    TensorLayout layout;           ///< without the pieces' dimension
    std::vector<std::byte> bytes;  ///< its elements; empty if they were not kept
    Shape shape;                   ///< shape of the joined elements
  };

  /// Adds a piece.
  /// \param keep  whether to keep the elements
  /// \return the joined tensor once its last piece was added
  /// \throws UserError if the pieces of a tensor do not fit together
  std::optional<Joined> add(const TensorKey& key, int64_t order, const TensorView& piece,
                            const TensorLayout& layout, bool keep);

  /// Returns a tensor with missing pieces; null if there is none.
  const TensorKey* unfinished() const { return waiting_.empty() ? nullptr : &waiting_.begin()->first; }

 private:
  struct Waiting {
    std::optional<SketchRow> row;
    TensorLayout layout;
    int64_t size = 0;                                ///< number of pieces
    std::map<int64_t, std::vector<std::byte>> come;  ///< by coordinate; empty if not kept
  };
  std::map<TensorKey, Waiting> waiting_;
};

}  // namespace parity::trace
