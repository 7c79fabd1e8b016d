// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/laws/gradients/sum_terms.hpp"
#include "harness/laws/run/recorded_run.hpp"

// The gradients of single micro-batches as terms of a sum. On a rank they give the gradient before any
// reduction. FSDP has none: it reduces during backward, so the micro-batches of all ranks give the reduced
// gradient.

namespace parity::laws {

/// Tensors of steps of which micro-batches were recorded, and whose sum cannot be asked.
using Unsummed = std::set<std::pair<int64_t, std::string>>;

/// Reads the gradients of single micro-batches of a step, with the gradient that they give on their rank
/// before any reduction. Leaves out a tensor that lacks one of the micro-batches that others have, or their
/// sum.
/// \param left_out  receives such tensors, and those with a gradient of which no micro-batch was recorded
std::vector<SumTerms> terms_of_micro_batches(const RecordedRun& run, int64_t step, Unsummed& left_out);

/// Reads the gradients of single micro-batches of ranks that record no gradient before a reduction, with the
/// reduced gradient, joined from all ranks. The layouts say which ranks have terms of it: those of FSDP, or
/// the one stage of a pipeline that has the tensor. Leaves out a tensor of which a rank lacks a micro-batch.
/// \param left_out  as above; loses the tensors that are summed whole
std::vector<SumTerms> terms_of_all_micro_batches(const RecordedRun& run, int64_t step, Unsummed& left_out);

/// Returns the same sums where each backward pass but the last ended with a mean over ranks: the last pass
/// adds its own gradient to that of a DistributedDataParallel without no_sync. Leaves out sums without an
/// earlier micro-batch, and those of which only one rank has it.
std::vector<SumTerms> reduced_in_each_pass(const RecordedRun& run, int64_t step,
                                           const std::vector<SumTerms>& micro_batches);

}  // namespace parity::laws
