// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "harness/results/write_case.hpp"
#include "harness/suite/results/file/writer.hpp"
#include "tests/support/scratch.hpp"

namespace parity::suite {
namespace {

using ResultsWriterTest = FolderTest;

results::Case case_named(const std::string& name, const std::string& sentence) {
  results::Case item;
  item.name = name;
  item.file = "cases/one.toml";
  item.sentence = sentence;
  item.verdict = "identical";
  item.curves = {{.channel = "loss", .steps = {1, 2}, .floor = {2.5, std::nullopt}}};
  return item;
}

const results::Case first = case_named("a\nb", "");
const results::Case second = case_named("c", "{\"\\\n  \"}");
const Json rest = {
    {"schema", "parity.results/2"}, {"summary", {{"cases", 2}}}, {"unfinished", Json::array()}};

std::string as_one(const Json& cases, const Json& rows) {
  Json whole = rest;
  whole["rows"] = rows;
  whole["cases"] = cases;
  return json_text(whole, 1) + "\n";
}

TEST_F(ResultsWriterTest, WritesTheBytesOfOneValueInTheOrderOfThePlaces) {
  ResultsWriter writer(folder / "results.json");
  writer.add(7, second);
  writer.add(2, first);
  EXPECT_FALSE(std::filesystem::exists(folder / "results.json"));
  writer.finish(rest);
  EXPECT_EQ(read_file(folder / "results.json"),
            as_one({results::to_json(first), results::to_json(second)}, {"a\nb ", "c "}));
}

TEST_F(ResultsWriterTest, ASuiteWithoutCasesHasAnEmptyList) {
  ResultsWriter(folder / "results.json").finish(rest);
  EXPECT_EQ(read_file(folder / "results.json"), as_one(Json::array(), Json::array()));
}

TEST_F(ResultsWriterTest, NothingIsLeftOfOneThatWasNotFinished) {
  ResultsWriter(folder / "results.json").add(0, first);
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

}  // namespace
}  // namespace parity::suite
