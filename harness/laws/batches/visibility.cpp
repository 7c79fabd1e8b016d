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

/// Returns the places at which positions restart inside of a row.
std::vector<TokenPlace> restarts_of(const Batch& batch) {
  std::vector<TokenPlace> places;
  for (int64_t row = 0; row < batch.rows && !batch.positions.empty(); ++row)
    for (int64_t place = 1; place < batch.length; ++place)
      if (batch.positions[batch.at(row, place)] == 0)
        places.push_back({row, place});
  return places;
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
  std::vector<TokenPlace> restarts = restarts_of(batch);
  if (!documents_.empty()) {
    note_ = fmt::format("rule {} of the config separates documents", rule);
    std::erase_if(restarts, [&](TokenPlace at) {
      return documents_[batch.at(at.row, at.position)] != documents_[batch.at(at.row, at.position - 1)];
    });
    if (!restarts.empty())
      conflict_ = fmt::format(
          "positions restart {} inside of a document by rule {}, first at position {} of row {}, so the mask "
          "does not keep apart what the positions do",
          restarts.size() == 1 ? "once" : fmt::format("{} times", restarts.size()), rule,
          restarts.front().position, restarts.front().row);
  } else if (!batch.documents.empty()) {
    documents_.assign(batch.documents.begin(), batch.documents.end());
    note_ = has_several(batch) ? "the recorded document_ids separate documents"
                               : "each row is one document by the recorded document_ids";
  } else if (!restarts.empty() && rule.empty() && run.config_text("attention.documents").empty()) {
    documents_ = numbered(batch, [&](size_t i) { return batch.positions[i] == 0; });
    note_ =
        "positions, which restart at 0, separate documents; record document_ids if the mask uses other "
        "boundaries";
  } else if (!restarts.empty() && rule.empty()) {
    note_ =
        "nothing separates documents: positions restart, but the config lets attention pass from one to the "
        "next";
  } else {
    note_ = "nothing separates documents: neither the config nor document_ids says where they begin";
  }
}

std::string Visibility::limit_of_probe(TokenPlace from) const {
  if (documents_.empty())
    return "";
  const auto document = [&](int64_t position) { return documents_[batch_.at(from.row, position)]; };
  if (document(batch_.length - 1) == document(from.position))
    return "no document follows the changed token in its row, so a leak into a later one was not asked; "
           "change a token "
           "at the end of a document that another follows";
  if (document(from.position + 1) == document(from.position))
    return "the changed token is not the last of its document, so a mask that ends one token late was not "
           "asked; "
           "change the last one";
  return "";
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
