// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace parity::attack {

/// The part of a trace that a mutation damages.
enum class Spoils {
  channels,
  tensors,
  values,  ///< of tensors, which readers of other data never read
  all,     ///< steps, ranks, the file itself
  ranks,   ///< the shards of single ranks, which join to the same tensor
  proofs,  ///< only what a trace digest guards: sums of a sketch row, or one of a tensor's values and its row
};

/// One way to damage the files of a trace.
struct FileMutation {
  std::string name;  ///< "a byte of channels/loss of rank 0"
  int ranks;         ///< of the trace that it applies to
  Spoils what;
  /// \param folder  holds trace.h5, and trace.rank1.h5 of two ranks
  std::function<void(const std::filesystem::path& folder)> apply;
};

const std::vector<FileMutation>& file_mutations();

/// Turns the trace into one of another writer: of schema 1.0, or 1.1 with several ranks, without a digest.
/// The index of ranks is written again.
void strip_digests(const std::filesystem::path& folder, int ranks);

}  // namespace parity::attack
