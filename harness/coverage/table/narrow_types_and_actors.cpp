// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/coverage/table/acting.hpp"
#include "harness/coverage/table/rows.hpp"
#include "harness/coverage/table/settings.hpp"

namespace parity::coverage {

using suite::FlatConfig;
using suite::integer_of;
using suite::text_of;
using enum Role;

std::vector<Feature> narrow_types_and_actors() {
  return {
      {"bf16",
       "parameters gathered in bfloat16",
       precision,
       [](const FlatConfig& c) { return is_set(c, "parallel.mixed_precision", "none"); },
       {{{"parallel.mixed_precision", "bf16"}, {"parallel.replicate_with", "hsdp"}},
        plus(sharded(), {{"parallel.mixed_precision", "bf16"}})}},
      {"autocast",
       "matrix products in bfloat16 by autocast",
       precision,
       [](const FlatConfig& c) { return flag_of(c, "train.autocast"); },
       {{{"train.autocast", true}}}},
      {"float8",
       "matrix products in float8",
       precision,
       [](const FlatConfig& c) { return is_set(c, "train.float8", "none"); },
       {{{"train.float8", "each_forward"}}}},
      {"quantised",
       "linear layers that quantise their operands",
       precision,
       [](const FlatConfig& c) { return is_set(c, "linear.recipe", "none"); },
       {{{"linear.recipe", "float8_row"}}, {{"linear.recipe", "mxfp8"}}}},
      {"narrow_weights",
       "parameters kept in bfloat16 between updates",
       precision,
       [](const FlatConfig& c) { return is_set(c, "optimizer.weights", "float32"); },
       {{{"optimizer.weights", "kahan"}}, {{"optimizer.weights", "master"}}}},
      {"dynamic_scale",
       "a loss scale that grows, and falls where gradients overflow",
       execution,
       [](const FlatConfig& c) { return is_set(c, "loss.scale", "none"); },
       {{{"loss.scale", "dynamic"}, {"loss.scale_init", 1024.0}, {"loss.scale_interval", 3}}}},
      {"clipping",
       "gradients scaled down to a norm",
       acting,
       find_act("clipping").may_act,
       {{{"clip.max_norm", 0.2}}, {{"clip.max_norm", 0.02}}}},
      {"qk_clip",
       "queries and keys of heads with large logits scaled down",
       acting,
       find_act("qk_clip").may_act,
       {{{"optimizer.qk_clip", 0.01}}, {{"optimizer.qk_clip", 0.01}, {"attention.backend", "dense"}}}},
      {"ignored_labels",
       "labels that do not count",
       acting,
       find_act("ignored_labels").may_act,
       {{{"data.ignore_fraction", 0.3}}, padded()}},
  };
}

}  // namespace parity::coverage
