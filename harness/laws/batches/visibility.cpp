// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/batches/visibility.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace parity::laws {
namespace {

/// Returns the number of the document of each token. \param begins  whether a token begins one
template <class Begins>
std::vector<int64_t> numbered(const Batch& batch, const Begins& begins) {
  std::vector<int64_t> documents(static_cast<size_t>(batch.rows * batch.length));
  int64_t number = 0;
  for (int64_t row = 0; row < batch.rows; ++row)
    for (int64_t place = 0; place < batch.length; ++place) {
      number += place == 0 || begins(batch.at(row, place)) ? 1 : 0;
      documents[batch.at(row, place)] = number;
    }
  return documents;
}

/// Returns documents by the rule that a config names; empty if it cannot be followed from outside.
std::vector<int64_t> documents_by_rule(const RecordedRun& run, const Batch& batch, const std::string& rule) {
  const auto eos = run.config_number("data.eos_id");
  if (rule == "eos" && eos && *eos >= 0 && !batch.tokens.empty())
    return numbered(batch, [&](size_t i) { return batch.tokens[i - 1] == *eos; });
  if (rule == "position_zero" && !batch.positions.empty())
    return numbered(batch, [&](size_t i) { return batch.positions[i] == 0; });
  if (rule == "position_difference" && !batch.positions.empty())
    return numbered(batch, [&](size_t i) { return batch.positions[i] != batch.positions[i - 1] + 1; });
  return {};
}

/// Returns whether a row has several recorded documents.
bool has_several(const Batch& batch) {
  for (int64_t row = 0; row < batch.rows; ++row)
    for (int64_t place = 1; place < batch.length; ++place)
      if (batch.documents[batch.at(row, place)] != batch.documents[batch.at(row, 0)])
        return true;
  return false;
}

/// Returns the one rule of attention.documents: `["eos"]` gives "eos".
std::string document_rule(const RecordedRun& run) {
  const std::string list = run.config_text("attention.documents");
  const size_t first = list.find('"'), last = list.rfind('"');
  return first == last ? "" : list.substr(first + 1, last - first - 1);
}

}  // namespace

Visibility::Visibility(const RecordedRun& run, const Batch& batch) : batch_(batch) {
  find_documents(run, batch);
  const std::vector<std::string>& inputs = run.names(batch.step, trace::Phase::input);
  const bool has_global_layers = run.config_number("architecture.nope_every").value_or(0) > 0 ||
                                 std::ranges::find(inputs, "first_keys.nope") != inputs.end();
  if (has_global_layers)  // they see all keys before them, and pass them on
    return;
  window_ = static_cast<int64_t>(run.config_number("attention.sliding_window").value_or(0));
  if (run.config_text("attention.fixed_block_form") == "corrected")
    block_ = static_cast<int64_t>(run.config_number("attention.fixed_block").value_or(0));
}

void Visibility::find_documents(const RecordedRun& run, const Batch& batch) {
  const std::string rule = document_rule(run);
  if (!rule.empty())
    documents_ = documents_by_rule(run, batch, rule);
  if (!documents_.empty()) {
    note_ = fmt::format("documents are told apart by {}, as the config says", rule);
  } else if (!batch.documents.empty()) {
    documents_.assign(batch.documents.begin(), batch.documents.end());
    note_ = has_several(batch) ? "documents are told apart by the recorded document_ids"
                               : "each row is one document by the recorded document_ids";
  } else {
    note_ = "documents are not told apart: neither the config nor document_ids says where they begin";
  }
}

std::optional<Barrier> Visibility::barrier(TokenPlace from, TokenPlace to,
                                           std::optional<int64_t> layers) const {
  if (from.row != to.row)
    return Barrier::row;
  if (from.position > to.position)
    return Barrier::later;
  if (!documents_.empty() &&
      documents_[batch_.at(from.row, from.position)] != documents_[batch_.at(to.row, to.position)])
    return Barrier::document;
  if (window_ > 0 && layers && to.position - from.position > *layers * (window_ - 1))
    return Barrier::window;
  if (block_ > 0 && from.position / block_ != to.position / block_)
    return Barrier::block;
  return std::nullopt;
}

}  // namespace parity::laws
