// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/model/mask_picture.hpp"

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "harness/results/read_pictures.hpp"

namespace parity::reports {
namespace {

using ::testing::HasSubstr;

Json two_sides() {
  return {{"step", 1},
          {"row", 2},
          {"first_token", 8},
          {"tokens", 40},
          {"arms", {"eos", "positions"}},
          {"documents", {{0, 0, 1}, {0, 0, 0}}},
          {"pairs", {{"both", 4}, {"only_first", 0}, {"only_second", 2}}}};
}

std::string problem_of(const Json& json) {
  try {
    results::read_mask_picture(results::JsonNode(json, "cases[0].masks[0]"));
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(MaskPictureTest, SaysWhichPairsAttendUnderWhoseRule) {
  Json json = two_sides();
  const auto sentence = [&] {
    return mask_sentence(results::read_mask_picture(results::JsonNode(json, "m")));
  };
  EXPECT_EQ(sentence(),
            "Update 1, row 2, tokens 8-10 of 40: 4 pairs of the row attend in both, 0 only in eos, 2 only in "
            "positions.");
  json["pairs"]["only_second"] = 0;
  EXPECT_EQ(
      sentence(),
      "Update 1, row 2, tokens 8-10 of 40: 4 pairs of the row attend in both, and no other pair in either.");
  json["arms"] = {"eos"};
  json["documents"] = {{0, 0, 1}};
  EXPECT_EQ(sentence(), "Update 1, row 2, tokens 8-10 of 40: 4 pairs of the row attend.");
}

TEST(MaskPictureTest, RefusesSidesThatDoNotFitTogether) {
  Json json = two_sides();
  json["documents"] = {{0, 0, 1}, {0, 0}};
  EXPECT_THAT(problem_of(json),
              HasSubstr("cases[0].masks[0].documents[1] is not a list of 1 to 512 integers"));
  json["documents"] = {{0, 0, 1}};
  EXPECT_THAT(problem_of(json), HasSubstr("masks[0].documents is not one list for each of one or two arms"));
  json["documents"] = {{0, "x"}, {0, 0}};
  EXPECT_THAT(problem_of(json), HasSubstr("documents[0][1] is not an integer"));
  json["documents"] = {{0, 0, 1}, {0, 0, 0}};
  json["first_keys"] = {{0, 0}, {0, 0}};
  EXPECT_THAT(problem_of(json), HasSubstr("masks[0].first_keys is not as long as documents"));
  json["first_keys"] = {{0, 0, 0}};
  EXPECT_THAT(problem_of(json), HasSubstr("masks[0].first_keys is not one list for each of one or two arms"));
  json["first_keys"] = {{0, 0, 0}, {0, 1, 2}};
  EXPECT_EQ(problem_of(json), "");
  json.erase("row");
  EXPECT_THAT(problem_of(json), HasSubstr("masks[0].row is missing"));
}

}  // namespace
}  // namespace parity::reports
