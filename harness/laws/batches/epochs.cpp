// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/batches/epochs.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

namespace parity::laws {

std::string Epochs::text(int64_t first) const {
  if (!whole)
    return fmt::format(
        "updates from {} on read the first batches again; this is right only where an epoch of {} batches "
        "ends",
        first, length);
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
  if (!found.whole && !found.in_order)  // a resumed run that went back reads so, too
    return std::nullopt;
  return found;
}

std::optional<ReadAgain> find_read_again(const std::vector<RankRead>& reads) {
  std::map<std::string, RankRead> seen;
  std::optional<ReadAgain> found;
  size_t before = 0;  // other rows that had been read when the first came again
  for (const RankRead& read : reads) {
    const auto [place, is_new] = seen.emplace(read.id, read);
    if (is_new || place->second.step == read.step || found)
      continue;
    found = ReadAgain{place->second, read};
    before = seen.size();
  }
  if (found)
    found->within_epoch = 2 * before <= seen.size();
  return found;
}

}  // namespace parity::laws
