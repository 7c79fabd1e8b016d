// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/parallel/data/fsdp_unit.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "reference/parallel/core/layout.hpp"
#include "reference/parallel/core/parts.hpp"

namespace parity::reference {
namespace {

/// Frees the memory (0) or allocates new memory, on any device. The contents are lost.
void resize(const torch::Tensor& x, size_t bytes) {
  c10::StorageImpl* const storage = x.storage().unsafeGetStorageImpl();
  storage->set_data_ptr_noswap(bytes == 0 ? c10::DataPtr(nullptr, x.device())
                                          : storage->allocator()->allocate(bytes));
  storage->set_nbytes(bytes);
}

/// Returns the same memory, for writes that autograd does not notice. The value that autograd saved for
/// backward is the one that is filled in again.
torch::Tensor unseen(const torch::Tensor& x) {
  return x.variable_data();
}

}  // namespace

FsdpUnit::FsdpUnit(std::string name, const Parameters& whole, FsdpRanks ranks)
    : name_(std::move(name)), ranks_(std::move(ranks)) {
  if (ranks_.shard_places.empty())
    ranks_.shard_places = {{"dp_shard", ranks_.shard->rank(), ranks_.shard->size()}};
  for (const Parameter& parameter : whole)
    add(parameter);
  if (!is_gathered())
    return;
  own_ = torch::zeros({elements_}, whole.front().value.options().requires_grad(false));
  for (size_t i = 0; i < pieces_.size(); ++i) {
    const torch::Tensor mine =
        rows_of(pieces_[i], unseen(pieces_[i].whole), *ranks_.shard, ranks_.shard->rank());
    const torch::Tensor place = own_.narrow(0, pieces_[i].first, mine.numel()).view(mine.sizes());
    place.copy_(mine);
    const bool trains = pieces_[i].whole.requires_grad();
    shards_[i].value = place.detach().requires_grad_(trains);
    if (ranks_.compute) {
      resize(pieces_[i].whole, 0);  // the model's own, which nothing reads from now on
      pieces_[i].whole = torch::empty_like(pieces_[i].whole.detach(), *ranks_.compute).requires_grad_(trains);
      pieces_[i].bytes = pieces_[i].whole.nbytes();
    }
  }
  reshard();
}

void FsdpUnit::add(const Parameter& parameter) {
  const torch::Tensor& x = parameter.value;
  require(x.is_leaf() && x.is_contiguous() && x.storage().nbytes() == x.nbytes(),
          parameter.name + " does not own its memory");
  const Group& shard = *ranks_.shard;
  Piece piece;
  piece.whole = x;
  piece.row = x.numel() / x.size(0);
  piece.chunk = (x.size(0) + shard.size() - 1) / shard.size();
  piece.first = elements_;
  piece.bytes = x.nbytes();
  elements_ += piece.chunk * piece.row;
  pieces_.push_back(piece);
  TensorLayout layout = replicated_over(parameter.layout, x, "dp_replicate", *ranks_.replicate);
  layout = sharded_over(layout, x, 0, ranks_.shard_places, shard);
  shards_.push_back({parameter.name, x.detach().requires_grad_(x.requires_grad()), std::move(layout),
                     parameter.partial_gradient_over});
}

torch::Tensor FsdpUnit::rows_of(const Piece& /*piece*/, const torch::Tensor& whole, const Group& shard,
                                int64_t r) {
  const IndexRange rows = part_of(whole.size(0), shard.size(), r);
  return whole.slice(0, rows.first, rows.end);
}

void FsdpUnit::unshard() {
  if (whole_)
    return;
  const torch::NoGradGuard no_grad;
  const Group& shard = *ranks_.shard;
  const torch::Tensor all = shard.all_gather(ranks_.compute ? own_.to(*ranks_.compute) : own_);
  for (const Piece& piece : pieces_) {
    resize(piece.whole, piece.bytes);
    for (int64_t r = 0; r < shard.size(); ++r) {
      const torch::Tensor theirs = rows_of(piece, unseen(piece.whole), shard, r);
      theirs.copy_(all.narrow(0, r * elements_ + piece.first, theirs.numel()).view(theirs.sizes()));
    }
  }
  whole_ = true;
}

void FsdpUnit::reshard() {
  if (!is_gathered())
    return;
  for (const Piece& piece : pieces_)
    resize(piece.whole, 0);
  whole_ = false;
}

void FsdpUnit::widen_gradients() {
  const torch::NoGradGuard no_grad;
  for (Piece& piece : pieces_) {
    torch::Tensor& gradient = piece.whole.mutable_grad();
    if (!ranks_.compute || !gradient.defined())
      continue;
    if (piece.sum.defined())
      piece.sum.add_(gradient);
    else
      piece.sum = gradient.to(own_.scalar_type());
    gradient.reset();
  }
}

void FsdpUnit::after_backward(bool now) {
  passed_ = true;
  reshard();
  widen_gradients();
  if (now)
    reduce();
}

void FsdpUnit::reduce() {
  if (std::ranges::none_of(shards_, [](const Parameter& shard) { return shard.value.requires_grad(); }))
    return;
  const torch::NoGradGuard no_grad;
  const Group& shard = *ranks_.shard;
  torch::Tensor all =
      torch::zeros({shard.size() * elements_}, shards_.front().value.options().requires_grad(false));
  for (const Piece& piece : pieces_) {
    const torch::Tensor& gradient = ranks_.compute ? piece.sum : piece.whole.grad();
    for (int64_t r = 0; gradient.defined() && r < shard.size(); ++r) {
      const torch::Tensor theirs = rows_of(piece, gradient, shard, r);
      all.narrow(0, r * elements_ + piece.first, theirs.numel()).view(theirs.sizes()).copy_(theirs);
    }
  }
  zero_grad();
  const torch::Tensor sum = shard.reduce_scatter(all);
  if (ranks_.reduction == GradientReduction::average)
    sum.div_(ranks_.divisor > 0 ? ranks_.divisor : shard.size());
  ranks_.replicate->all_reduce(sum);
  if (ranks_.reduction == GradientReduction::average)
    sum.div_(ranks_.replicate->size());
  for (size_t i = 0; i < pieces_.size(); ++i) {
    if (!shards_[i].value.requires_grad())
      continue;
    torch::Tensor& gradient = shards_[i].value.mutable_grad();
    const torch::Tensor mine =
        sum.narrow(0, pieces_[i].first, shards_[i].value.numel()).view(shards_[i].value.sizes());
    if (gradient.defined())
      gradient.add_(mine);
    else
      gradient = mine;
  }
}

void FsdpUnit::zero_grad() {
  for (Piece& piece : pieces_) {
    piece.whole.mutable_grad().reset();
    piece.sum.reset();
  }
}

std::vector<torch::Tensor> FsdpUnit::weights() const {
  std::vector<torch::Tensor> all;
  for (const Piece& piece : pieces_)
    all.push_back(piece.whole);
  return all;
}

std::string FsdpUnit::buffer_text() const {
  std::string text = fmt::format("{}: {} x {} elements:", name_, ranks_.shard->size(), elements_);
  for (size_t i = 0; i < pieces_.size(); ++i)
    text += fmt::format("{} {} at {}", i == 0 ? "" : ",", shards_[i].name, pieces_[i].first);
  return text;
}

}  // namespace parity::reference
