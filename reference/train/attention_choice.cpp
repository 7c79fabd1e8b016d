// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/attention_choice.hpp"

#include "reference/data/rows.hpp"

namespace parity::reference {

AttentionChoice attention_choice(const RunConfig& config) {
  AttentionChoice choice{config.attention.backend, std::nullopt};
  if (!config.attention.documents.empty())
    choice.documents = DocumentRule{config.attention.documents.front(), eos_id_of(config.data)};
  return choice;
}

bool attention_is_recorded(const RunConfig& config) {
  return config.attention.backend != AttentionBackend::sdpa || config.data.packing != Packing::none ||
         config.data.source == DataSource::tokens;
}

std::string document_warning(const RunConfig& config, bool positions_restart) {
  if (config.attention.documents.empty() || !positions_restart || eos_id_of(config.data) < 0)
    return {};
  const DocumentBoundary used = config.attention.documents.front();
  return "the data has EOS tokens and positions that start over; documents are told apart by " +
         std::string(used == DocumentBoundary::eos ? "EOS" : "positions") +
         " (attention.documents = " + std::string(name_of(used)) + "), and the " +
         (used == DocumentBoundary::eos ? "positions turn RoPE only" : "EOS are tokens like others");
}

}  // namespace parity::reference
