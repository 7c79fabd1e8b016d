// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/mask_pictures.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace parity {
namespace {

constexpr int64_t most_tokens = 96;  // a side of the picture

/// The first update whose documents an arm recorded.
struct Documents {
  std::string arm;
  int64_t step = 0;
  TensorView ids_BS;

  int64_t rows() const { return ids_BS.shape.at(0); }
  int64_t seq_len() const { return ids_BS.shape.at(1); }
  std::span<const int64_t> row(int64_t index) const {
    const auto length = static_cast<size_t>(seq_len());
    return {static_cast<const int64_t*>(ids_BS.data) + static_cast<size_t>(index) * length, length};
  }
};

std::optional<Documents> documents_of(const Evidence& evidence, const std::string& arm) {
  const Trace* trace = evidence.trace(arm);
  if (!trace)
    return std::nullopt;
  for (const TensorKey& key : trace->tensors())
    if (key.phase == Phase::input && key.name == "document_ids") {
      const Documents found{arm, key.step, trace->tensor(key)};
      const bool usable = found.ids_BS.dtype == DType::int64 && found.ids_BS.shape.size() == 2 &&
                          found.rows() > 0 && found.seq_len() > 0;
      return usable ? std::optional(found) : std::nullopt;
    }
  return std::nullopt;
}

/// First query that attends to other keys on one side than on the other; 0 if none does.
int64_t first_difference(std::span<const int64_t> a, std::span<const int64_t> b) {
  for (size_t q = 0; q < a.size(); ++q)
    for (size_t kv = 0; kv < q; ++kv)
      if ((a[q] == a[kv]) != (b[q] == b[kv]))
        return static_cast<int64_t>(q);
  return 0;
}

Json picture(const std::vector<const Documents*>& sides, int64_t row) {
  const std::span<const int64_t> a = sides.front()->row(row);
  const std::span<const int64_t> b = sides.back()->row(row);
  const auto length = static_cast<int64_t>(a.size());
  const int64_t shown = std::min(length, most_tokens);
  const int64_t first = std::clamp(first_difference(a, b) - shown / 2, int64_t{0}, length - shown);
  const MaskPairs pairs = count_pairs(a, b);
  Json json = {
      {"step", sides.front()->step},
      {"row", row},
      {"first_token", first},
      {"tokens", length},
      {"arms", Json::array()},
      {"documents", Json::array()},
      {"pairs",
       {{"both", pairs.both}, {"only_first", pairs.only_first}, {"only_second", pairs.only_second}}}};
  for (const Documents* side : sides) {
    const auto ids = side->row(row).subspan(static_cast<size_t>(first), static_cast<size_t>(shown));
    json["arms"].push_back(side->arm);
    json["documents"].push_back(std::vector<int64_t>(ids.begin(), ids.end()));
  }
  return json;
}

Json picture_of_pair(const Documents& expected, const Documents& actual) {
  for (int64_t row = 0; row < expected.rows(); ++row)
    if (!count_pairs(expected.row(row), actual.row(row)).same())
      return picture({&expected, &actual}, row);
  return picture({&expected, &actual}, 0);
}

}  // namespace

MaskPairs count_pairs(std::span<const int64_t> first_S, std::span<const int64_t> second_S) {
  MaskPairs pairs;
  for (size_t q = 0; q < first_S.size(); ++q)
    for (size_t kv = 0; kv <= q; ++kv) {
      const bool in_first = first_S[q] == first_S[kv];
      const bool in_second = second_S[q] == second_S[kv];
      pairs.both += in_first && in_second ? 1 : 0;
      pairs.only_first += in_first && !in_second ? 1 : 0;
      pairs.only_second += in_second && !in_first ? 1 : 0;
    }
  return pairs;
}

Json masks_of(const Case& source, const Evidence& evidence) {
  std::vector<Documents> all;
  for (const Arm& arm : source.arms)
    if (const auto found = documents_of(evidence, arm.name))
      all.insert(arm.name == source.reference ? all.begin() : all.end(), *found);
  Json pictures = Json::array();
  if (all.size() == 1)
    pictures.push_back(picture({&all.front()}, 0));
  for (size_t i = 1; i < all.size(); ++i)
    if (all[i].step == all[0].step && all[i].ids_BS.shape == all[0].ids_BS.shape)
      pictures.push_back(picture_of_pair(all[0], all[i]));
  return pictures;
}

}  // namespace parity
