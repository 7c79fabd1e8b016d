// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/coverage/table/rows.hpp"
#include "harness/coverage/table/settings.hpp"

namespace parity::coverage {

using suite::FlatConfig;
using suite::integer_of;
using suite::text_of;
using enum Role;

namespace {

bool resumes_elsewhere(const FlatConfig& config) {
  for (const char* key : {"dp_replicate", "dp_shard", "tp", "cp", "pp", "ep"}) {
    const int64_t resumed = integer_of(config, std::string("checkpoint.resume_") + key, 0);
    if (resumed > 0 && resumed != integer_of(config, std::string("parallel.") + key, 1))
      return true;
  }
  return false;
}

}  // namespace

std::vector<Feature> ways_to_compute() {
  return {
      {"micro_batches",
       "several forward and backward passes per update",
       execution,
       [](const FlatConfig& c) { return is_divided(c, "data.micro_batches"); },
       {micro_batches()}},
      {"sync_each",
       "gradients of every micro-batch reduced",
       execution,
       [](const FlatConfig& c) {
         return text_of(c, "parallel.sync") == "each" && is_divided(c, "data.micro_batches");
       },
       {plus(micro_batches(), {{"parallel.sync", "each"}}),
        {{"parallel.sync", "each"}, {"data.micro_batches", 4}}}},
      {"recompute",
       "activations computed again in backward",
       execution,
       [](const FlatConfig& c) { return is_set(c, "parallel.activation_checkpointing", "none"); },
       {{{"parallel.activation_checkpointing", "full"}}}},
      {"chunked_loss",
       "output projection and loss in chunks of tokens",
       execution,
       [](const FlatConfig& c) { return integer_of(c, "loss.chunks", 0) > 0; },
       {{{"loss.chunks", 2}}}},
      {"gradient_scaling",
       "gradients divided by the tokens at the end",
       execution,
       [](const FlatConfig& c) { return text_of(c, "loss.normalization") == "gradient_scaling"; },
       {{{"loss.normalization", "gradient_scaling"}}}},
      {"streamed",
       "micro-batches fetched one at a time",
       execution,
       [](const FlatConfig& c) { return text_of(c, "loss.accumulation") == "streamed"; },
       {plus(micro_batches(),
             {{"loss.accumulation", "streamed"}, {"loss.normalization", "gradient_scaling"}})}},
      {"halves",
       "an update called from outside in two halves",
       execution,
       [](const FlatConfig& c) { return is_set(c, "train.update", "step"); },
       {{{"train.update", "halves"}}}},
      {"plain_optimizer",
       "the optimizer tensor by tensor",
       execution,
       [](const FlatConfig& c) { return text_of(c, "optimizer.implementation") == "plain"; },
       {{{"optimizer.implementation", "plain"}}}},
      {"batch_invariant",
       "a token's bits depend on its own sequence alone",
       execution,
       [](const FlatConfig& c) { return flag_of(c, "train.batch_invariant"); },
       {{{"train.batch_invariant", true}, {"attention.backend", "tiled"}}}},
      {"restart",
       "a second process resumes from a checkpoint",
       execution,
       [](const FlatConfig& c) { return integer_of(c, "checkpoint.restart_after", 0) > 0; },
       {restart()}},
      {"resume_elsewhere",
       "the process that resumes has another layout",
       execution,
       resumes_elsewhere,
       {plus(restart(), plus(sharded(), {{"checkpoint.resume_dp_shard", 1}, {"checkpoint.resume_tp", 2}})),
        plus(restart(), {{"parallel.tp", 2}, {"checkpoint.resume_tp", 1}, {"checkpoint.resume_dp_shard", 2}}),
        plus(restart(), {{"parallel.dp_replicate", 2},
                         {"checkpoint.resume_dp_replicate", 1},
                         {"checkpoint.resume_dp_shard", 2}}),
        plus(plus(restart(), context_ranks()),
             {{"checkpoint.resume_cp", 1}, {"checkpoint.resume_dp_replicate", 2}}),
        plus(plus(restart(), pipeline_stages()),
             {{"checkpoint.resume_pp", 1}, {"checkpoint.resume_dp_shard", 2}})}},
  };
}

}  // namespace parity::coverage
