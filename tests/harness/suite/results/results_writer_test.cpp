// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "harness/suite/results/writer.hpp"
#include "tests/support/scratch.hpp"

namespace parity {
namespace {

using ResultsWriterTest = FolderTest;

const Json first = {{"name", "a\nb"}, {"curves", {1, 2.5, nullptr}}, {"empty", Json::object()}};
const Json second = {{"name", "c"}, {"text", "{\"\\\n  \"}"}};
const Json rest = {
    {"schema", "parity.results/1"}, {"summary", {{"cases", 2}}}, {"unfinished", Json::array()}};

std::string as_one(const Json& cases) {
  Json whole = rest;
  whole["cases"] = cases;
  return json_text(whole, 1) + "\n";
}

TEST_F(ResultsWriterTest, WritesTheBytesOfOneValueInTheOrderOfThePlaces) {
  ResultsWriter writer(folder / "results.json");
  writer.add(7, second);
  writer.add(2, first);
  EXPECT_FALSE(std::filesystem::exists(folder / "results.json"));
  writer.finish(rest);
  EXPECT_EQ(read_file(folder / "results.json"), as_one({first, second}));
}

TEST_F(ResultsWriterTest, ASuiteWithoutCasesHasAnEmptyList) {
  ResultsWriter(folder / "results.json").finish(rest);
  EXPECT_EQ(read_file(folder / "results.json"), as_one(Json::array()));
}

TEST_F(ResultsWriterTest, NothingIsLeftOfOneThatWasNotFinished) {
  ResultsWriter(folder / "results.json").add(0, first);
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

}  // namespace
}  // namespace parity
