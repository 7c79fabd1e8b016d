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

namespace parity {

/// The mesh dimension along which one rank sees the pieces of a tensor, one after the other.
inline constexpr std::string_view micro_batch_dimension = "micro_batch";

/// The layout's placement along it; null where the tensor comes whole.
const Placement* micro_batch_of(const TensorLayout& layout);

/// Joins pieces to what the rank holds of a tensor. Pieces are cut along dimension 0 and follow each other
/// there in the order of their coordinates; they may come in any order.
class Pieces {
 public:
  /// What a rank holds of a tensor.
  struct Joined {
    SketchRow row;                 ///< sums over the pieces
    TensorLayout layout;           ///< without the pieces' dimension
    std::vector<std::byte> bytes;  ///< its elements; empty where they were not kept
    Shape shape;                   ///< of the part
  };

  /// \param keep  whether the elements are wanted
  /// \return the whole, once its last piece has come
  /// \throws UserError if the pieces of a tensor are not of one kind
  std::optional<Joined> add(const TensorKey& key, int64_t order, const TensorView& piece,
                            const TensorLayout& layout, bool keep);

  /// A tensor of which pieces are still missing; null if there is none.
  const TensorKey* unfinished() const { return waiting_.empty() ? nullptr : &waiting_.begin()->first; }

 private:
  struct Waiting {
    std::optional<SketchRow> row;
    TensorLayout layout;
    int64_t size = 0;                                ///< pieces
    std::map<int64_t, std::vector<std::byte>> come;  ///< by coordinate; empty where not kept
  };
  std::map<TensorKey, Waiting> waiting_;
};

}  // namespace parity
