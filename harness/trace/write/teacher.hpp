// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "harness/tensor/placement.hpp"
#include "harness/tensor/tensor_view.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity {

struct TraceContent;

/// Puts another run's numbers in the place of a trainer's own, tensor by tensor, once these are recorded
/// (teacher forcing, METRICS.md M11): each part of the model then computes from what the other run had there,
/// and what it gives shows an error of its own, not one that it was handed.
class Teacher {
 public:
  /// \param trace  of the other run, with the tensors to teach kept whole
  /// \param rank   of this run
  /// \throws UserError if it is no trace, or keeps no tensor
  Teacher(const std::filesystem::path& trace, int64_t rank);
  ~Teacher();

  /// Whether it has numbers for this tensor.
  bool has(const TensorKey& key) const;
  /// Writes them. A rank that has what the same rank of the other run had is given that, any other one its
  /// part of the logical tensor.
  /// \param view      the tensor's own numbers; `writable` is their memory
  /// \param layout    of them in the logical tensor
  /// \return whether it could: not where dtype or shape are others, or a term of a sum lies otherwise
  bool teach(const TensorKey& key, const TensorView& view, void* writable, const TensorLayout& layout) const;

 private:
  bool teach_own(const TensorKey& key, const TensorView& view, void* writable,
                 const TensorLayout& layout) const;

  Trace trace_;                         ///< all ranks together
  std::unique_ptr<TraceContent> rank_;  ///< the same rank's; null if there is none
};

}  // namespace parity
