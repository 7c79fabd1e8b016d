// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "harness/suite/results/file/merge.hpp"
#include "tests/support/scratch.hpp"

namespace parity::suite {
namespace {
namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

class MergeResultsTest : public FolderTest {
 protected:
  static Json results(const std::string& name) {
    return {{"schema", "parity.results/2"},
            {"producer", {{"name", "parity"}, {"version", "1"}, {"commit", "1a2b"}, {"dirty", false}}},
            {"environment",
             {{"cpu_vendor", "V"}, {"cpu_features", {"avx2"}}, {"cores", 2}, {"profile", "portable"}}},
            {"summary", Json::object()},
            {"cases",
             {{{"name", name},
               {"passed", true},
               {"verdict", "identical"},
               {"arms", Json::array()},
               {"checks", Json::array()}}}}};
  }
  void write(const char* place, const Json& json) const {
    write_file(folder / place / "results.json", json.dump());
  }
  Json merge(Mixing mixing) const {
    merge_results({folder / "s1", folder / "s2"}, folder / "all", mixing);
    return Json::parse(read_file(folder / "all/results.json"));
  }
  /// Expects the message about two results, the second of which differs.
  void expect_refused(const char* part, const char* key, const Json& value) const {
    write("s1", results("a"));
    Json other = results("b");
    other[part][key] = value;
    write("s2", other);
    EXPECT_THAT(
        [&] { merge(Mixing::refused); },
        ThrowsMessage<UserError>(AllOf(HasSubstr("cannot merge"), HasSubstr(key), HasSubstr("--mixed"))));
    const Json merged = merge(Mixing::allowed);
    EXPECT_THAT(merged.at("mixed").dump(), HasSubstr(std::string(key) + ": "));
    EXPECT_EQ(merged.at("cases").size(), 2U);
  }
};

TEST_F(MergeResultsTest, AnotherCommit_IsRefused) {
  expect_refused("producer", "commit", "3c4d");
}

TEST_F(MergeResultsTest, AnotherVersion_IsRefused) {
  expect_refused("producer", "version", "2");
}

TEST_F(MergeResultsTest, LocalChanges_AreRefused) {
  expect_refused("producer", "dirty", true);
}

TEST_F(MergeResultsTest, AnotherKindOfMachine_IsRefused) {
  expect_refused("environment", "cpu_vendor", "W");
  expect_refused("environment", "cpu_features", {"avx2", "avx512f"});
  expect_refused("environment", "gpu", "of one only");
}

TEST_F(MergeResultsTest, WhatDecidesNoBit_MayDiffer) {
  write("s1", results("a"));
  Json other = results("b");
  other["environment"]["cores"] = 64;
  other["environment"]["profile"] = "native";
  write("s2", other);
  EXPECT_FALSE(merge(Mixing::refused).contains("mixed"));
}

TEST_F(MergeResultsTest, MixedResults_StayMixed) {
  Json first = results("a");
  first["mixed"] = {"commit: x in y, z in w"};
  write("s1", first);
  write("s2", results("b"));
  EXPECT_THAT(merge(Mixing::refused).at("mixed"), ElementsAre("commit: x in y, z in w"));
}

}  // namespace
}  // namespace parity::suite
