// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "harness/tensor/placement.hpp"
#include "harness/tensor/tensor_view.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity::trace {

struct TraceContent;

/// Replaces a trainer's tensors by another run's values, after the trainer's own values were recorded
/// (teacher forcing, METRICS.md M11). Each module then computes from the other run's inputs. An error in its
/// output is its own, not inherited.
class Teacher {
 public:
  /// Opens the other run's trace.
  /// \param trace  trace of the other run, with values of the tensors to teach
  /// \param rank   rank of this process
  /// \throws UserError if it is not a trace, or keeps no tensor
  Teacher(const std::filesystem::path& trace, int64_t rank);
  ~Teacher();

  /// Returns whether the other run has values for this tensor.
  bool has(const TensorKey& key) const;
  /// Overwrites a tensor with the other run's values. If the same rank of the other run holds the same part,
  /// that rank's values are used; otherwise this rank's part of the logical tensor.
  /// \param view      the tensor's own values; `writable` is their memory
  /// \param layout    place of the view in the logical tensor
  /// \return false if dtype or shape differ, or if a term of a sum has another layout
  bool teach(const TensorKey& key, const TensorView& view, void* writable, const TensorLayout& layout) const;

 private:
  bool teach_own(const TensorKey& key, const TensorView& view, void* writable,
                 const TensorLayout& layout) const;

  Trace trace_;                         ///< the other run, all ranks joined
  std::unique_ptr<TraceContent> rank_;  ///< the same rank's file; null if there is none
};

}  // namespace parity::trace
