// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "reference/optim/muon/matrix_ranks.hpp"
#include "reference/parallel/core/parallel.hpp"
#include "reference/parallel/core/shard_map.hpp"

namespace parity::reference {

// Ways to apply a function of whole matrices to shards. Below: n ranks, a matrix of N elements of e bytes, of
// which each rank holds N / n.
//
// | class               | each rank computes  | a rank sends for each matrix          |
// |---------------------|---------------------|---------------------------------------|
// | OwnMatrices         | its block alone     | nothing                               |
// | GatheredMatrices    | every matrix        | all-gather of N e / n                 |
// | DistributedMatrices | every n-th matrix   | all-to-all of N e / n, twice          |

/// Joins each sharded matrix on every rank, which all compute the same.
class GatheredMatrices : public MatrixRanks {
 public:
  GatheredMatrices(const Parameters& matrices, std::shared_ptr<const Group> ranks);
  void run(const MatrixWork& work) const override;

 private:
  torch::Tensor gathered(int64_t i, const torch::Tensor& shard) const;

  std::vector<bool> is_sharded_;
  std::shared_ptr<const Group> ranks_;
  ShardMap map_;
};

/// Takes n matrices at a time. Rank r joins and computes the r-th of them, and sends the others their shards
/// of the result, in the dtype of the parameter.
class DistributedMatrices : public MatrixRanks {
 public:
  DistributedMatrices(const Parameters& matrices, std::shared_ptr<const Group> ranks);
  void run(const MatrixWork& work) const override;

 private:
  torch::Tensor collect(const MatrixWork& work, int64_t first, int64_t count) const;
  void spread(const MatrixWork& work, int64_t first, int64_t count, const torch::Tensor& result) const;

  Parameters matrices_;
  std::shared_ptr<const Group> ranks_;
  ShardMap map_;
};

/// Returns the ranks of a layout that hold shards of some matrices: one copy of the model. All ranks call it.
/// \param group  name of the group of those ranks, in channels and messages
std::shared_ptr<const MatrixRanks> make_matrix_ranks(const std::string& group, MuonSharding sharding,
                                                     const Parameters& matrices, const Parallel& parallel);

}  // namespace parity::reference
