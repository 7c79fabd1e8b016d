// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/json/items.hpp"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/error.hpp"

namespace parity {
namespace {

JsonItems items_of(const std::string& text) {
  return {std::make_unique<std::istringstream>(text), "cases"};
}

/// Returns the object, assembled again.
Json whole(const std::string& text) {
  const JsonItems items = items_of(text);
  Json json = items.rest();
  for (size_t i = 0; i < items.size(); ++i)
    json["cases"].push_back(items.item(i));
  return json;
}

TEST(JsonItemsTest, PartsMakeTheWholeWhateverTheItemsHold) {
  for (
      const char* text :
      {R"({"a": 1, "cases": [{"x": [1, 2], "y": "],\"[{"}, [3, [4]], "a,b", null, -1.5e3], "z": {"cases": [5]}})",
       R"({"cases":[]})", "{\"cases\" : [ \n\t] }", R"({"cases":[1]})", R"({"cases": 3})",
       R"({"cases": {"a": [1]}})", R"({"a": "\\", "cases": ["\\", "\"", "\u0022]"], "b": ["cases"]})",
       R"({"a": {"cases": [1, 2]}})", "[1, 2]", "3"})
    EXPECT_EQ(whole(text), Json::parse(text)) << text;
  EXPECT_EQ(items_of(R"({"cases": [[1, 2], {"a": 3}]})").size(), 2U);
  EXPECT_EQ(items_of(R"({"a": {"cases": [1, 2]}})").size(), 0U) << "not at the top";
}

TEST(JsonItemsTest, MembersOfListedObjectsAreLeftOut) {
  const JsonItems items = items_of(
      R"({"cases": [{"a": 1, "x": 2, "l": [{"a": [{"b": 3}], "b": {"a": 4}, "c": [{"a": 5}]}, "a", ["a"]]}]})");
  EXPECT_EQ(items.item_without(0, {"a"}),
            Json::parse(R"({"a": 1, "x": 2, "l": [{"b": {"a": 4}, "c": [{"a": 5}]}, "a", ["a"]]})"));
  EXPECT_EQ(items.item_without(0, {}), items.item(0));
  EXPECT_THROW(items_of(R"({"cases": [{"l": [{"a": tru}]}]})").item_without(0, {"a"}), Json::exception);
}

JsonItems list_of(const std::string& text) {
  return {std::make_unique<std::istringstream>(text), ""};
}

TEST(JsonItemsTest, ListAtTheTop_HasItems) {
  for (const char* text : {R"([{"x": [1, 2], "y": "],[{"}, [3, [4]], "a,b", null, -1.5e3])", "[]", "[ \n]",
                           R"([{"cases": [1, 2]}, {"": [3]}])"}) {
    const JsonItems items = list_of(text);
    Json json = items.rest();
    ASSERT_EQ(json, Json::array()) << text;
    for (size_t i = 0; i < items.size(); ++i)
      json.push_back(items.item(i));
    EXPECT_EQ(json, Json::parse(text)) << text;
  }
  EXPECT_EQ(list_of(R"([1180591620717411303425, "b" ])").text(0), "1180591620717411303425");
  EXPECT_EQ(list_of(R"({"": [1]})").size(), 0U);
  for (const char* text : {"[1", "[1]]", "[1][2]", "[", "[[1]", "]"})
    EXPECT_THROW(list_of(text), Json::exception) << text;
  for (const char* text : {"[1,]", "[,1]", "[1,,2]", "[1 2]", R"(["a": 1])"}) {
    const JsonItems items = list_of(text);
    const auto parse_all = [&] {
      for (size_t i = 0; i < items.size(); ++i)
        static_cast<void>(items.item(i));
    };
    EXPECT_THROW(parse_all(), Json::exception) << text;
  }
}

TEST(JsonItemsTest, ItemsComeInAnyOrderAndAgain) {
  const JsonItems items = items_of(R"({"cases": ["a", "b", "c"]})");
  EXPECT_EQ(items.item(2), "c");
  EXPECT_EQ(items.item(0), "a");
  EXPECT_EQ(items.item(2), "c");
}

TEST(JsonItemsTest, WhatTheParserRefusesIsRefused) {
  for (const char* text :
       {"", "{", R"({"cases": [1, 2})", R"({"cases": [1, 2)", R"({"cases": [1,]})", R"({"cases": [,1]})",
        R"({"cases": [1,,2]})", R"({"cases": [1 2]})", R"({"cases": [1}})", R"({"cases": [{]}]})",
        R"({"cases": ["a]})", R"({"cases": [1]] })", R"({"cases": [1]} 2)", R"({"cases" [1]})",
        R"({"cases": [1] "b": 2})", R"({"cases": 1 [2]})", R"(["cases": [1]])", R"({"cases": [tru]})",
        R"({"cases": [,]})"}) {
    ASSERT_TRUE(Json::parse(text, nullptr, false).is_discarded()) << text;
    EXPECT_THROW(whole(text), Json::exception) << text;
  }
}

TEST(JsonItemsTest, NothingHidesBehindAKeyWithEscapes) {
  EXPECT_THROW(items_of(R"({"c\u0061ses": [1]})"), UserError);
}

TEST(JsonItemsTest, DeepNestingIsRefusedBeforeAnythingIsParsed) {
  const auto nested = [](size_t depth) {
    return R"({"cases": [)" + std::string(depth, '[') + std::string(depth, ']') + "]}";
  };
  EXPECT_EQ(items_of(nested(deepest_json - 2)).size(), 1U);
  EXPECT_THROW(items_of(nested(deepest_json - 1)), UserError);
  EXPECT_THROW(items_of(R"({"cases": )" + std::string(1 << 20, '[')), UserError);
  EXPECT_THROW(items_of(R"({"a": )" + std::string(1 << 20, '{')), UserError);
}

TEST(JsonItemsTest, BlocksOfTheReaderAreNotSeen) {
  Json json = {{"cases", Json::array()}, {"z", "end"}};
  for (size_t i = 0; i < 3000; ++i)  // some MiB, read 64 KiB at a time
    json["cases"].push_back(std::string(i, i % 2 ? '"' : '\\'));
  EXPECT_EQ(whole(json.dump()), json);
}

}  // namespace
}  // namespace parity
