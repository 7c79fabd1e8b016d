// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/suite/plan/planned_run.hpp"

namespace parity {

/// Returns a run of several ranks that trains a model of one small block.
inline suite::PlannedRun small_run(int replicas, int shards, int64_t steps) {
  suite::PlannedRun run;
  run.id = "0123456789abcdef";
  run.label = "topic/c:arm";
  run.config = {{"parallel.dp_replicate", replicas},
                {"parallel.dp_shard", shards},
                {"steps", steps},
                {"architecture.dim", 16},
                {"architecture.n_layers", 1},
                {"architecture.n_heads", 2},
                {"architecture.n_kv_heads", 1},
                {"architecture.vocab_size", 64},
                {"architecture.ffn_hidden", 16},
                {"data.seq_len", 8},
                {"data.global_batch", 12}};
  run.ranks = replicas * shards;
  run.steps = steps;
  run.timeout_seconds = 60;
  return run;
}

}  // namespace parity
