// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/laws/batches/batch.hpp"

namespace parity::laws {

/// The cross entropy of some tokens: its sum, and how many of them count.
struct Share {
  double sum = 0;
  int64_t valid = 0;
  double mean() const { return sum / static_cast<double>(valid); }
};

/// The cross entropy of each sequence of an update.
struct Entropies {
  std::vector<Share> rows;
  int64_t length = 0;
  double largest_logit = 0;
  double roundoff = 0x1p-24;

  /// Returns that of rows [first, end).
  Share of(int64_t first, int64_t end) const;
  Share all() const { return of(0, static_cast<int64_t>(rows.size())); }
  /// Returns by how much rounding may move a loss.
  double bound(double loss) const;
};

/// Returns the recorded logits of a batch, B x T x V; nothing without any.
std::optional<trace::TensorKey> find_logits(const RecordedRun& run, const Batch& batch);

/// Computes the cross entropy of each sequence in float64.
/// \param shift  how many places before its label the logits of a label are: 1 if the model shifts the labels
/// \return nothing if a label that counts is not a word of the vocabulary
std::optional<Entropies> entropies(const RecordedRun& run, const Batch& batch, const trace::TensorKey& logits,
                                   int64_t shift);

}  // namespace parity::laws
