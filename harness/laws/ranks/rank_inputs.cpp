// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/ranks/rank_inputs.hpp"

#include <algorithm>
#include <variant>

#include <fmt/format.h>

namespace parity::laws {

std::vector<std::pair<int64_t, int64_t>> RankInputs::pairs() const {
  std::vector<std::pair<int64_t, int64_t>> found;
  for (const auto& [rank, id] : ids)
    for (const auto& [other, other_id] : ids)
      if (other < rank && id == other_id)
        found.emplace_back(rank, other);
  return found;
}

RankInputs tokens_of_ranks(const RecordedRun& run, int64_t step) {
  if (run.trace().ranks() < 2)
    return {};
  for (const char* name : token_names) {
    RankInputs inputs{name, {}};
    for (int64_t rank = 0; rank < run.trace().ranks(); ++rank)
      if (const auto* row =
              run.trace().find_sketch({step, trace::Phase::input, fmt::format("{}#{}", name, rank)});
          row && element_count(row->shape) > 0)
        inputs.ids[rank] = fmt::format("{} {} {:x}.{:x}", name_of(row->dtype), to_string(row->shape),
                                       row->digest.high, row->digest.low);
    if (!inputs.ids.empty())
      return inputs;
  }
  return {};
}

RankInputs digests_of_ranks(const RecordedRun& run, int64_t step) {
  const auto at = std::ranges::lower_bound(run.steps(), step);
  const auto place = static_cast<size_t>(at - run.steps().begin());
  RankInputs inputs{"batch_digest", {}};
  for (const auto& [rank, channels] : run.trace().rank_channels()) {
    const auto found = channels.find("batch_digest");
    if (found == channels.end() || found->second.kind != trace::ChannelKind::per_rank)
      continue;
    std::visit(
        [&, of_rank = rank](const auto& values) {
          if (place < values.size() && values[place] != 0)  // 0: the recorder saw no input
            inputs.ids[of_rank] = fmt::format("{}", values[place]);
        },
        found->second.values);
  }
  return inputs.ids.empty() ? RankInputs{} : inputs;
}

}  // namespace parity::laws
