// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/config/read.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"

namespace parity::reference {
namespace {

using testing::HasSubstr;

template <class Act>
std::string message_of(Act act) {
  try {
    act();
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

std::string toml_error(const std::string& text) {
  return message_of([&] {
    RunConfig config;
    read_toml(config, text, "run.toml");
  });
}

TEST(ReadTest, TomlSetsNestedAndDottedKeysAlike) {
  RunConfig nested, dotted;
  read_toml(nested, "steps = 3\n[lr]\nbase = 1e-3\nschedule = \"warmup_linear\"\nfirst_index = 0\n", "a");
  read_toml(dotted, "steps = 3\nlr.base = 1e-3\nlr.schedule = \"warmup_linear\"\nlr.first_index = 0\n", "b");
  EXPECT_EQ(to_json(nested), to_json(dotted));
  EXPECT_EQ(nested.steps, 3);
  EXPECT_EQ(nested.lr.base, 1e-3);
  EXPECT_EQ(nested.lr.schedule, ScheduleName::warmup_linear);
  EXPECT_EQ(nested.lr.first_index, 0);
}

TEST(ReadTest, JsonSetsNestedAndDottedKeysAlike) {
  RunConfig nested, dotted;
  read_json(nested, {{"clip", {{"max_norm", 2}}}, {"dtype", "float64"}}, "a");
  read_json(dotted, {{"clip.max_norm", 2.0}, {"dtype", "float64"}}, "b");
  EXPECT_EQ(to_json(nested), to_json(dotted));
  EXPECT_EQ(nested.clip.max_norm, 2.0);
  EXPECT_EQ(nested.dtype, Precision::float64);
}

TEST(ReadTest, CanonicalJsonReadsBackToTheSameBytes) {
  RunConfig config;
  read_toml(
      config,
      "lr.base = 0.1\nclip.max_norm = 3\ncheckpoint.exclude_from_loading = [\"optimizer.step\", \"data\"]\n"
      "data.source = \"text\"\ndata.path = \"a b.txt\"\narchitecture.rope_theta = 1e4\n",
      "run.toml");
  RunConfig again;
  read_json(again, Json::parse(to_json(config).dump()), "again");
  EXPECT_EQ(to_json(again).dump(), to_json(config).dump());
  EXPECT_NE(to_json(again).dump(), to_json(RunConfig{}).dump());
}

TEST(ReadTest, NumericJsonLeavesPathsOut) {
  RunConfig config;
  config.data.path = "/somewhere/text";
  EXPECT_THAT(to_json(config).dump(), HasSubstr("/somewhere/text"));
  EXPECT_THAT(to_numeric_json(config).dump(), testing::Not(HasSubstr("path")));
}

TEST(ReadTest, UnknownKeyNamesLineAndNearestKey) {
  EXPECT_THAT(
      toml_error("steps = 2\n[lr]\nbas = 1\n"),
      testing::AllOf(HasSubstr("run.toml:3: unknown key 'lr.bas'"), HasSubstr("did you mean 'lr.base'")));
}

TEST(ReadTest, UnknownNameOfAnEnumSuggestsTheNearest) {
  EXPECT_THAT(toml_error("\nlr.schedule = \"titen\"\n"),
              testing::AllOf(HasSubstr("run.toml:2:"), HasSubstr("did you mean 'titan'"),
                             HasSubstr("hugging_face_linear")));
}

TEST(ReadTest, WrongTypeSaysWhatTheKeyTakes) {
  EXPECT_THAT(toml_error("steps = \"ten\""),
              HasSubstr("steps = \"ten\" has the wrong type (it takes integer)"));
  EXPECT_THAT(toml_error("steps = 1.5"), HasSubstr("takes integer"));
  EXPECT_THAT(toml_error("dtype = 32"), HasSubstr("takes string"));
  EXPECT_THAT(toml_error("checkpoint.exclude_from_loading = \"data\""), HasSubstr("a list of strings"));
  EXPECT_THAT(toml_error("lr = 1979-05-27"), HasSubstr("run.toml:1:"));
}

TEST(ReadTest, FirstIndexIsZeroOrOne) {
  EXPECT_THAT(toml_error("lr.first_index = 2"), HasSubstr("lr.first_index = '2' is not one of its values"));
}

TEST(ReadTest, BadTomlNamesTheLine) {
  EXPECT_THAT(toml_error("steps = 1\nseed = = 2\n"),
              testing::AllOf(HasSubstr("run.toml:2:"), HasSubstr("TOML")));
  EXPECT_THAT(toml_error("steps = 1\nsteps = 2\n"), HasSubstr("run.toml:2:"));
}

TEST(ReadTest, SettingTakesNamesWithoutQuotesAndLists) {
  RunConfig config;
  apply_setting(config, "lr.schedule=hugging_face_linear");
  apply_setting(config, "lr.base=1e-2");
  apply_setting(config, "checkpoint.exclude_from_loading=[\"optimizer\"]");
  EXPECT_EQ(config.lr.schedule, ScheduleName::hugging_face_linear);
  EXPECT_EQ(config.lr.base, 1e-2);
  EXPECT_THAT(config.checkpoint.exclude_from_loading, testing::ElementsAre(CheckpointPart::optimizer));
  EXPECT_THAT(message_of([&] { apply_setting(config, "steps"); }), HasSubstr("key=value"));
  EXPECT_THAT(message_of([&] { apply_setting(config, "steps=a b"); }), HasSubstr("--set steps=a b"));
}

TEST(ReadTest, MissingFileIsSomethingMissing) {
  RunConfig config;
  try {
    read_config_file(config, "no/such/file.toml");
    FAIL() << "read a file that is not there";
  } catch (const UserError& error) {
    EXPECT_EQ(error.code(), ExitCode::missing);
  }
}

TEST(ReadTest, BadJsonFileNamesTheFile) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "read_test_bad.json";
  write_file(file, "{\"steps\": 1,");
  RunConfig config;
  EXPECT_THAT(message_of([&] { read_config_file(config, file); }),
              HasSubstr("read_test_bad.json: not valid JSON"));
}

}  // namespace
}  // namespace parity::reference
