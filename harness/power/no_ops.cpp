// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/power/no_ops.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/format.h>

namespace parity::power {
namespace {

bool is_on_one_rank(const suite::FlatConfig& config) {
  constexpr std::array<const char*, 5> dimensions = {"cp", "dp_replicate", "dp_shard", "pp", "tp"};
  return std::all_of(dimensions.begin(), dimensions.end(), [&](const char* dimension) {
    return suite::integer_of(config, std::string("parallel.") + dimension, 1) <= 1;
  });
}

/// Returns whether the loss of an update is one sum, however the update is divided.
bool can_be_cut(const suite::FlatConfig& config) {
  return suite::text_of(config, "loss.normalization") == "global_tokens" &&
         suite::text_of(config, "loss.accumulation") == "prefetched";
}

}  // namespace

std::vector<NoOp> no_ops_of(const suite::FlatConfig& config) {
  std::vector<NoOp> found;
  const int64_t threads = suite::integer_of(config, "threads", 1);
  for (const int64_t other : {1, 2, 3, 4})
    if (other != threads)
      found.push_back(
          {fmt::format("{} thread{}", other, other == 1 ? "" : "s"), {{"threads", other}}, false});
  const int64_t steps = suite::integer_of(config, "steps", 0);
  if (suite::integer_of(config, "checkpoint.restart_after", 0) == 0)
    for (int64_t step = 1; step < steps; ++step)
      found.push_back(
          {fmt::format("resumed after update {}", step), {{"checkpoint.restart_after", step}}, true});
  if (!can_be_cut(config))
    return found;
  const int64_t batch = suite::integer_of(config, "data.global_batch", 1);
  const int64_t pieces = suite::integer_of(config, "data.micro_batches", 1);
  const bool one_rank = is_on_one_rank(config);
  for (int64_t other = 1; one_rank && other <= batch && other <= 8; ++other)
    if (other != pieces && batch % other == 0)
      found.push_back({fmt::format("{} micro-batch{}", other, other == 1 ? "" : "es"),
                       {{"data.micro_batches", other}},
                       false});
  if (one_rank && batch % (2 * pieces) == 0)
    for (const char* key : {"dp_replicate", "dp_shard"})
      found.push_back({fmt::format("{} 2", key), {{std::string("parallel.") + key, 2}}, false});
  return found;
}

}  // namespace parity::power
