// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/results/read_pictures.hpp"

#include <algorithm>

namespace parity::results {
namespace {

constexpr size_t most_tokens = 512;  ///< of a mask; a page that draws more becomes slow
constexpr size_t most_cells = 128;   ///< of each side of a tensor's grid, for the same reason

/// Returns a list of numbers for each arm, all of one length.
std::vector<std::vector<int64_t>> sides_of(const JsonNode& node, size_t arms) {
  std::vector<std::vector<int64_t>> sides;
  for (const JsonNode& side : node.items()) {
    std::vector<int64_t>& numbers = sides.emplace_back();
    for (const JsonNode& number : side.items())
      numbers.push_back(number.integer());
    side.expect(!numbers.empty() && numbers.size() <= most_tokens && numbers.size() == sides.front().size(),
                "a list of 1 to " + std::to_string(most_tokens) + " integers, as long as the others");
  }
  node.expect(arms > 0 && arms <= 2 && sides.size() == arms, "one list for each of one or two arms");
  return sides;
}

std::vector<int64_t> integers(const JsonNode& node) {
  std::vector<int64_t> numbers;
  for (const JsonNode& item : node.items())
    numbers.push_back(item.integer());
  return numbers;
}

/// Returns the first row or column of each cell.
std::vector<int64_t> starts(const JsonNode& node, int64_t size) {
  std::vector<int64_t> first = integers(node);
  node.expect(!first.empty() && first.size() <= most_cells && first.front() == 0 && first.back() < size &&
                  std::ranges::adjacent_find(first, std::ranges::greater_equal{}) == first.end(),
              "a rising list of 1 to " + std::to_string(most_cells) + " positions from 0 to below " +
                  std::to_string(size));
  return first;
}

std::vector<double> numbers(const JsonNode& node, size_t columns) {
  std::vector<double> row;
  for (const JsonNode& item : node.items())
    row.push_back(item.number());
  node.expect(row.size() == columns, "as long as column_starts");
  return row;
}

}  // namespace

MaskPicture read_mask_picture(const JsonNode& node) {
  MaskPicture mask;
  mask.step = node.at("step").integer();
  mask.row = node.at("row").integer();
  mask.first_token = node.at("first_token").integer();
  mask.tokens = node.at("tokens").integer();
  for (const JsonNode& arm : node.at("arms").items())
    mask.arms.push_back(arm.text());
  mask.documents = sides_of(node.at("documents"), mask.arms.size());
  if (const auto keys = node.find("first_keys")) {
    mask.first_keys = sides_of(*keys, mask.arms.size());
    keys->expect(mask.first_keys.front().size() == mask.documents.front().size(), "as long as documents");
  }
  const JsonNode pairs = node.at("pairs");
  mask.both = pairs.at("both").integer();
  mask.only_first = pairs.at("only_first").integer();
  mask.only_second = pairs.at("only_second").integer();
  return mask;
}

TensorPicture read_tensor_picture(const JsonNode& node) {
  TensorPicture picture;
  picture.step = node.at("step").integer();
  picture.phase = node.at("phase").text();
  picture.tensor = node.at("tensor").text();
  picture.shape = integers(node.at("shape"));
  if (const auto estimated = node.find("estimated"))
    picture.estimated = estimated->flag();
  picture.rows = node.at("rows").integer();
  picture.columns = node.at("columns").integer();
  picture.row_starts = starts(node.at("row_starts"), picture.rows);
  picture.column_starts = starts(node.at("column_starts"), picture.columns);
  for (const JsonNode& row : node.at("cells").items())
    picture.cells.push_back(numbers(row, picture.column_starts.size()));
  node.at("cells").expect(picture.cells.size() == picture.row_starts.size(), "as long as row_starts");
  return picture;
}

}  // namespace parity::results
