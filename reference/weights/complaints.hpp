// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace parity::reference {

/// Collects what is wrong with the weights in a file, so that one message reports everything.
class Complaints {
 public:
  std::vector<std::string> missing;   ///< names that the model has and the file lacks
  std::vector<std::string> extra;     ///< names that the file has and the model lacks
  std::vector<std::string> shapes;    ///< sentences about tensors of another shape
  std::vector<std::string> unusable;  ///< sentences about tensors that cannot be used for another reason

  bool empty() const { return missing.empty() && extra.empty() && shapes.empty() && unusable.empty(); }
  /// Returns a text such as "2 names are missing: 'a', 'b'; 1 name matches no weight: 'c' (did you mean
  /// 'a'?)". It names the first few of each kind and counts all.
  /// \param known  every name of the model, to suggest the nearest
  std::string text(const std::vector<std::string>& known) const;
};

}  // namespace parity::reference
