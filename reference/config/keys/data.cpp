// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
// Keys of the data, of attention and of the loss.
#include "reference/config/keys/rows.hpp"
#include "reference/config/keys/sections.hpp"

namespace parity::reference::rows {

std::vector<Key> data_keys() {
  return {
      key("data.source", PARITY_AT(data.source), "Where tokens come from."),
      not_numeric(key("data.path", PARITY_AT(data.path),
                      "The UTF-8, Parquet or JSON lines file of data.source = text, or the token file.")),
      key("data.format", PARITY_AT(data.format),
          "How a token file is written: by_name: .npy, .idx (Megatron), .parquet, .jsonl, else TOML; "
          "nanogpt: uint16 "
          "without a header; llmc: a header of 256 int32, then uint16 or uint32; megatron: an .idx and a "
          ".bin file; parquet: a list of integers a row, each a document; jsonl: an object a line with "
          "such a list."),
      key("data.column", PARITY_AT(data.column),
          "The column of a Parquet file, or member of each line of JSON, that has the documents; empty = "
          "tokens, or text of data.source = text."),
      not_numeric(key("data.paths", PARITY_AT(data.paths),
                      "Several files in place of data.path; their rows are blended by data.weights.")),
      key("data.weights", PARITY_AT(data.weights),
          "Weight of each of data.paths, up to a common factor. The next row comes from the file that is "
          "furthest behind its share, as in Megatron."),
      key("data.shuffle", PARITY_AT(data.shuffle),
          "Draws an order of documents (with packing) or of whole sequences for each pass over a file, from "
          "data.seed plus the number of the pass, with NumPy's RandomState."),
      key("data.packing", PARITY_AT(data.packing),
          "none: sequences are cut from one stream; stream: documents joined into one stream, cut into "
          "seq_len + 1 (EOS era); concat_then_split, first_fit: inputs and labels of each document, joined "
          "and cut, or whole with padding."),
      key("data.positions", PARITY_AT(data.positions),
          "sequence: 0 to seq_len - 1; document: from 0 in each packed document."),
      key("data.context_length", PARITY_AT(data.context_length),
          "Number of positions after which those of a longer document restart; 0 = data.seq_len."),
      key("data.document_tokens", PARITY_AT(data.document_tokens),
          "Mean length of a synthetic document, without marks; lengths range from 2 to twice the mean."),
      key("data.eos_id", PARITY_AT(data.eos_id),
          "The token that ends a document; -1 = none, or the byte tokenizer's for text."),
      key("data.newline_id", PARITY_AT(data.newline_id), "A token after each EOS; -1 = none."),
      key("data.seq_len", PARITY_AT(data.seq_len), "Tokens per sequence."),
      key("data.global_batch", PARITY_AT(data.global_batch), "Sequences per update."),
      key("data.micro_batches", PARITY_AT(data.micro_batches),
          "Forward and backward passes per update; divides data.global_batch."),
      key("data.seed", PARITY_AT(data.seed), "Seed of the synthetic corpus and of ignored labels."),
      key("data.ignore_fraction", PARITY_AT(data.ignore_fraction),
          "Mean share of labels set to -100, as a prefix of each sequence whose length varies, 0 to 0.5."),
      key("data.probe_row", PARITY_AT(data.probe_row),
          "The sequence of which one token is another, so that a comparison shows what it reaches; -1 = "
          "none."),
      key("data.probe_position", PARITY_AT(data.probe_position), "The position of that token."),
  };
}

std::vector<Key> attention_keys() {
  return {
      key("attention.backend", PARITY_AT(attention.backend),
          "sdpa: causal only; flex: any mask in blocks of 128 x 128, empty blocks skipped; varlen: document "
          "by "
          "document; dense: every pair, with a mask of S x S; tiled: like varlen, with keys in tiles of 16 "
          "in order, so that a query's bits depend on its own sequence alone (CPU)."),
      key("attention.documents", PARITY_AT(attention.documents),
          "How the documents that attention may not leave are found: eos, position_difference (Hugging Face, "
          "verl) "
          "or "
          "position_zero (torchtitan); empty = causal over the whole sequence."),
      key("attention.sliding_window", PARITY_AT(attention.sliding_window),
          "Keys that a query may attend to, including itself: the window - 1 before it; 0 = all."),
      key("attention.fixed_block", PARITY_AT(attention.fixed_block),
          "Tokens per block that attention may not leave, counted from the start of a row (iRoPE); 0 = no "
          "blocks."),
      key("attention.fixed_block_form", PARITY_AT(attention.fixed_block_form),
          "corrected: the other rules hold inside a block too; first_written: they get positions counted "
          "from the start of the block, as in torchtitan until #1776; chunked: blocks are counted from the "
          "end of a row's left padding (Hugging Face)."),
  };
}

std::vector<Key> loss_keys() {
  return {
      key("loss.normalization", PARITY_AT(loss.normalization),
          "global_tokens: sum over valid tokens of the update; microbatch_mean: mean of micro-batch means; "
          "gradient_scaling: unnormalized sums, all gradients divided by the tokens at the end."),
      key("loss.accumulation", PARITY_AT(loss.accumulation),
          "prefetched: all micro-batches of an update are fetched before its first forward pass; streamed: "
          "one "
          "at a time, with gradient_scaling only."),
      key("loss.chunks", PARITY_AT(loss.chunks),
          "Chunks of tokens in which a micro-batch goes through output projection and loss; 0 = all at "
          "once."),
      key("loss.z_coef", PARITY_AT(loss.z_coef),
          "Coefficient of the z-loss: the mean of (log sum exp(logits))^2, normalized like the loss and part "
          "of it (PaLM); 0 = none."),
      key("loss.mtp_coef", PARITY_AT(loss.mtp_coef),
          "Coefficient of the mean over depths of the losses of multi-token prediction."),
      key("loss.mtp_labels", PARITY_AT(loss.mtp_labels),
          "shifted: depth k predicts k tokens further than the model; unshifted: the model's own labels, a "
          "defect to be found."),
      key("loss.scale", PARITY_AT(loss.scale),
          "dynamic: backward starts from loss times a scale, and the optimizer skips an update whose "
          "gradients "
          "are not finite (torch.amp.GradScaler). Records the channels loss_scale and update_skipped."),
      key("loss.scale_init", PARITY_AT(loss.scale_init), "Scale of the first update."),
      key("loss.scale_growth", PARITY_AT(loss.scale_growth),
          "Factor of the scale after loss.scale_interval updates in a row that were not skipped."),
      key("loss.scale_backoff", PARITY_AT(loss.scale_backoff), "Factor of the scale after a skipped update."),
      key("loss.scale_interval", PARITY_AT(loss.scale_interval), "Updates in a row before the scale grows."),
      key("loss.scale_holds_schedule", PARITY_AT(loss.scale_holds_schedule),
          "Whether a skipped update leaves the learning-rate schedule where it is, as in Megatron-LM; else "
          "it "
          "advances, as in a loop that calls scheduler.step() each time."),
  };
}

}  // namespace parity::reference::rows
