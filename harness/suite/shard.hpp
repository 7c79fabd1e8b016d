// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

namespace parity::suite {

/// The share of a suite that one of several machines runs: `--shard 2/3`.
struct SuiteShard {
  int index = 1;  ///< from 1
  int count = 1;

  std::string text() const { return std::to_string(index) + "/" + std::to_string(count); }
};

/// Returns the shard that a text I/N names.
/// \throws UserError unless the text is I/N with 1 <= I <= N
SuiteShard parse_shard(const std::string& text);

/// A case and the cost of its runs, by run id. A shard pays once for a run that several of its cases share.
struct ShardItem {
  std::string name;
  std::map<std::string, double> runs;
};

/// Assigns cases to shards and returns the shard of each item, from 1.
///
/// Takes the most expensive case first and gives each case to the shard whose total cost with it is lowest.
/// This balances the shards. Cases that share runs share a shard, unless that would make it the slowest.
/// Depends neither on the order of the items nor on measured times, so every machine gets the same result.
std::vector<int> deal(const std::vector<ShardItem>& items, int count);

}  // namespace parity::suite
