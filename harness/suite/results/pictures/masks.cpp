// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/results/pictures/masks.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace parity::suite {
namespace {

constexpr int64_t most_tokens = 96;  // for each side of the picture

/// The first update with recorded tensors that determine the mask of an arm.
struct Recorded {
  std::string arm;
  int64_t step = 0;
  TensorView documents_BS;
  std::optional<TensorView> first_keys_BS;

  int64_t rows() const { return documents_BS.shape.at(0); }
  int64_t seq_len() const { return documents_BS.shape.at(1); }
  MaskRow row(int64_t index) const {
    const auto length = static_cast<size_t>(seq_len());
    const auto of = [&](const TensorView& x_BS) {
      return std::span(static_cast<const int64_t*>(x_BS.data) + static_cast<size_t>(index) * length, length);
    };
    return {of(documents_BS), first_keys_BS ? of(*first_keys_BS) : std::span<const int64_t>()};
  }
};

/// Returns an input tensor of an update, [rows, tokens]; nothing if it was not recorded or has another form.
std::optional<TensorView> tokens_input(const trace::Trace& trace, const trace::TensorKey& key) {
  const std::vector<trace::TensorKey> keys = trace.tensors();
  if (std::ranges::find(keys, key) == keys.end())
    return std::nullopt;
  const TensorView found = trace.tensor(key);
  const bool usable = found.dtype == DType::int64 && found.shape.size() == 2 && found.size() > 0;
  return usable ? std::optional(found) : std::nullopt;
}

std::optional<Recorded> recorded_of(const Evidence& evidence, const std::string& arm) {
  const trace::Trace* trace = evidence.trace(arm);
  if (!trace)
    return std::nullopt;
  const std::vector<trace::TensorKey> keys = trace->tensors();
  const auto documents = std::ranges::find_if(keys, [](const trace::TensorKey& key) {
    return key.phase == trace::Phase::input && key.name == "document_ids";
  });
  if (documents == keys.end())
    return std::nullopt;
  const auto ids = tokens_input(*trace, *documents);
  if (!ids)
    return std::nullopt;
  Recorded found{arm, documents->step, *ids, std::nullopt};
  for (const char* name : {"first_keys", "first_keys.rope"}) {
    const auto first_keys = tokens_input(*trace, {documents->step, trace::Phase::input, name});
    if (!found.first_keys_BS && first_keys && first_keys->shape == ids->shape)
      found.first_keys_BS = first_keys;
  }
  return found;
}

/// Returns the first query whose attended keys differ between the two masks; 0 if there is none.
int64_t first_difference(const MaskRow& a, const MaskRow& b) {
  for (size_t q = 0; q < a.size(); ++q)
    for (size_t kv = 0; kv < q; ++kv)
      if (a.attends(q, kv) != b.attends(q, kv))
        return static_cast<int64_t>(q);
  return 0;
}

results::MaskPicture picture(const std::vector<const Recorded*>& sides, int64_t row) {
  const MaskRow a = sides.front()->row(row);
  const MaskRow b = sides.back()->row(row);
  const auto length = static_cast<int64_t>(a.size());
  const int64_t shown = std::min(length, most_tokens);
  const int64_t first = std::clamp(first_difference(a, b) - shown / 2, int64_t{0}, length - shown);
  const MaskPairs pairs = count_pairs(a, b);
  results::MaskPicture mask{.step = sides.front()->step, .row = row, .first_token = first, .tokens = length};
  mask.both = pairs.both;
  mask.only_first = pairs.only_first;
  mask.only_second = pairs.only_second;
  const auto part = [&](std::span<const int64_t> values) {
    const auto some = values.subspan(static_cast<size_t>(first), static_cast<size_t>(shown));
    return std::vector<int64_t>(some.begin(), some.end());
  };
  const bool has_first_keys =
      std::ranges::any_of(sides, [](const Recorded* side) { return side->first_keys_BS.has_value(); });
  for (const Recorded* side : sides) {
    mask.arms.push_back(side->arm);
    mask.documents.push_back(part(side->row(row).documents));
    if (has_first_keys)
      mask.first_keys.push_back(side->first_keys_BS ? part(side->row(row).first_keys)
                                                    : std::vector<int64_t>(static_cast<size_t>(shown), 0));
  }
  return mask;
}

results::MaskPicture picture_of_pair(const Recorded& expected, const Recorded& actual) {
  for (int64_t row = 0; row < expected.rows(); ++row)
    if (!count_pairs(expected.row(row), actual.row(row)).same())
      return picture({&expected, &actual}, row);
  return picture({&expected, &actual}, 0);
}

}  // namespace

MaskPairs count_pairs(const MaskRow& first, const MaskRow& second) {
  MaskPairs pairs;
  for (size_t q = 0; q < first.size(); ++q)
    for (size_t kv = 0; kv <= q; ++kv) {
      const bool in_first = first.attends(q, kv);
      const bool in_second = second.attends(q, kv);
      pairs.both += in_first && in_second ? 1 : 0;
      pairs.only_first += in_first && !in_second ? 1 : 0;
      pairs.only_second += in_second && !in_first ? 1 : 0;
    }
  return pairs;
}

std::vector<results::MaskPicture> masks_of(const Case& source, const Evidence& evidence) {
  std::vector<Recorded> all;
  for (const Arm& arm : source.arms)
    if (const auto found = recorded_of(evidence, arm.name))
      all.insert(arm.name == source.reference ? all.begin() : all.end(), *found);
  std::vector<results::MaskPicture> pictures;
  if (all.size() == 1)
    pictures.push_back(picture({&all.front()}, 0));
  for (size_t i = 1; i < all.size(); ++i)
    if (all[i].step == all[0].step && all[i].documents_BS.shape == all[0].documents_BS.shape)
      pictures.push_back(picture_of_pair(all[0], all[i]));
  return pictures;
}

}  // namespace parity::suite
