// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

namespace parity {

/// Small models, each with other parts that can be sharded over ranks.
enum class FaultModel {
  dense,    ///< two blocks
  deep,     ///< four blocks: two stages per rank
  mixture,  ///< latent attention, and a block with experts, one of them shared
};

constexpr std::string_view keys_of(FaultModel model) {
  switch (model) {
    case FaultModel::dense:
      return "model = \"llama3.debug\"\narchitecture.n_layers = 2\narchitecture.n_kv_heads = 2\n";
    case FaultModel::deep:
      return "model = \"llama3.debug\"\narchitecture.n_layers = 4\narchitecture.n_kv_heads = 2\n";
    case FaultModel::mixture:
      return "model = \"deepseek_v3.debug\"\narchitecture.n_layers = 2\narchitecture.q_lora_rank = 20\n"
             "architecture.kv_lora_rank = 16\narchitecture.qk_nope_head_dim = 8\n"
             "architecture.qk_rope_head_dim = 8\narchitecture.v_head_dim = 12\nmoe.experts = 4\n"
             "moe.top_k = 2\nmoe.hidden = 24\nmoe.shared_hidden = 32\n";
  }
  return "";
}

/// The layout of one process that has the whole model.
constexpr const char* whole_layout(FaultModel model) {
  switch (model) {
    case FaultModel::dense:
      return "one";
    case FaultModel::deep:
      return "deep";
    case FaultModel::mixture:
      return "mixture";
  }
  return "";
}

/// A layout of one of these models over ranks.
struct FaultLayout {
  const char* name;
  FaultModel model;
  const char* keys;
};

constexpr std::array<FaultLayout, 20> fault_layouts = {{
    {"one", FaultModel::dense, ""},
    {"pieces", FaultModel::dense, "data.micro_batches = 2\n"},
    {"recomputed", FaultModel::dense, "parallel.activation_checkpointing = \"full\"\n"},
    {"replicas", FaultModel::dense, "parallel.dp_replicate = 2\n"},
    {"replicas_flat", FaultModel::dense,
     "parallel.dp_replicate = 2\nparallel.replicate_with = \"flat_all_reduce\"\n"},
    {"shards", FaultModel::dense, "parallel.dp_shard = 2\n"},
    {"hsdp", FaultModel::dense, "parallel.dp_replicate = 2\nparallel.dp_shard = 2\n"},
    {"tensor", FaultModel::dense, "parallel.tp = 2\nparallel.sequence_parallel = true\n"},
    {"tensor_whole", FaultModel::dense, "parallel.tp = 2\n"},
    {"pipeline", FaultModel::dense, "parallel.pp = 2\nparallel.pp_microbatches = 2\n"},
    {"pipeline_tensor", FaultModel::dense,
     "parallel.pp = 2\nparallel.pp_microbatches = 2\nparallel.tp = 2\n"},
    {"context", FaultModel::dense, "parallel.cp = 2\nattention.backend = \"flex\"\n"},
    {"context_tensor", FaultModel::dense,
     "parallel.cp = 2\nattention.backend = \"flex\"\nparallel.tp = 2\nparallel.sequence_parallel = true\n"
     "parallel.loss_parallel = true\n"},
    {"deep", FaultModel::deep, ""},
    {"interleaved", FaultModel::deep,
     "parallel.pp = 2\nparallel.pp_microbatches = 2\nparallel.pp_schedule = \"interleaved\"\n"
     "parallel.pp_stages = 2\n"},
    {"gpipe", FaultModel::deep,
     "parallel.pp = 2\nparallel.pp_microbatches = 2\nparallel.pp_schedule = \"gpipe\"\n"},
    {"mixture", FaultModel::mixture, ""},
    {"experts", FaultModel::mixture, "parallel.dp_shard = 2\nparallel.ep = 2\n"},
    {"mixture_tensor", FaultModel::mixture, "parallel.tp = 2\nparallel.sequence_parallel = true\n"},
    {"mixture_whole", FaultModel::mixture, "parallel.tp = 2\n"},
}};

}  // namespace parity
