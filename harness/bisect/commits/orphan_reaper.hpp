// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace parity::bisect {

/// Stores the mark of this search's processes (harness/base/processes/offspring.hpp) in a file. If a search
/// is killed together with its guard, the next search ends the processes with this mark. Otherwise a build
/// could continue to write to the work tree.
class OrphanReaper {
 public:
  /// Ends the processes of a killed search, whose mark is in the file, and stores the mark of this search.
  /// \param file  of the mark; removed with this object
  explicit OrphanReaper(std::filesystem::path file);
  ~OrphanReaper();
  OrphanReaper(const OrphanReaper&) = delete;
  OrphanReaper& operator=(const OrphanReaper&) = delete;

 private:
  std::filesystem::path file_;
};

}  // namespace parity::bisect
