// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/batches/epochs.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace parity::laws {

std::string Epochs::text(int64_t first) const {
  if (!whole)
    return fmt::format(
        "updates from {} on read earlier batches again{}; this is right only where an epoch of {} batches "
        "ends",
        first, in_order ? ", in the same order" : "", length);
  if (length == 1)
    return "every update reads the same batch";
  return in_order
             ? fmt::format("the data repeats every {} updates", length)
             : fmt::format("the same {} batches come again in another order, as in shuffled epochs", length);
}

std::optional<Epochs> find_epochs(const std::vector<std::string>& batches) {
  std::set<std::string> all;
  Epochs found;
  while (found.length < batches.size() && all.insert(batches[found.length]).second)
    ++found.length;
  const size_t again = batches.size() - found.length;
  if (again == 0 || batches.size() < 3)  // the second of two batches shows no epoch
    return std::nullopt;
  for (size_t begin = found.length; begin < batches.size(); begin += found.length) {
    std::set<std::string> epoch;
    for (size_t i = begin; i < std::min(begin + found.length, batches.size()); ++i) {
      if (!all.contains(batches[i]) || !epoch.insert(batches[i]).second)
        return std::nullopt;
      found.in_order = found.in_order && batches[i] == batches[i - begin];
    }
  }
  found.whole = again >= found.length;
  if (again == 1 && !found.in_order)
    return std::nullopt;
  return found;
}

}  // namespace parity::laws
