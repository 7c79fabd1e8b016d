// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/numerics/attention_choice.hpp"

#include <algorithm>

#include "reference/data/formats/stored_tokens.hpp"
#include "reference/data/rows.hpp"

namespace parity::reference {
namespace {

/// Returns whether the documents of each file are cut after EOS, so that it is nowhere else.
bool cut_after_eos(const DataConfig& data) {
  return std::ranges::all_of(configs_of_files(data), [](const DataConfig& file) {
    const TokenFormat format = format_of(file);
    return format == TokenFormat::npy || format == TokenFormat::nanogpt;
  });
}

/// Returns whether EOS is always the last token of a document and packing leaves the last token out of the
/// inputs. A token file of documents may have EOS anywhere.
bool never_an_input(const DataConfig& data) {
  const bool last = data.newline_id < 0 && (data.source != DataSource::tokens || cut_after_eos(data));
  return last && (data.packing == Packing::concat_then_split || data.packing == Packing::first_fit);
}

}  // namespace

AttentionChoice attention_choice(const RunConfig& config) {
  const AttentionConfig& attention = config.attention;
  MaskRule rule{.documents = std::nullopt,
                .sliding_window = attention.sliding_window,
                .fixed_block = attention.fixed_block,
                .fixed_block_form = attention.fixed_block_form};
  if (!attention.documents.empty())
    rule.documents = DocumentRule{attention.documents.front(), eos_id_of(config.data)};
  return {attention.backend, rule};
}

bool attention_is_recorded(const RunConfig& config) {
  return config.attention.backend != AttentionBackend::sdpa || config.data.packing != Packing::none ||
         config.data.source == DataSource::tokens || config.rl.packing != RolloutPacking::none;
}

std::vector<std::string> document_warnings(const RunConfig& config, bool positions_restart) {
  if (config.attention.documents.empty() || eos_id_of(config.data) < 0)
    return {};
  std::vector<std::string> warnings;
  const DocumentBoundary used = config.attention.documents.front();
  const bool by_eos = used == DocumentBoundary::eos;
  if (positions_restart)
    warnings.push_back("the data has EOS tokens and positions that restart; documents are distinguished by " +
                       std::string(by_eos ? "EOS" : "positions") +
                       " (attention.documents = " + std::string(name_of(used)) + "), and the " +
                       (by_eos ? "positions only affect RoPE" : "EOS tokens have no other meaning"));
  if (by_eos && never_an_input(config.data))
    warnings.push_back("attention.documents = eos finds no boundary (with data.packing = " +
                       std::string(name_of(config.data.packing)) +
                       " a document's EOS is a label and never an input, so tokens attend across documents); "
                       "use position_zero, or pack as a stream");
  return warnings;
}

}  // namespace parity::reference
