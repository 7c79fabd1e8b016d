// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Residues that ranks of torch.distributed exchange: rows [elements, planes].
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "reference/exact/call.hpp"

namespace parity::reference::exact {

/// Returns a view of real numbers.
at::Tensor real_view(const at::Tensor& x);

/// Returns the residues of a tensor; rows without residues are sent as such.
at::Tensor rows_of(const at::Tensor& x);
/// Returns memory for the rows of a tensor.
at::Tensor rows_for(const at::Tensor& x);
/// Writes rows to a tensor, which has its values.
void write_rows(const at::Tensor& x, const Numbers& flat);
/// Returns rows that a rank sent.
/// \throws UserError if the rank's tensor has no residues
at::Tensor readable(at::Tensor rows, int64_t rank);

/// Returns an argument by its name.
const c10::IValue& named(const Call& call, const char* name);
std::vector<at::Tensor> tensors_of(const Call& call, const char* name);
std::vector<std::vector<at::Tensor>> lists_of(const Call& call, const char* name);

/// The group of a collective, and how its ranks exchange rows.
class Ranks {
 public:
  explicit Ranks(const Call& call)
      : group_(named(call, "process_group").toCustomClass<c10d::ProcessGroup>()) {}

  int64_t size() const { return group_->getSize(); }
  int64_t rank() const { return group_->getRank(); }
  c10d::ProcessGroup& group() const { return *group_; }

  /// Returns a tensor of every rank, all of one shape.
  std::vector<at::Tensor> gathered(const at::Tensor& mine) const;
  /// Returns rows that the ranks exchanged. \param to, from  numbers of rows for and of each rank
  at::Tensor exchanged(at::Tensor mine, int64_t rows, std::vector<int64_t> to,
                       std::vector<int64_t> from) const;
  /// Overwrites rows with those of a rank.
  void broadcast(at::Tensor rows, int64_t root) const;

 private:
  c10::intrusive_ptr<c10d::ProcessGroup> group_;
};

}  // namespace parity::reference::exact
