// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace parity::reference {

/// What is wrong with the weights in a file, each kind told at once.
class Complaints {
 public:
  std::vector<std::string> missing;   ///< names that the model has and the file has not
  std::vector<std::string> extra;     ///< the other way round
  std::vector<std::string> shapes;    ///< sentences about tensors of another shape
  std::vector<std::string> unusable;  ///< sentences about tensors that cannot be taken otherwise

  bool empty() const { return missing.empty() && extra.empty() && shapes.empty() && unusable.empty(); }
  /// "2 names are missing: 'a', 'b'; 1 name belongs to no weight: 'c' (did you mean 'a'?)". Of each kind the
  /// first few are named and all are counted.
  /// \param known  every name that the model has, for the nearest
  std::string text(const std::vector<std::string>& known) const;
};

}  // namespace parity::reference
