// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

namespace parity {

/// One of several machines that share a suite: `--shard 2/3`.
struct SuiteShard {
  int index = 1;  ///< from 1
  int count = 1;

  std::string text() const { return std::to_string(index) + "/" + std::to_string(count); }
};

/// \throws UserError unless the text is I/N with 1 <= I <= N
SuiteShard parse_shard(const std::string& text);

/// What a case costs a shard: its runs, by id. Runs that several cases share are paid once in a shard.
struct ShardItem {
  std::string name;
  std::map<std::string, double> runs;
};

/// Deals cases to shards: dearest first, each to the shard that is cheapest with it. So the shards are even,
/// and cases that share runs come together unless that would make one shard the slowest. Takes no account of
/// the order of the items or of anything measured: every machine deals alike.
/// \return the shard of each item, from 1
std::vector<int> deal(const std::vector<ShardItem>& items, int count);

}  // namespace parity
