// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/compare/traces/compare_traces.hpp"

namespace parity::compare {

/// The first quantity in which two runs differ.
struct FirstDivergence {
  int64_t step = 0;                   ///< update number; 0 is the initial state
  std::optional<trace::Phase> phase;  ///< set for a tensor, not for a channel
  std::string name;                   ///< of the tensor or channel; "" if only the lengths differ
  std::optional<int64_t> rank = {};   ///< set if the record of one rank shows it, of several
  std::string what = {};              ///< "only in the first"; "" if values differ

  /// Returns the tensor; nothing for a channel.
  std::optional<trace::TensorKey> key() const;
  /// Returns "grad wq at step 3, on rank 1"; "" if only the lengths differ.
  std::string text() const;
};

/// Returns the earliest quantity that differs. Of one step, tensors come first, in order of computation, then
/// channels.
/// \param expected, actual  the compared traces, which know the ranks of a tensor
/// \return nothing if the two agree
std::optional<FirstDivergence> first_divergence(const TraceDifference& difference,
                                                const trace::Trace& expected, const trace::Trace& actual);

/// Returns the lowest rank whose record of a tensor differs; nothing in runs of one rank, or if the records
/// of the ranks do not show it.
std::optional<int64_t> rank_that_differs(const trace::TensorKey& key, const trace::Trace& expected,
                                         const trace::Trace& actual);

}  // namespace parity::compare
