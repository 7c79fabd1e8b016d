// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/coverage/table/rows.hpp"
#include "harness/coverage/table/settings.hpp"

namespace parity::coverage {

using suite::FlatConfig;
using suite::integer_of;
using suite::text_of;
using enum Role;

std::vector<Feature> layouts() {
  return {
      {"replicas",
       "several copies of the model",
       execution,
       [](const FlatConfig& c) { return is_divided(c, "parallel.dp_replicate"); },
       {{{"parallel.dp_replicate", 2}}}},
      {"fsdp",
       "parameters sharded over ranks",
       execution,
       [](const FlatConfig& c) { return is_divided(c, "parallel.dp_shard"); },
       {sharded()}},
      {"tensor",
       "matrices divided over ranks",
       execution,
       [](const FlatConfig& c) { return is_divided(c, "parallel.tp"); },
       {tensor_ranks()}},
      {"sequence_parallel",
       "the residual stream divided along the sequence",
       execution,
       [](const FlatConfig& c) { return flag_of(c, "parallel.sequence_parallel"); },
       {plus(tensor_ranks(), {{"parallel.sequence_parallel", true}})}},
      {"loss_parallel",
       "a loss of logits divided along the vocabulary",
       execution,
       [](const FlatConfig& c) { return flag_of(c, "parallel.loss_parallel"); },
       {plus(tensor_ranks(), {{"parallel.loss_parallel", true}})}},
      {"context",
       "sequences divided over ranks",
       execution,
       [](const FlatConfig& c) { return is_divided(c, "parallel.cp"); },
       {context_ranks(), {{"parallel.cp", 2}, {"attention.backend", "dense"}}}},
      {"pipeline",
       "blocks divided over ranks",
       execution,
       [](const FlatConfig& c) { return is_divided(c, "parallel.pp"); },
       {pipeline_stages()}},
      {"expert_parallel",
       "experts divided over ranks",
       execution,
       [](const FlatConfig& c) { return is_divided(c, "parallel.ep"); },
       {plus(plus(experts(), sharded()), {{"parallel.ep", 2}}),
        plus(plus(experts(), context_ranks()), {{"parallel.ep", 2}, {"parallel.replicate_with", "hsdp"}})}},
  };
}

}  // namespace parity::coverage
