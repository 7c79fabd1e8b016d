// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/model/mask_picture.hpp"

#include "reports/model/text.hpp"

namespace parity::reports {
namespace {

constexpr size_t most_tokens = 512;  // a page that draws more becomes unusable

/// Returns one list of numbers for each arm, all of one length.
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

std::string mask_sentence(const MaskPicture& mask) {
  const auto shown = static_cast<int64_t>(mask.documents.front().size());
  std::string text = "Update " + std::to_string(mask.step) + ", row " + std::to_string(mask.row) +
                     ", tokens " + std::to_string(mask.first_token) + "-" +
                     std::to_string(mask.first_token + shown - 1) + " of " + std::to_string(mask.tokens) +
                     ": ";
  const std::string pairs = count(static_cast<size_t>(mask.both), "pair") + " of the row attend";
  if (mask.arms.size() == 1)
    return text + pairs + ".";
  if (mask.same())
    return text + pairs + " in both, and no other pair in either.";
  return text + pairs + " in both, " + std::to_string(mask.only_first) + " only in " +
         one_line(mask.arms[0]) + ", " + std::to_string(mask.only_second) + " only in " +
         one_line(mask.arms[1]) + ".";
}

}  // namespace parity::reports
