// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/tensor/tensor_view.hpp"

namespace parity::laws {

/// What one term of a sum is of.
struct TermOf {
  int64_t number = 0;  ///< of the rank, or of the micro-batch from 0
  int64_t part = 0;    ///< of the micro-batch
  int64_t rank = -1;   ///< that computed the micro-batch, where the sum is over ranks too; else -1

  /// Returns "1", "1, part 2" or "1 of rank 0".
  std::string text() const;
};

/// The terms of a sum that gives the gradient of a tensor, or of one shard of it: the gradients of ranks, or
/// those of one rank's or all ranks' micro-batches.
struct SumTerms {
  /// The sum as a rank has it.
  struct Sum {
    int64_t rank = 0;  ///< -1: of all ranks, whose shards are joined
    std::vector<double> values;
  };
  std::string name;
  std::string one, many;                        ///< what a term is of: "rank", "ranks"
  std::vector<TermOf> of = {};                  ///< one for each term
  std::vector<std::vector<double>> terms = {};  ///< before the sum
  std::vector<Sum> sums = {};
  double roundoff = 0;  ///< of the sum

  /// Returns whether all terms and sums are finite.
  bool is_finite() const;
};

/// Returns the elements of a tensor in float64.
std::vector<double> widened(const TensorView& view);

/// Returns whether each element is the weighted sum of the terms, within a bound of its roundings.
/// \param worst  set to the largest error over its bound, if all are within
bool is_sum(const SumTerms& terms, const std::vector<double>& gradient, const std::vector<double>& weights,
            double* worst = nullptr);
/// The same with one weight for all terms.
bool is_sum(const SumTerms& terms, const std::vector<double>& gradient, double weight,
            double* worst = nullptr);

/// Returns what a gradient is in place of the sum of the terms times `unit`: "that of rank 1 is missing".
std::string explain_sum(const SumTerms& terms, const std::vector<double>& gradient, double unit);

}  // namespace parity::laws
