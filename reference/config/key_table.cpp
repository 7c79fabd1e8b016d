// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
// The table of keys: one row each, in the order in which they are told.
#include <type_traits>
#include <utility>

#include "reference/config/keys.hpp"
#include "reference/config/model_names.hpp"

namespace parity::reference {
namespace {

template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};

template <class T>
Json to_json(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return std::string(name_of(value));
  } else if constexpr (IsVector<T>::value) {
    Json list = Json::array();
    for (const auto& item : value)
      list.push_back(to_json(item));
    return list;
  } else {
    return value;
  }
}

template <class T>
T from_json(const Json& value) {
  if constexpr (std::is_enum_v<T>) {
    return parse_enum<T>(value.get_ref<const std::string&>());
  } else if constexpr (IsVector<T>::value) {
    T list;
    for (const Json& item : value)
      list.push_back(from_json<typename T::value_type>(item));
    return list;
  } else {
    return value.get<T>();
  }
}

template <class T>
constexpr KeyType type_of() {
  if constexpr (IsVector<T>::value)
    return KeyType::strings;
  else if constexpr (std::is_enum_v<T> || std::is_same_v<T, std::string>)
    return KeyType::string;
  else if constexpr (std::is_same_v<T, bool>)
    return KeyType::boolean;
  else if constexpr (std::is_floating_point_v<T>)
    return KeyType::number;
  else
    return KeyType::integer;
}

/// A row from a generic lambda `[](auto& c) -> auto& { return c.member; }`.
template <class Access>
Key key(std::string name, Access access, std::string doc) {
  using T = std::remove_cvref_t<decltype(access(std::declval<RunConfig&>()))>;
  Key row;
  row.name = std::move(name);
  row.type = type_of<T>();
  if constexpr (std::is_enum_v<T>)
    row.values = names_of<T>();
  else if constexpr (IsVector<T>::value)
    row.values = names_of<typename T::value_type>();
  row.doc = std::move(doc);
  row.get = [access](const RunConfig& config) { return to_json<T>(access(config)); };
  row.set = [access](RunConfig& config, const Json& value) { access(config) = from_json<T>(value); };
  return row;
}

Key not_numeric(Key row) {
  row.numeric = false;
  return row;
}

Key with_values(Key row, std::vector<std::string> values) {
  row.values = std::move(values);
  return row;
}

