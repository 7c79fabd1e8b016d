// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "harness/laws/run/recorded_run.hpp"
#include "harness/tensor/tensor_view.hpp"

namespace parity::laws {

/// The terms of a sum that gives the gradient of a tensor, or of one shard of it: the gradients of ranks, or
/// those of one rank's micro-batches.
struct SumTerms {
  /// The sum as a rank has it.
  struct Sum {
    int64_t rank = 0;
    std::vector<double> values;
  };
  std::string name;
  std::string one, many;                        ///< what a term is of: "rank", "ranks"
  std::vector<int64_t> numbers = {};            ///< of rank or micro-batch, one for each term
  std::vector<std::vector<double>> terms = {};  ///< before the sum
  std::vector<Sum> sums = {};
  double roundoff = 0;  ///< of the sum
};

/// Returns the elements of a tensor in float64.
std::vector<double> widened(const TensorView& view);

/// Reads the gradients of single micro-batches of a step, with the gradient that they give on their rank
/// before any reduction. Leaves out a tensor that lacks one of the micro-batches that others have, or their
/// sum.
/// \param left_out  receives the names of such tensors
std::vector<SumTerms> terms_of_micro_batches(const RecordedRun& run, int64_t step,
                                             std::set<std::string>& left_out);

/// Returns the same sums where each backward pass but the last ended with a mean over ranks: the last pass
/// adds its own gradient to that of a DistributedDataParallel without no_sync. Leaves out sums without an
/// earlier micro-batch, and those of which only one rank has it.
std::vector<SumTerms> reduced_in_each_pass(const RecordedRun& run, int64_t step,
                                           const std::vector<SumTerms>& micro_batches);

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
