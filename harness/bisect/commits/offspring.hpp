// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace parity {

/// Keeps the mark of this search's processes (harness/base/offspring.hpp) in a file. The next search ends
/// what carries it, should a search be killed together with its guard: a build that would go on writing to
/// the work tree.
class Offspring {
 public:
  /// Ends what carries the mark of a search that was killed, which its file tells.
  /// \param file  keeps the mark; gone with this object
  explicit Offspring(std::filesystem::path file);
  ~Offspring();
  Offspring(const Offspring&) = delete;
  Offspring& operator=(const Offspring&) = delete;

 private:
  std::filesystem::path file_;
};

}  // namespace parity
