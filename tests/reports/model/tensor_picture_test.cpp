// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/model/tensor_picture.hpp"

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "harness/results/read_pictures.hpp"

namespace parity::reports {
namespace {

using ::testing::HasSubstr;

Json quarter() {
  return {{"step", 3},
          {"phase", "grad"},
          {"tensor", "wq"},
          {"shape", {8, 6}},
          {"rows", 8},
          {"columns", 6},
          {"row_starts", {0, 2, 4, 6}},
          {"column_starts", {0, 3}},
          {"cells", {{0, 0}, {0, 2e-7}, {0, 3e-7}, {0, 0}}}};
}

std::string sentence(const Json& json) {
  return picture_sentence(results::read_tensor_picture(results::JsonNode(json, "p")));
}

std::string problem(const Json& json) {
  try {
    results::read_tensor_picture(results::JsonNode(json, "cases[0].checks[1].picture"));
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(TensorPictureTest, TellsWhereTheDifferencesLie) {
  EXPECT_EQ(
      sentence(quarter()),
      "grad wq (8 × 6) at update 3: differs in 2 of 8 cells, all in rows 2-5, columns 3-5; largest 3e-07");
}

TEST(TensorPictureTest, NamesOneRowAsOne) {
  Json json = quarter();
  json["row_starts"] = {0, 2, 3, 4};
  json["cells"] = {{0, 0}, {1, 1}, {0, 0}, {0, 0}};
  EXPECT_THAT(sentence(json), HasSubstr("2 of 8 cells, all in row 2;"));
}

TEST(TensorPictureTest, SaysSoWhereItDiffersEverywhereOrIsNoNumber) {
  Json json = quarter();
  json["cells"] = {{1, 1}, {1, 2}, {1, "nan"}, {1, 1}};
  EXPECT_EQ(sentence(json),
            "grad wq (8 × 6) at update 3: differs in every cell; largest 2; not a number on one side");
}

TEST(TensorPictureTest, CallsBlocksOfSketchesBlocks) {
  Json json = quarter();
  json.update({{"estimated", true},
               {"shape", {10}},
               {"rows", 1},
               {"columns", 10},
               {"row_starts", {0}},
               {"column_starts", {0, 5}},
               {"cells", {{0, 1}}}});
  EXPECT_EQ(sentence(json),
            "grad wq (10) at update 3: differs in 1 of 2 blocks, all in flat elements 5-9; largest 1 (from "
            "sketches)");
}

TEST(TensorPictureTest, ReadsAScalar) {
  Json json = quarter();
  json.update({{"shape", Json::array()},
               {"rows", 1},
               {"columns", 1},
               {"row_starts", {0}},
               {"column_starts", {0}},
               {"cells", {{0.5}}}});
  EXPECT_EQ(sentence(json), "grad wq (scalar) at update 3: differs; largest 0.5");
}

TEST(TensorPictureTest, RefusesGridsThatDoNotFit) {
  Json json = quarter();
  json["cells"][1] = {1};
  EXPECT_THAT(problem(json), HasSubstr("picture.cells[1] is not as long as column_starts"));
  json = quarter();
  json["cells"].push_back({0, 0});
  EXPECT_THAT(problem(json), HasSubstr("picture.cells is not as long as row_starts"));
  json = quarter();
  json["row_starts"] = {0, 2, 2, 6};
  EXPECT_THAT(problem(json), HasSubstr("picture.row_starts is not a rising list"));
  json = quarter();
  json["row_starts"] = {0, 2, 4, 8};
  EXPECT_THAT(problem(json), HasSubstr("from 0 to below 8"));
  json = quarter();
  json["column_starts"] = Json::array();
  EXPECT_THAT(problem(json), HasSubstr("picture.column_starts is not a rising list"));
  json = quarter();
  json["cells"][0][0] = "much";
  EXPECT_THAT(problem(json), HasSubstr("picture.cells[0][0] is not a number"));
}

TEST(TensorPictureTest, RefusesAGridThatNoPageCanDraw) {
  Json json = quarter();
  json["rows"] = 1000;
  json["row_starts"] = Json::array();
  for (int row = 0; row < 1000; ++row)
    json["row_starts"].push_back(row);
  EXPECT_THAT(problem(json), HasSubstr("1 to 128 positions"));
}

}  // namespace
}  // namespace parity::reports
