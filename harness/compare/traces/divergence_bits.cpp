// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/traces/divergence_bits.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/compare/text/wording.hpp"

namespace parity::compare {
namespace {

/// The values and the digest that one run has of a tensor, of one rank or of all.
struct Recorded {
  std::optional<TensorView> values;
  std::optional<measure::Digest> digest;
};

Recorded recorded_by_rank(const trace::Trace& trace, const trace::TensorKey& key, int64_t rank) {
  Recorded found;
  found.values = trace.rank_tensor(key, rank);
  const auto rows = trace.rank_rows().find(key);
  if (rows == trace.rank_rows().end())
    return found;
  const auto row = std::ranges::find(rows->second, rank, &trace::RankRow::rank);
  if (row != rows->second.end())
    found.digest = row->digest;
  return found;
}

Recorded recorded_of(const trace::Trace& trace, const trace::TensorKey& key,
                     const std::optional<int64_t>& rank) {
  if (rank)
    return recorded_by_rank(trace, key, *rank);
  Recorded found;
  if (trace.has_tensor(key))
    found.values = trace.tensor(key);
  if (const trace::SketchRow* row = trace.find_sketch(key))
    found.digest = row->digest;
  return found;
}

/// Returns whether the digest is over the plain indices of the values. That of a column shard is not.
bool has_plain_digest(const Recorded& recorded) {
  return recorded.values && recorded.digest && measure::digest_of(*recorded.values) == *recorded.digest;
}

}  // namespace

std::optional<FlippedBits> divergence_bits(const FirstDivergence& at, const trace::Trace& expected,
                                           const trace::Trace& actual) {
  const std::optional<trace::TensorKey> key = at.key();
  if (!key)
    return std::nullopt;
  const Recorded one = recorded_of(expected, *key, at.rank), other = recorded_of(actual, *key, at.rank);
  if (one.values && other.values)
    return one.values->dtype == other.values->dtype && one.values->shape == other.values->shape
               ? std::optional(flipped_bits(*one.values, *other.values))
               : std::nullopt;
  if (has_plain_digest(one) && other.digest)
    return find_flipped_bit(*one.values, *other.digest);
  if (has_plain_digest(other) && one.digest)
    return find_flipped_bit(*other.values, *one.digest);
  return std::nullopt;
}

std::string describe_divergence(const FirstDivergence& at, const TraceDifference& difference,
                                const trace::Trace& expected, const trace::Trace& actual) {
  if (const auto bits = divergence_bits(at, expected, actual))
    return bits->text();
  if (const auto key = at.key()) {
    const auto row = std::ranges::find(difference.tensors, *key, &TensorDifference::key);
    return row != difference.tensors.end() && row->mismatch.empty() && !row->identical()
               ? row->gap.text("one", "the other")
               : "";
  }
  for (const ChannelDifference& row : difference.channels)
    if (row.name == at.name && row.mismatch.empty() && row.difference.first)
      return fmt::format("{} against {}", row.expected.text(*row.difference.first),
                         row.actual.text(*row.difference.first));
  return "";
}

}  // namespace parity::compare
