// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "harness/laws/gradients/sum_terms.hpp"

// The gradients of ranks as terms of a sum. A layout may declare them. Without one, the values say so: ranks
// that hold the same elements, but computed other gradients of them.

namespace parity::laws {

/// Reads the terms of every tensor of a step whose layout says that a reduction adds them over ranks. Leaves
/// out tensors that are not summed over ranks, and those of which the reduction scatters the result.
std::vector<SumTerms> terms_of_ranks(const RecordedRun& run, int64_t step);

/// Tensors that several ranks hold, without a layout of terms.
struct SharedGradients {
  std::set<std::string> reduced;  ///< ranks computed other gradients, and do not each use their own at a step
  std::set<std::string> own;      ///< ranks computed other gradients, and each uses its own at every step
  std::set<std::string> equal;    ///< all ranks computed the same bits, at every step
  std::set<std::string> unread;   ///< some of the ranks lack a row or values of phase grad_local, at a step
  bool all_whole = true;          ///< whether each rank holds all of every gradient
};

/// Sorts the tensors of a run by what its ranks recorded of them.
SharedGradients shared_gradients(const RecordedRun& run);

/// Reads the terms of `shared.reduced` at a step, where ranks computed other gradients.
/// \param shared  receives in `unread` the names of tensors of which a rank has no values
std::vector<SumTerms> undeclared_terms_of_ranks(const RecordedRun& run, int64_t step,
                                                SharedGradients& shared);

}  // namespace parity::laws
