// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/checks/equal_configs.hpp"

#include <algorithm>
#include <set>
#include <string>

#include <torch/types.h>

#include "harness/base/error.hpp"
#include "reference/comm/texts.hpp"

namespace parity::reference {
namespace {

/// Returns "data.seq_len is 16 against 32" for the first three keys that differ.
std::string differences(const Json& mine, const Json& first) {
  constexpr size_t most = 3;
  const Json a = mine.flatten(), b = first.flatten();
  std::set<std::string> keys;
  for (const Json* side : {&a, &b})
    for (const auto& [key, value] : side->items())
      keys.insert(key);
  std::string words;
  size_t found = 0;
  for (const std::string& key : keys) {
    const Json ours = a.value(key, Json()), theirs = b.value(key, Json());
    if (ours == theirs || ++found > most)
      continue;
    std::string name = key.substr(1);
    std::replace(name.begin(), name.end(), '/', '.');
    words += (words.empty() ? "" : ", ") + name + " is " + ours.dump() + " against " + theirs.dump();
  }
  return words + (found > most ? " and " + std::to_string(found - most) + " more" : "");
}

/// \param what, remedy  for the message
void require_same(const Json& mine, const Group& world, const std::string& what, const std::string& remedy) {
  if (world.size() == 1)
    return;
  const std::string text = mine.dump();
  const std::string first = broadcast_text(text, world, 0);
  const torch::Tensor differs = torch::full({1}, static_cast<int64_t>(text != first), torch::kInt64);
  const torch::Tensor all = world.all_gather(differs);
  for (int64_t rank = 0; rank < world.size(); ++rank)
    if (all[rank].item<int64_t>() != 0) {
      const std::string words = world.rank() == rank ? differences(mine, Json::parse(first)) : std::string();
      throw UserError("rank " + std::to_string(rank) + " has " + what + " than rank 0 (" +
                      broadcast_text(words, world, rank) + "); " + remedy);
    }
}

}  // namespace

void check_equal_configs(const Json& config, const Group& world) {
  require_same(config, world, "another config", "start every rank with the same one");
}

void check_equal_weights(const std::string& digest, const Group& world) {
  require_same({{"digest", digest}}, world, "other initial weights",
               "let weights.path be the same file on every rank");
}

}  // namespace parity::reference
