// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace parity::attack {

/// What of a trace a mutation spoils.
enum class Spoils {
  channels,
  tensors,
  values,  ///< of tensors, which readers of other things never look at
  all,     ///< steps, ranks, the file itself
  ranks,   ///< what single ranks hold, which join to the same
  proofs,  ///< only what a trace digest guards: sums of a sketch row, or one of a tensor's values and its row
};

/// One way to spoil the files of a trace.
struct FileMutation {
  std::string name;  ///< "a byte of channels/loss of rank 0"
  int ranks;         ///< of the trace that it is for
  Spoils what;
  /// \param folder  holds trace.h5, and trace.rank1.h5 of two ranks
  std::function<void(const std::filesystem::path& folder)> apply;
};

const std::vector<FileMutation>& file_mutations();

/// Makes the trace one that another writer may have left: of schema 1.0, or 1.1 with several ranks, without a
/// digest. The index of ranks is written anew.
void strip_digests(const std::filesystem::path& folder, int ranks);

}  // namespace parity::attack
