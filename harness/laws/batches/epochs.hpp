// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace parity::laws {

/// How a training reads its batches again: each of them once, then each of them once more.
struct Epochs {
  size_t length = 0;     ///< number of batches of an epoch
  bool whole = false;    ///< a second epoch was recorded to its end
  bool in_order = true;  ///< every epoch has the order of the first

  /// Returns the sentence that a note says.
  /// \param first  update that reads the first batch again
  std::string text(int64_t first) const;
};

/// Finds epochs in the digests of the batches of all updates. Nothing if no batch comes again, or if the
/// batches that do are no epochs. A part of an epoch at the end is one only in the order of the first.
std::optional<Epochs> find_epochs(const std::vector<std::string>& batches);

/// What a rank reads in an update.
struct RankRead {
  int64_t step = 0, rank = 0;
  std::string id;  ///< of its rows
};

/// Rows that a rank reads although a rank has read them in an earlier update.
struct ReadAgain {
  RankRead first, again;  ///< the earliest such read
  /// Whether fewer than half of all rows had been read by then: no epoch ends there.
  bool within_epoch = false;
};

/// Finds the first rows that are read in two updates.
/// \param reads  by update. Ranks that read the same rows in one update count as one.
std::optional<ReadAgain> find_read_again(const std::vector<RankRead>& reads);

}  // namespace parity::laws
