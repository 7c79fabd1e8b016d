// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/coverage/table/acting.hpp"

#include <algorithm>
#include <set>

#include "harness/base/error.hpp"
#include "harness/base/text/glob.hpp"
#include "harness/tensor/part.hpp"

namespace parity::coverage {
namespace {

using suite::FlatConfig;
using suite::integer_of;
using suite::text_of;

double number_of(const FlatConfig& config, const std::string& key) {
  const auto found = config.find(key);
  return found != config.end() && found->second.is_number() ? found->second.get<double>() : 0;
}

Held known(bool acted) {
  return acted ? Held::yes : Held::no;
}

/// Returns whether any value of a channel satisfies a condition; `unknown` without the channel.
template <typename Condition>
Held any_step(const trace::Trace& trace, const std::string& channel, Condition condition) {
  const auto found = trace.channels().find(channel);
  return found == trace.channels().end() ? Held::unknown
                                         : known(std::ranges::any_of(found->second.as_double(), condition));
}

bool may_clip(const FlatConfig& config) {
  return number_of(config, "clip.max_norm") > 0;
}

Held clipped(const FlatConfig& config, const trace::Trace& trace) {
  const double most = number_of(config, "clip.max_norm");
  return any_step(trace, "grad_norm", [most](double norm) { return norm > most; });
}

bool may_clip_heads(const FlatConfig& config) {
  return number_of(config, "optimizer.qk_clip") > 0;
}

Held clipped_heads(const FlatConfig& /*config*/, const trace::Trace& trace) {
  return any_step(trace, "qk_clipped_heads", [](double heads) { return heads > 0; });
}

bool may_ignore(const FlatConfig& config) {
  return number_of(config, "data.ignore_fraction") > 0 || text_of(config, "data.packing") == "first_fit" ||
         text_of(config, "data.source") == "tokens" || text_of(config, "data.source") == "rollouts";
}

Held ignored(const FlatConfig& config, const trace::Trace& trace) {
  const auto tokens =
      static_cast<double>(integer_of(config, "data.seq_len", 0) * integer_of(config, "data.global_batch", 0));
  return any_step(trace, "valid_tokens", [tokens](double valid) { return valid < tokens; });
}

int64_t ranks_with_own_tokens(const FlatConfig& config) {
  return integer_of(config, "parallel.dp_replicate", 1) * integer_of(config, "parallel.dp_shard", 1) *
         integer_of(config, "parallel.cp", 1);
}

bool may_leave_rank_empty(const FlatConfig& config) {
  return ranks_with_own_tokens(config) > 1 && may_ignore(config);
}

/// Returns the keys of the recorded tensors of a phase whose names match a glob.
std::vector<trace::TensorKey> recorded(const trace::Trace& trace, trace::Phase phase, const char* names) {
  std::vector<trace::TensorKey> keys;
  for (const trace::TensorKey& key : trace.tensors())
    if (key.phase == phase && glob_match(names, key.name) && trace.has_tensor(key))
      keys.push_back(key);
  return keys;
}

/// Returns whether some rank's part of a tensor of labels has no valid label.
bool has_empty_part(const trace::Trace& trace, const trace::TensorKey& key) {
  const TensorView labels = trace.tensor(key);
  const auto rows = trace.rank_rows().find(key);
  if (labels.dtype != DType::int64 || rows == trace.rank_rows().end())
    return false;
  const auto* values = static_cast<const int64_t*>(labels.data);
  return std::ranges::any_of(rows->second, [&](const trace::RankRow& row) {
    bool valid = !row.layout;
    if (row.layout)
      for_each_run(cover_of(*row.layout), labels.shape, [&](const PartRun& run) {
        valid = valid || std::any_of(values + run.global, values + run.global + run.count,
                                     [](auto v) { return v >= 0; });
      });
    return !valid;
  });
}

Held left_rank_empty(const FlatConfig& /*config*/, const trace::Trace& trace) {
  const std::vector<trace::TensorKey> keys = recorded(trace, trace::Phase::input, "labels");
  return keys.empty()
             ? Held::unknown
             : known(std::ranges::any_of(keys, [&](const auto& k) { return has_empty_part(trace, k); }));
}

bool may_cut_document(const FlatConfig& config) {
  return integer_of(config, "parallel.cp", 1) > 1 && text_of(config, "data.positions") == "document";
}

/// Returns whether a document goes on after the end of a chunk of a row. Context parallelism cuts a row into
/// two chunks per rank.
bool has_cut_document(const trace::Trace& trace, const trace::TensorKey& key, int64_t chunks) {
  const TensorView positions = trace.tensor(key);
  if (positions.dtype != DType::int64 || positions.shape.size() != 2)
    return false;
  const auto* values = static_cast<const int64_t*>(positions.data);
  const int64_t length = positions.shape[1];
  for (int64_t row = 0; row < positions.shape[0]; ++row)
    for (int64_t at = length / chunks; at < length; at += std::max<int64_t>(1, length / chunks))
      if (values[row * length + at] > 0)
        return true;
  return false;
}

Held cut_document(const FlatConfig& config, const trace::Trace& trace) {
  const std::vector<trace::TensorKey> keys = recorded(trace, trace::Phase::input, "positions");
  const int64_t chunks = 2 * integer_of(config, "parallel.cp", 1);
  return keys.empty() ? Held::unknown : known(std::ranges::any_of(keys, [&](const auto& k) {
    return has_cut_document(trace, k, chunks);
  }));
}

bool may_tie(const FlatConfig& config) {
  return integer_of(config, "moe.experts", 0) > 0;
}

/// Returns whether a row of scores has one value twice.
bool has_tie(const trace::Trace& trace, const trace::TensorKey& key) {
  const TensorView scores = trace.tensor(key);
  if (scores.dtype != DType::float32 || scores.shape.empty())
    return false;
  const auto* values = static_cast<const float*>(scores.data);
  const int64_t experts = scores.shape.back();
  for (int64_t begin = 0; begin + experts <= scores.size(); begin += experts)
    if (std::set<float>(values + begin, values + begin + experts).size() < static_cast<size_t>(experts))
      return true;
  return false;
}

Held has_equal_scores(const FlatConfig& /*config*/, const trace::Trace& trace) {
  const std::vector<trace::TensorKey> keys = recorded(trace, trace::Phase::forward, "*.moe.router");
  return keys.empty() ? Held::unknown
                      : known(std::ranges::any_of(keys, [&](const auto& k) { return has_tie(trace, k); }));
}

}  // namespace

const std::vector<Act>& acts() {
  static const std::vector<Act> table = {
      {"clipping", may_clip, clipped},
      {"ignored_labels", may_ignore, ignored},
      {"qk_clip", may_clip_heads, clipped_heads},
      {"empty_rank", may_leave_rank_empty, left_rank_empty},
      {"document_cut", may_cut_document, cut_document},
      {"routing_ties", may_tie, has_equal_scores},
  };
  return table;
}

const Act& find_act(std::string_view name) {
  for (const Act& act : acts())
    if (act.name == name)
      return act;
  throw InternalError("no act " + std::string(name));
}

Held held(const Act& act, const FlatConfig& config, const trace::Trace* trace) {
  if (!act.may_act(config))
    return Held::no;
  return trace ? act.acted(config, *trace) : Held::unknown;
}

}  // namespace parity::coverage