// NOLINTNEXTLINE(bugprone-macro-parentheses): a member cannot stand in parentheses
#define AT(member) [](auto& c) -> auto& { return c.member; }
std::vector<Key> make_keys() {
  return {
      with_values(key("model", AT(model), "The model whose dimensions and initialisation are used."),
                  model_names()),
      key("architecture.dim", AT(architecture.dim), "Width of the residual stream; 0 = the model's own."),
      key("architecture.n_layers", AT(architecture.n_layers), "Number of blocks; 0 = the model's own."),
      key("architecture.n_heads", AT(architecture.n_heads), "Query heads; 0 = the model's own."),
      key("architecture.n_kv_heads", AT(architecture.n_kv_heads),
          "Key and value heads; 0 = the model's own, or architecture.n_heads where that is given."),
      key("architecture.head_dim", AT(architecture.head_dim),
          "Width of a head; 0 = the model's own, or architecture.dim / heads."),
      key("architecture.vocab_size", AT(architecture.vocab_size), "Vocabulary; 0 = the model's own."),
      key("architecture.ffn_hidden", AT(architecture.ffn_hidden),
          "Width of the feed-forward layer; 0 = the model's own, or 8/3 of architecture.dim rounded up to "
          "256."),
      key("architecture.max_seq_len", AT(architecture.max_seq_len),
          "Rows of the RoPE table; 0 = the model's own."),
      key("architecture.rope_theta", AT(architecture.rope_theta), "RoPE base; 0 = the model's own."),
      key("architecture.norm_eps", AT(architecture.norm_eps), "Epsilon of RMSNorm; 0 = the model's own."),
      key("architecture.rope_scaling", AT(architecture.rope_scaling),
          "RoPE frequency scaling: the model's own, Llama 3's, or none."),
      key("architecture.rope", AT(architecture.rope),
          "complex: neighbouring elements of a head turn (Llama, DeepSeek); rotate_half: those half a head "
          "apart "
          "(Hugging Face, Qwen3); or the model's own."),
      key("architecture.rope_weights", AT(architecture.rope_weights),
          "permuted: rows of wq and wk are put in the order with which rotate_half computes what complex "
          "computes "
          "of them in their own."),
      key("architecture.qk_norm", AT(architecture.qk_norm),
          "RMSNorm of each query and key head before RoPE: on, off, or the model's own."),
      key("architecture.tied_embeddings", AT(architecture.tied_embeddings),
          "The output projection is the embedding: on, off, or the model's own."),
      key("architecture.initialization", AT(architecture.initialization),
          "depth_scaled: torchtitan's Llama scheme, of Qwen3 too until 2026; normal: standard deviation 0.02 "
          "for every "
          "matrix (Qwen3); or the model's own."),
      key("architecture.nope_every", AT(architecture.nope_every),
          "Blocks 0, k, 2 k, ... have no RoPE and attend beyond attention.fixed_block and "
          "attention.sliding_window (iRoPE); 0 = the model's own."),
      key("steps", AT(steps), "Optimizer updates."),
      key("seed", AT(seed), "Seed of the weights' random generator."),
      key("dtype", AT(dtype), "Type of parameters, activations and optimizer state; float64 is the twin."),
      key("device", AT(device),
          "What the step is computed on; cuda needs an NVIDIA GPU for each rank, and NCCL joins them."),
      key("data.source", AT(data.source), "Where tokens come from."),
      not_numeric(
          key("data.path", AT(data.path), "The UTF-8 file of data.source = text, or the token file.")),
      key("data.packing", AT(data.packing),
          "none: sequences are cut from one stream; stream: documents in one stream, cut into seq_len + 1 "
          "(EOS era); concat_then_split, first_fit: inputs and labels a document, joined and cut, or whole "
          "with padding."),
      key("data.positions", AT(data.positions),
          "sequence: 0 to seq_len - 1; document: from 0 in each packed document."),
      key("data.context_length", AT(data.context_length),
          "Positions of a longer document start over after so many; 0 = data.seq_len."),
      key("data.document_tokens", AT(data.document_tokens),
          "Mean length of a synthetic document, without marks; lengths vary from 2 to twice as many."),
      key("data.eos_id", AT(data.eos_id),
          "The token that ends a document; -1 = none, or the byte tokenizer's for text."),
      key("data.newline_id", AT(data.newline_id), "A token after each EOS; -1 = none."),
      key("data.seq_len", AT(data.seq_len), "Tokens a sequence."),
      key("data.global_batch", AT(data.global_batch), "Sequences an update."),
      key("data.micro_batches", AT(data.micro_batches),
          "Forward and backward passes an update; divides data.global_batch."),
      key("data.seed", AT(data.seed), "Seed of the synthetic corpus and of ignored labels."),
      key("data.ignore_fraction", AT(data.ignore_fraction),
          "Mean share of labels set to -100, as a prefix of each sequence whose length varies, 0 to 0.5."),
      key("attention.backend", AT(attention.backend),
          "sdpa: causal only; flex: any mask in blocks of 128 x 128, empty blocks skipped; varlen: document "
          "by "
          "document; dense: every pair, with a mask of S x S."),
      key("attention.documents", AT(attention.documents),
          "What ends a document that attention may not leave: eos, position_difference (Hugging Face, verl) "
          "or "
          "position_zero (torchtitan); empty = causal over the whole sequence."),
      key("attention.sliding_window", AT(attention.sliding_window),
          "Keys that a query may look at, itself counted: the window - 1 before it; 0 = all."),
      key("attention.fixed_block", AT(attention.fixed_block),
          "Tokens of the blocks, counted from the beginning of a row, that attention may not leave (iRoPE); "
          "0 = none."),
      key("attention.fixed_block_form", AT(attention.fixed_block_form),
          "corrected: the other rules hold inside a block too; first_written: they are asked about places "
          "counted "
          "from the block's beginning, as torchtitan did until #1776; chunked: blocks are counted from "
          "behind a row's "
          "left padding (Hugging Face)."),
      key("loss.normalization", AT(loss.normalization),
          "global_tokens: sum over valid tokens of the update; microbatch_mean: mean of micro-batch means; "
          "gradient_scaling: unnormalised sums, all gradients divided by the tokens at the end."),
      key("loss.accumulation", AT(loss.accumulation),
          "prefetched: all micro-batches of an update are fetched before its first forward pass; streamed: "
          "one "
          "at a time, with gradient_scaling only."),
      key("loss.chunks", AT(loss.chunks),
          "Chunks of tokens in which a micro-batch goes through output projection and loss; 0 = all at "
          "once."),
      key("optimizer.name", AT(optimizer.name), "The optimizer."),
      key("optimizer.implementation", AT(optimizer.implementation),
          "fused: one kernel for all tensors; plain: one tensor after another with ordinary operations."),
      key("optimizer.beta1", AT(optimizer.beta1), "AdamW: decay of the first moment."),
      key("optimizer.beta2", AT(optimizer.beta2), "AdamW: decay of the second moment."),
      key("optimizer.eps", AT(optimizer.eps), "AdamW: added to the root of the second moment."),
      key("optimizer.weight_decay", AT(optimizer.weight_decay),
          "AdamW: decoupled decay; SGD: added to the gradient; on all parameters."),
      key("optimizer.weight_decay_ramp", AT(optimizer.weight_decay_ramp),
          "megatron: how weight decay rises from optimizer.weight_decay_start to optimizer.weight_decay over "
          "the run."),
      key("optimizer.weight_decay_start", AT(optimizer.weight_decay_start),
          "megatron: weight decay of the first update where a ramp is set."),
      key("optimizer.momentum", AT(optimizer.momentum), "SGD: momentum."),
      key("clip.max_norm", AT(clip.max_norm), "Gradients are scaled down to this L2 norm; 0 = never."),
      key("lr.base", AT(lr.base), "Learning rate at factor 1."),
      key("lr.schedule", AT(lr.schedule), "Family of the learning-rate schedule."),
      key("lr.warmup_steps", AT(lr.warmup_steps), "Updates of warmup."),
      key("lr.warmup", AT(lr.warmup), "deepspeed: shape of the warmup; DeepSpeed's own default is log."),
      key("lr.init_factor", AT(lr.init_factor),
          "verl_cosine, megatron, deepspeed with cosine: share of lr.base that warmup starts from."),
      key("lr.total_steps", AT(lr.total_steps), "Length of the curve; 0 = steps."),
      key("lr.decay", AT(lr.decay),
          "Shape of the decay. titan: linear, sqrt, cosine; megatron: all but sqrt; deepspeed: linear, "
          "cosine, constant."),
      key("lr.decay_ratio", AT(lr.decay_ratio),
          "titan: share of the curve that decays; -1 = everything after warmup."),
      key("lr.min_factor", AT(lr.min_factor),
          "titan, verl_cosine, megatron, deepspeed: share of lr.base that the decay ends at; DeepSpeed's own "
          "default with cosine is 1e-4."),
      key("lr.num_cycles", AT(lr.num_cycles),
          "hugging_face_cosine, verl_cosine: waves of the cosine; 0.5 falls once."),
      key("lr.wsd_steps", AT(lr.wsd_steps), "megatron with decay wsd: updates of the final decay."),
      key("lr.wsd_decay", AT(lr.wsd_decay), "megatron with decay wsd: shape of the final decay."),
      with_values(key("lr.first_index", AT(lr.first_index),
                      "warmup_linear: the number of the first update, 1 (titan) or 0 (Hugging Face)."),
                  {"0", "1"}),
      key("train.update", AT(train.update),
          "step: the trainer's own update; halves: forward_backward for each micro-batch and optim_step, "
          "called from outside; halves_zeroing: each forward_backward drops the gradients first."),
      key("train.evaluate", AT(train.evaluate),
          "After each update, the loss of the data's first data.global_batch rows, without gradients: the "
          "channel eval_loss."),
      key("train.autocast", AT(train.autocast),
          "Runs forward and loss under autocast: matrix products and attention in bfloat16, the rest in "
          "float32. No effect, and a warning, with FSDP or tensor parallel."),
      key("parallel.dp_replicate", AT(parallel.dp_replicate),
          "Copies of the model, which share the rows of an update among them."),
      key("parallel.dp_shard", AT(parallel.dp_shard),
          "Ranks that hold a part of each parameter of a copy (FSDP) and share its rows; with "
          "parallel.dp_replicate > 1 it is HSDP."),
      key("parallel.cp", AT(parallel.cp),
          "Ranks that share each sequence (context parallel): each has two of 2 cp chunks, and gathers the "
          "keys "
          "and values of all."),
      key("parallel.tp", AT(parallel.tp),
          "Ranks that hold a part of each matrix and compute for the same rows (tensor parallel); divides "
          "the query and the key heads."),
      key("parallel.sequence_parallel", AT(parallel.sequence_parallel),
          "Tensor parallel: the residual stream and its norms are cut along the sequence too."),
      key("parallel.loss_parallel", AT(parallel.loss_parallel),
          "Tensor parallel: the loss is taken of logits of which each rank keeps its part of the "
          "vocabulary."),
      key("parallel.replicate_with", AT(parallel.replicate_with),
          "all_reduce: one all-reduce a parameter; flat_all_reduce: one a unit, of its gradients one after "
          "the "
          "other; hsdp: HSDP over (dp_replicate, 1), which reduces the same buffers."),
      key("parallel.reshard_after_forward", AT(parallel.reshard_after_forward),
          "FSDP: whose gathered parameters are dropped after forward, to be gathered again for backward."),
      key("parallel.gradient_reduction", AT(parallel.gradient_reduction),
          "sum: ranks' gradients are added; average: divided by the number of data-parallel ranks too, as "
          "torchtitan did until #2206 and DDP does. Makes microbatch_mean the mean of the ranks' own "
          "micro-batches."),
      key("parallel.sync", AT(parallel.sync),
          "last: micro-batches add up on their rank and are reduced after the last; each: every "
          "micro-batch's gradients are reduced, then added."),
      key("parallel.pp", AT(parallel.pp),
          "Ranks that hold consecutive blocks each; a micro-batch goes through them one after the other "
          "(pipeline parallel)."),
      key("parallel.pp_schedule", AT(parallel.pp_schedule),
          "gpipe: all forward, then all backward; 1f1b: backward as soon as it can; interleaved: 1f1b over "
          "parallel.pp_stages stages of each rank."),
      key("parallel.pp_microbatches", AT(parallel.pp_microbatches),
          "Pieces of rows that each micro-batch is cut into for the pipeline."),
      key("parallel.pp_stages", AT(parallel.pp_stages),
          "interleaved: stages of each rank; stage s lies on rank s modulo parallel.pp."),
      key("parallel.pp_masks", AT(parallel.pp_masks),
          "split: a mask is made of the whole micro-batch and cut with its rows; own: each piece has its "
          "own; "
          "held: each piece finds the whole one's first rows, as where a module held it (torchtitan #1723)."),
      key("parallel.mixed_precision", AT(parallel.mixed_precision),
          "Policy of FSDP units, replicate_with = \"hsdp\" among them: bf16 gathers parameters in bfloat16 "
          "for "
          "forward and backward, reduces gradients and updates in float32. None in a float64 twin."),
      key("parallel.activation_checkpointing", AT(parallel.activation_checkpointing),
          "Blocks whose activations are dropped and computed again in backward: none, full (all), or every "
          "parallel.activation_checkpointing_every-th. Also on one rank."),
      key("parallel.activation_checkpointing_every", AT(parallel.activation_checkpointing_every),
          "k of activation_checkpointing = \"every\": blocks k - 1, 2 k - 1, ..."),
      key("checkpoint.restart_after", AT(checkpoint.restart_after),
          "Ends the process after this update and goes on in a new one from a checkpoint; 0 = never."),
      key("checkpoint.resume_dp_replicate", AT(checkpoint.resume_dp_replicate),
          "parallel.dp_replicate of the process that goes on; 0 = the same."),
      key("checkpoint.resume_dp_shard", AT(checkpoint.resume_dp_shard),
          "parallel.dp_shard of the process that goes on; 0 = the same."),
      key("checkpoint.resume_tp", AT(checkpoint.resume_tp),
          "parallel.tp of the process that goes on; 0 = the same."),
      key("checkpoint.resume_cp", AT(checkpoint.resume_cp),
          "parallel.cp of the process that goes on; 0 = the same."),
      key("checkpoint.resume_pp", AT(checkpoint.resume_pp),
          "parallel.pp of the process that goes on; 0 = the same."),
      key("checkpoint.exclude_from_loading", AT(checkpoint.exclude_from_loading),
          "Parts that a resumed run starts anew instead of loading."),
      key("threads", AT(threads), "Threads within an operator; they change the order of sums."),
  };
}
#undef AT

}  // namespace

const std::vector<Key>& keys() {
  static const std::vector<Key> table = make_keys();
  return table;
}

}  // namespace parity::reference
