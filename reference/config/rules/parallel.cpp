// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "reference/config/model_names.hpp"
#include "reference/config/rules/rules.hpp"

namespace parity::reference {
namespace {

void check_data_parallel(const RunConfig& config, const Rules& rules) {
  const ParallelConfig& parallel = config.parallel;
  rules.at_least(parallel.dp_replicate, 1, "parallel.dp_replicate");
  rules.at_least(parallel.dp_shard, 1, "parallel.dp_shard");
  const int64_t rows = config.data.global_batch / config.data.micro_batches;
  rules.rule(rows % parallel.batch_ranks() == 0,
             parallel.dp_shard > 1 ? "parallel.dp_shard" : "parallel.dp_replicate",
             "a micro-batch of all " + std::to_string(parallel.batch_ranks()) + " ranks has " +
                 std::to_string(rows) + " sequences, which do not divide into equal parts",
             "choose a number of ranks that divides them");
  rules.rule(!config.train.autocast || config.loss.chunks == 0, "train.autocast",
             "the loss in chunks calls backward between its chunks, which autocast must not cover",
             "set loss.chunks = 0");
  rules.at_least(parallel.activation_checkpointing_every, 1, "parallel.activation_checkpointing_every");
  rules.used_or_default(parallel.activation_checkpointing == ActivationCheckpointing::every,
                        "parallel.activation_checkpointing_every",
                        "a model that does not checkpoint every k-th block",
                        "set parallel.activation_checkpointing = \"every\"");
  rules.used_or_default(
      parallel.has_units(), "parallel.mixed_precision", "a model without FSDP units",
      "set parallel.dp_shard or parallel.replicate_with = \"hsdp\" (autocast is train.autocast)");
  rules.used_or_default(parallel.dp_shard == 1, "parallel.replicate_with", "a mesh with dp_shard > 1",
                        "it is HSDP already");
  rules.used_or_default(parallel.dp_shard > 1, "parallel.reshard_after_forward",
                        "a model whose parameters are whole on each rank", "set parallel.dp_shard");
}

void check_tensor_parallel(const RunConfig& config, const Rules& rules) {
  const int64_t tp = config.parallel.tp;
  rules.at_least(tp, 1, "parallel.tp");
  const ModelDimensions d = dimensions_of(config);
  rules.rule(d.n_heads % tp == 0 && d.n_kv_heads % tp == 0, "parallel.tp",
             std::to_string(d.n_heads) + " query heads and " + std::to_string(d.n_kv_heads) +
                 " key heads do not divide into equal parts, and a head stays whole",
             "choose a divisor of both");
  for (const auto& [key, count] :
       {std::pair("architecture.vocab_size", d.vocab_size),
        std::pair("architecture.ffn_hidden", d.ffn_hidden), std::pair("moe.hidden", d.moe.hidden),
        std::pair("moe.shared_hidden", d.moe.shared_hidden)})
    rules.rule(count == 0 || (tp - 1) * ((count + tp - 1) / tp) < count, key,
               "parts of " + std::to_string((count + tp - 1) / tp) +
                   " leave the last of parallel.tp = " + std::to_string(tp) + " ranks without any",
               "give more, or fewer ranks");
  for (const char* key : {"parallel.sequence_parallel", "parallel.loss_parallel"})
    rules.used_or_default(tp > 1, key, "a model without tensor parallelism", "set parallel.tp");
}

void check_expert_parallel(const RunConfig& config, const Rules& rules) {
  const ParallelConfig& parallel = config.parallel;
  rules.at_least(parallel.ep, 1, "parallel.ep");
  if (parallel.ep == 1)
    return;
  const int64_t experts = dimensions_of(config).moe.experts;
  rules.rule(experts > 0, "parallel.ep", "the model has no experts", "set moe.experts or leave it 1");
  rules.rule(experts % parallel.ep == 0, "parallel.ep",
             std::to_string(experts) + " experts do not divide into equal parts",
             "choose a divisor of moe.experts");
  rules.rule(parallel.dp_shard * parallel.cp % parallel.ep == 0, "parallel.ep",
             "it takes its ranks from the " + std::to_string(parallel.dp_shard * parallel.cp) +
                 " of parallel.dp_shard x parallel.cp",
             "raise parallel.dp_shard, or choose a divisor of that");
  rules.rule(parallel.has_units(), "parallel.ep",
             "experts are FSDP units of their own, and the model has no units",
             "set parallel.dp_shard or parallel.replicate_with = \"hsdp\"");
}

void check_pipeline(const RunConfig& config, const Rules& rules) {
  const ParallelConfig& parallel = config.parallel;
  rules.at_least(parallel.pp, 1, "parallel.pp");
  rules.at_least(parallel.pp_stages, 1, "parallel.pp_stages");
  rules.at_least(parallel.pp_microbatches, 1, "parallel.pp_microbatches");
  for (const char* key : {"parallel.pp_schedule", "parallel.pp_microbatches", "parallel.pp_stages"})
    rules.used_or_default(parallel.pp > 1, key, "a model without a pipeline", "set parallel.pp");
  rules.used_or_default(parallel.pp > 1 && !config.attention.documents.empty(), "parallel.pp_masks",
                        "a model without a pipeline or without documents", "set parallel.pp");
  if (parallel.pp == 1)
    return;
  const int64_t stages = parallel.pp * parallel.pp_stages;
  const int64_t layers = dimensions_of(config).n_layers;
  rules.rule(stages <= layers, parallel.pp_stages > 1 ? "parallel.pp_stages" : "parallel.pp",
             "each of " + std::to_string(stages) + " stages needs a block, and the model has " +
                 std::to_string(layers),
             "choose fewer, or raise architecture.n_layers");
  const bool interleaved = parallel.pp_schedule == PipelineSchedule::interleaved;
  rules.rule(interleaved == (parallel.pp_stages > 1), "parallel.pp_stages",
             "parallel.pp_schedule is " + std::string(name_of(parallel.pp_schedule)) + ", and " +
                 (interleaved ? "it needs several stages per rank" : "it has one stage per rank"),
             interleaved ? "give 2 or more" : "set parallel.pp_schedule = \"interleaved\" or leave it 1");
  const int64_t rows = config.data.global_batch / config.data.micro_batches / parallel.batch_ranks();
  rules.rule(rows % parallel.pp_microbatches == 0, "parallel.pp_microbatches",
             "a micro-batch has " + std::to_string(rows) +
                 " sequences on each rank, which do not divide into equal pieces",
             "choose a divisor");
  const int64_t rounds = std::max<int64_t>(1, parallel.pp_microbatches / parallel.pp);
  rules.rule(!interleaved || parallel.pp_microbatches % rounds == 0, "parallel.pp_microbatches",
             "interleaved stages take turns in " + std::to_string(rounds) + " equal rounds",
             "choose a multiple of parallel.pp");
  rules.used_or_default(parallel.pp == 1, "parallel.sync", "a pipeline",
                        "each stage reduces after its last piece");
}

void check_context_parallel(const RunConfig& config, const Rules& rules) {
  const int64_t cp = config.parallel.cp;
  rules.at_least(cp, 1, "parallel.cp");
  if (cp == 1)
    return;
  rules.rule(config.data.seq_len % (2 * cp) == 0, "parallel.cp",
             "a sequence of " + std::to_string(config.data.seq_len) + " tokens does not divide into " +
                 std::to_string(2 * cp) + " equal chunks",
             "choose parallel.cp so that 2 parallel.cp divides data.seq_len");
  const AttentionBackend backend = config.attention.backend;
  rules.rule(backend == AttentionBackend::flex || backend == AttentionBackend::dense, "parallel.cp",
             std::string(name_of(backend)) + " needs whole rows, and a rank has some of their queries",
             "set attention.backend = \"flex\" or \"dense\"");
  rules.rule(config.parallel.gradient_reduction == GradientReduction::sum, "parallel.gradient_reduction",
             "the ranks of parallel.cp have terms of one sequence's gradient", "leave it \"sum\"");
}

}  // namespace

void check_parallel(const RunConfig& config, const Rules& rules) {
  check_data_parallel(config, rules);
  check_tensor_parallel(config, rules);
  check_context_parallel(config, rules);
  check_expert_parallel(config, rules);
  check_pipeline(config, rules);
  check_invariance(config, rules);
}

}  // namespace parity::reference
