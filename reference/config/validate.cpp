// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/config/validate.hpp"

#include <set>
#include <string>

#include "reference/config/model_names.hpp"
#include "reference/config/rules/rules.hpp"

namespace parity::reference {
namespace {

/// Documents, the marks between them, and positions.
void check_documents(const RunConfig& config, const Rules& rules) {
  const DataConfig& data = config.data;
  const bool packs = data.packing != Packing::none;
  const bool synthetic = data.source == DataSource::synthetic;
  const int64_t vocabulary = dimensions_of(config).vocab_size;
  const std::string has = "the vocabulary has " + std::to_string(vocabulary) + " tokens";
  rules.rule(data.document_tokens == 0 || (synthetic && packs), "data.document_tokens",
             "only packed synthetic documents have a chosen length", "set data.packing, or leave it 0");
  rules.rule(!(synthetic && packs) || data.document_tokens >= 2, "data.document_tokens",
             "a document has an input and a label", "give 2 or more");
  rules.rule(data.eos_id >= -1 && data.eos_id < vocabulary, "data.eos_id", has,
             "give one of them, or -1 for none");
  rules.rule(data.newline_id >= -1 && data.newline_id < vocabulary, "data.newline_id", has,
             "give one of them, or -1 for none");
  rules.rule(data.eos_id == -1 || data.source != DataSource::text, "data.eos_id",
             "the byte tokenizer ends documents with its own token", "leave it -1");
  rules.rule(data.eos_id == -1 || !synthetic || packs, "data.eos_id",
             "the synthetic stream has no documents to end", "set data.packing, or leave it -1");
  rules.rule(
      data.newline_id == -1 || (packs && data.source != DataSource::tokens), "data.newline_id",
      packs ? "a token file already contains what follows its EOS" : "without packing no document ends",
      "leave it -1");
  rules.rule(data.newline_id == -1 || data.source == DataSource::text || data.eos_id >= 0, "data.newline_id",
             "it follows an EOS, and the data has none", "give data.eos_id, or leave it -1");
  rules.rule(data.newline_id == -1 || data.newline_id != data.eos_id, "data.newline_id", "it is the EOS",
             "give another token");
  rules.rule(data.positions == PositionsChoice::sequence || packs, "data.positions",
             "without packing nothing marks where a document begins",
             "set data.packing, or write positions into a token file");
  rules.at_least(data.context_length, 0, "data.context_length");
  rules.rule(data.context_length == 0 || data.positions == PositionsChoice::document, "data.context_length",
             "only positions of documents restart", "set data.positions = \"document\" or leave it 0");
  const int64_t marks = (data.eos_id >= 0 ? 1 : 0) + (data.newline_id >= 0 ? 1 : 0);
  rules.rule(data.packing != Packing::first_fit || !synthetic ||
                 2 * data.document_tokens - 2 + marks - 1 <= data.seq_len,
             "data.document_tokens",
             "first_fit packs whole documents, and the longest would not fit a sequence",
             "shorten the documents or lengthen data.seq_len");
}

void check_probe(const RunConfig& config, const Rules& rules) {
  const DataConfig& data = config.data;
  rules.at_least(data.probe_row, -1, "data.probe_row");
  rules.rule(data.probe_position >= 0 && data.probe_position < data.seq_len, "data.probe_position",
             "a sequence has no such position", "choose one below data.seq_len");
  rules.used_or_default(data.probe_row >= 0, "data.probe_position", "data without a changed token",
                        "set data.probe_row");
}

/// The rules that do not depend on documents.
void check_local_attention(const RunConfig& config, const Rules& rules) {
  const AttentionConfig& attention = config.attention;
  rules.at_least(attention.sliding_window, 0, "attention.sliding_window");
  rules.at_least(attention.fixed_block, 0, "attention.fixed_block");
  for (const auto& [tokens, key] : {std::pair(attention.sliding_window, "attention.sliding_window"),
                                    std::pair(attention.fixed_block, "attention.fixed_block")})
    rules.rule(tokens == 0 || attention.backend != AttentionBackend::sdpa, key,
               "sdpa supports only the causal mask, and would silently attend to everything before",
               "set attention.backend = \"flex\" or \"varlen\"");
  rules.used_or_default(attention.fixed_block > 0, "attention.fixed_block_form",
                        "attention without fixed blocks", "set attention.fixed_block");
}

void check_attention(const RunConfig& config, const Rules& rules) {
  check_local_attention(config, rules);
  const AttentionConfig& attention = config.attention;
  const DataConfig& data = config.data;
  const std::string key = "attention.documents";
  rules.rule(attention.documents.size() <= 1, key,
             "EOS and positions can give different boundaries, and only one of them can be used",
             "choose one");
  if (attention.documents.empty())
    return;
  rules.rule(
      attention.backend != AttentionBackend::sdpa, key,
      "sdpa supports no document mask: it would need S x S elements per row and compute forbidden pairs",
      "set attention.backend = \"flex\" or \"varlen\"");
  if (attention.documents.front() == DocumentBoundary::eos)
    rules.rule(data.source == DataSource::text || data.eos_id >= 0, key, "the data has no EOS",
               "give data.eos_id");
  else
    rules.rule(data.positions == PositionsChoice::document || data.source == DataSource::tokens ||
                   data.source == DataSource::rollouts,
               key, "data.positions = \"sequence\" marks no documents", "set data.positions = \"document\"");
}

void check_loss(const RunConfig& config, const Rules& rules) {
  const LossConfig& loss = config.loss;
  const bool streamed = loss.accumulation == Accumulation::streamed;
  rules.rule(!streamed || loss.normalization == Normalization::gradient_scaling, "loss.accumulation",
             std::string(name_of(loss.normalization)) +
                 " divides before backward, and a stream does not know the update's total yet",
             "set loss.normalization = \"gradient_scaling\" or prefetch");
  rules.rule(
      !streamed || config.train.update == UpdateCall::step, "loss.accumulation",
      "train.update = " + std::string(name_of(config.train.update)) + " passes whole updates from outside",
      "set train.update = \"step\" or prefetch");
  rules.at_least(loss.chunks, 0, "loss.chunks");
  const int64_t tokens = config.data.global_batch / config.data.micro_batches /
                         config.parallel.batch_ranks() / config.parallel.pp_microbatches *
                         config.data.seq_len / config.parallel.cp;
  rules.rule(loss.chunks == 0 || tokens % loss.chunks == 0, "loss.chunks",
             "a micro-batch has " + std::to_string(tokens) + " tokens, which do not divide into equal chunks",
             "choose a divisor, or 0");
}

/// An exact twin keeps its residues in the memory of one process, beside the memory of CPU tensors.
void check_exact(const RunConfig& config, const Rules& rules) {
  const bool exact = config.dtype == Precision::exact;
  rules.rule(!exact || config.device == DeviceChoice::cpu, "dtype", "residues are computed on the CPU only",
             "set device = \"cpu\"");
}

/// What depends on the layout, and so must hold for that of the process that resumes too.
void check_layout(const RunConfig& config, const Rules& rules) {
  check_model(config, rules);
  check_parallel(config, rules);
  check_loss(config, rules);
  check_precision(config, rules);
  check_rollouts(config, rules);
}

/// Muon's rules look at both layouts themselves.
void check_resumed(RunConfig config) {
  config.parallel = config.resumed_parallel();
  try {
    check_layout(config, Rules(config));
  } catch (const UserError& error) {
    throw UserError("the layout that checkpoint.resume_* gives: " + std::string(error.what()));
  }
}

void check_checkpoint(const RunConfig& config, const Rules& rules) {
  rules.at_least(config.checkpoint.restart_after, 0, "checkpoint.restart_after");
  rules.rule(config.checkpoint.restart_after < config.steps, "checkpoint.restart_after",
             "steps is " + std::to_string(config.steps) + ", so nothing remains to resume",
             "restart earlier or train longer");
  for (const auto& [value, key] : {std::pair(config.checkpoint.resume_dp_replicate, "resume_dp_replicate"),
                                   std::pair(config.checkpoint.resume_dp_shard, "resume_dp_shard"),
                                   std::pair(config.checkpoint.resume_tp, "resume_tp"),
                                   std::pair(config.checkpoint.resume_cp, "resume_cp"),
                                   std::pair(config.checkpoint.resume_pp, "resume_pp"),
                                   std::pair(config.checkpoint.resume_ep, "resume_ep")}) {
    const std::string name = std::string("checkpoint.") + key;
    rules.at_least(value, 0, name);
    rules.used_or_default(config.checkpoint.restart_after > 0, name, "a run that does not restart",
                          "set checkpoint.restart_after");
    rules.rule(value == 0 || config.resumed_parallel().ranks() == config.parallel.ranks(), name,
               "the run resumes with " + std::to_string(config.parallel.ranks()) + " ranks, not " +
                   std::to_string(config.resumed_parallel().ranks()),
               "choose a layout of as many ranks");
  }
  check_resumed(config);
  std::set<CheckpointPart> seen;
  for (const CheckpointPart part : config.checkpoint.exclude_from_loading)
    rules.rule(seen.insert(part).second, "checkpoint.exclude_from_loading", "a part is named twice",
               "name each once");
}

}  // namespace

void validate(const RunConfig& config) {
  const Rules rules(config);
  rules.at_least(config.steps, 1, "steps");
  rules.at_least(config.seed, 0, "seed");
  rules.at_least(config.data.seed, 0, "data.seed");
  rules.rule(config.threads >= 1 && config.threads <= 1024, "threads", "an operator needs a thread",
             "give 1 to 1024");
  check_data(config, rules);
  check_probe(config, rules);
  check_layout(config, rules);
  check_documents(config, rules);
  check_attention(config, rules);
  check_optimizer(config, rules);
  check_schedule(config, rules);
  check_checkpoint(config, rules);
  check_exact(config, rules);
}

}  // namespace parity::reference
