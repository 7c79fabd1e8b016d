// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/rl/packed_rows.hpp"

#include <algorithm>
#include <string>

#include "harness/base/error.hpp"

namespace parity::reference {

std::vector<PolicyBatch> single_rows(std::span<const Rollout> rollouts, const RolloutLimits& limits) {
  std::vector<PolicyBatch> rows;
  for (const Rollout& rollout : rollouts)
    rows.push_back(batch_of(rollout, limits));
  count_groups(rows);
  return rows;
}

std::vector<PolicyBatch> packed_rows(std::span<const Rollout> rollouts, const RolloutLimits& limits,
                                     int64_t count) {
  std::vector<PolicyBatch> rows(static_cast<size_t>(count), empty_row(limits.seq_len));
  std::vector<int64_t> filled(rows.size(), 0);
  for (size_t i = 0; i < rollouts.size(); ++i) {
    const int64_t positions = positions_of(rollouts[i]);
    const auto room =
        std::ranges::find_if(filled, [&](int64_t used) { return used + positions <= limits.seq_len; });
    if (room == filled.end())
      throw UserError("rollout " + std::to_string(i) + " of " + std::to_string(rollouts.size()) +
                      " has no room (" + std::to_string(count) + " rows of " +
                      std::to_string(limits.seq_len) +
                      " tokens are full); raise data.global_batch or data.seq_len");
    place_rollout(rows[static_cast<size_t>(room - filled.begin())], rollouts[i], *room);
    *room += positions;
  }
  for (PolicyBatch& row : rows)
    row.rows.whole_positions = false;
  count_groups(rows);
  return rows;
}

}  // namespace parity::reference
