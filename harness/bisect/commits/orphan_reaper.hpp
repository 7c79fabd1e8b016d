// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace parity {

/// Keeps the mark of this search's processes (harness/base/offspring.hpp) in a file. The next search ends
/// what carries it, should a search be killed together with its guard: a build that would go on writing to
/// the work tree.
class OrphanReaper {
 public:
  /// Ends what carries the mark of a search that was killed, which its file tells.
  /// \param file  keeps the mark; gone with this object
  explicit OrphanReaper(std::filesystem::path file);
  ~OrphanReaper();
  OrphanReaper(const OrphanReaper&) = delete;
  OrphanReaper& operator=(const OrphanReaper&) = delete;

 private:
  std::filesystem::path file_;
};

}  // namespace parity
