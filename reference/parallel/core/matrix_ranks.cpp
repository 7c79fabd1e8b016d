// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/parallel/core/matrix_ranks.hpp"

#include <algorithm>

#include "reference/parallel/core/sharded_norm.hpp"

namespace parity::reference {

GatheredMatrices::GatheredMatrices(const Parameters& matrices, std::shared_ptr<const Group> ranks)
    : ranks_(std::move(ranks)), map_(matrices, *ranks_) {
  for (const Parameter& matrix : matrices)
    is_sharded_.push_back(is_sharded(matrix.layout));
}

torch::Tensor GatheredMatrices::gathered(int64_t i, const torch::Tensor& shard) const {
  const int64_t most = map_.most_elements(i);
  const torch::Tensor padded = torch::zeros({most}, shard.options());
  padded.narrow(0, 0, shard.numel()).copy_(shard.flatten());
  const torch::Tensor all = ranks_->all_gather(padded);
  const torch::Tensor whole = torch::empty(map_.shape(i), shard.options());
  for (int64_t rank = 0; rank < map_.ranks(); ++rank)
    map_.place(whole, i, rank, all.narrow(0, rank * most, map_.elements(i, rank)));
  return whole;
}

void GatheredMatrices::run(const MatrixWork& work) const {
  for (int64_t i = 0; i < work.count; ++i) {
    const torch::Tensor shard = work.shard(i);
    if (is_sharded_[static_cast<size_t>(i)])
      work.use(i, map_.cut(work.function(i, gathered(i, shard)), i, ranks_->rank()));
    else
      work.use(i, work.function(i, shard));
  }
}

DistributedMatrices::DistributedMatrices(const Parameters& matrices, std::shared_ptr<const Group> ranks)
    : matrices_(matrices), ranks_(std::move(ranks)), map_(matrices_, *ranks_) {}

void DistributedMatrices::run(const MatrixWork& work) const {
  for (int64_t first = 0; first < work.count; first += ranks_->size()) {
    const int64_t count = std::min(ranks_->size(), work.count - first);
    const torch::Tensor whole = collect(work, first, count);
    const bool is_owner = ranks_->rank() < count;
    spread(work, first, count, is_owner ? work.function(first + ranks_->rank(), whole) : torch::Tensor());
  }
}

/// Returns the matrix of this rank, of `count` matrices from `first` on; an empty tensor if it has none.
torch::Tensor DistributedMatrices::collect(const MatrixWork& work, int64_t first, int64_t count) const {
  const int64_t size = ranks_->size(), own = first + ranks_->rank();
  const bool is_owner = ranks_->rank() < count;
  std::vector<torch::Tensor> parts;
  std::vector<int64_t> send(static_cast<size_t>(size), 0), receive = send;
  for (int64_t owner = 0; owner < count; ++owner) {
    parts.push_back(work.shard(first + owner).flatten());
    send[static_cast<size_t>(owner)] = parts.back().numel();
  }
  for (int64_t rank = 0; rank < size && is_owner; ++rank)
    receive[static_cast<size_t>(rank)] = map_.elements(own, rank);
  torch::Tensor got = ranks_->all_to_all(at::cat(parts), send, receive);
  if (!is_owner)
    return got;
  const torch::Tensor whole = torch::empty(map_.shape(own), got.options());
  int64_t offset = 0;
  for (int64_t rank = 0; rank < size; ++rank) {
    map_.place(whole, own, rank, got.narrow(0, offset, map_.elements(own, rank)));
    offset += map_.elements(own, rank);
  }
  return whole;
}

/// Gives every rank its shards of the results. \param result  this rank's; undefined if it has none
void DistributedMatrices::spread(const MatrixWork& work, int64_t first, int64_t count,
                                 const torch::Tensor& result) const {
  const int64_t size = ranks_->size(), own = first + ranks_->rank();
  const torch::Tensor& value = matrices_[static_cast<size_t>(first)].value;
  std::vector<torch::Tensor> parts = {torch::empty({0}, value.options().requires_grad(false))};
  std::vector<int64_t> send(static_cast<size_t>(size), 0), receive = send;
  for (int64_t rank = 0; rank < size && result.defined(); ++rank) {
    parts.push_back(map_.cut(result, own, rank).to(value.scalar_type()).flatten());
    send[static_cast<size_t>(rank)] = parts.back().numel();
  }
  for (int64_t owner = 0; owner < count; ++owner)
    receive[static_cast<size_t>(owner)] = map_.elements(first + owner, ranks_->rank());
  const torch::Tensor got = ranks_->all_to_all(at::cat(parts), send, receive);
  int64_t offset = 0;
  for (int64_t owner = 0; owner < count; ++owner) {
    const int64_t elements = receive[static_cast<size_t>(owner)];
    work.use(
        first + owner,
        got.narrow(0, offset, elements).view(matrices_[static_cast<size_t>(first + owner)].value.sizes()));
    offset += elements;
  }
}

std::shared_ptr<const MatrixRanks> make_matrix_ranks(const std::string& group, MuonSharding sharding,
                                                     const Parameters& matrices, const Parallel& parallel) {
  if (!is_sharded(matrices) || sharding == MuonSharding::blockwise)
    return std::make_shared<OwnMatrices>();
  const std::vector<std::string> dimensions = {"dp_shard", "cp", "tp"};
  auto ranks = parallel.world->subgroup(group, parallel.mesh.group(parallel.world->rank(), dimensions));
  if (sharding == MuonSharding::distributed)
    return std::make_shared<DistributedMatrices>(matrices, std::move(ranks));
  return std::make_shared<GatheredMatrices>(matrices, std::move(ranks));
}

}  // namespace parity::reference
