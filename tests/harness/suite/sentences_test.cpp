// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/sentences.hpp"

#include "harness/suite/cases/config_schema.hpp"
#include "harness/suite/cases/find_cases.hpp"
#include "harness/suite/cases/flat_config.hpp"
#include "harness/suite/cases/named_case.hpp"
#include "harness/suite/cases/read/setting.hpp"
#include "harness/suite/cases/run_config_file.hpp"
#include "harness/suite/judge/renaming.hpp"
#include "harness/suite/runs/cache.hpp"
#include "harness/suite/runs/store.hpp"
#include "harness/suite/shard.hpp"
#include "tests/harness/suite/suite_fixture.hpp"

namespace parity::suite {
namespace {

/// Whole texts of the errors of harness/suite. Those of a case file are in cases/case_file_test.cpp.
class SuiteSentencesTest : public SuiteTest {
 protected:
  void SetUp() override {
    SuiteTest::SetUp();
    write_two_traces();
    write_case("pair", "[golden]\narms = []\n" + copying_arm("one", "a") + copying_arm("two", "b") +
                           losses_identical());
  }
  std::filesystem::path cases() const { return folder_ / "cases"; }
};

TEST_F(SuiteSentencesTest, Options) {
  expect_sentences({
      {[] { parse_shard("4/3"); },
       "invalid --shard '4/3' (expected I/N with 1 <= I <= N); for example, use --shard 1/3 on the first of "
       "three machines"},
      {[] { parse_bytes("20X"); },
       "invalid size '20X' (expected a whole number of bytes, or one with K, M, G or T); for example 20G"},
      {[] { parse_setting("lr"); },
       "invalid --set 'lr' (expected [ARM:]KEY=VALUE); for example --set lr.base=1e-3"},
  });
}

TEST_F(SuiteSentencesTest, Cases) {
  write_file(cases() / "topic/note.txt", "");
  std::filesystem::create_directory(folder_ / "empty");
  const auto find = [this](const std::string& what) {
    return [this, what] { find_case_files({{what}, {}, {}}, cases()); };
  };
  expect_sentences(
      {
          {find("topic/pari"),
           "unknown case 'topic/pari' (did you mean 'topic/pair'?); known: topic/pair; see: parity list"},
          {find("pari.toml"), "there is no file 'pari.toml'; see: parity list"},
          {find(cases() / "topic/note.txt"),
           "cannot run 'DIR/cases/topic/note.txt' (the name of a case file must end in .toml); rename it, or "
           "name a case; see: parity list"},
          {find(folder_ / "empty"),
           "cannot find cases in 'DIR/empty' (it has no *.toml file); name another folder"},
          {[this] { find_case_files({{"topic/pair"}, {}, {}}, folder_ / "absent"); },
           "cannot find case 'topic/pair' (there is no folder 'DIR/absent' here); run from the project's "
           "root, or give --cases"},
          {[this] { find_case_files({{}, {}, {}}, folder_ / "absent"); },
           "cannot find cases (there is no folder 'DIR/absent' here); run from the project's root, or name "
           "case files"},
          {[this] { require_arm(read_case(cases() / "topic/pair.toml"), "tow"); },
           "case topic/pair has no arm 'tow' (did you mean 'two'?); known: one, two"},
          {[this] {
             std::vector<Case> read = {read_case(cases() / "topic/pair.toml")};
             apply_settings(read, {"tow:steps=3"});
           },
           "cannot apply --set tow:steps=3: no case here has an arm 'tow' (did you mean 'two'?); known: one, "
           "two"},
      },
      folder_.string());
}

TEST_F(SuiteSentencesTest, Configs) {
  write_file(folder_ / "list.json", "[]");
  write_file(folder_ / "parity-train", "");
  const ConfigSchema schema =
      ConfigSchema::from_json({{"schema", "parity.config/1"},
                               {"keys", {{"steps", {{"type", "integer"}, {"default", 10}}}}},
                               {"channels", {"loss"}}});
  expect_sentences(
      {
          {[&] { schema.checked("setps", 1); },
           "unknown config key 'setps' (did you mean 'steps'?); known: steps"},
          {[&] { schema.checked("steps", "ten"); }, "'steps' must be an integer, not \"ten\""},
          {[this] { ConfigSchema::load(folder_ / "absent.schema.json"); },
           "cannot find the trainer DIR/absent (no such file); build parity-train, or name one with "
           "--trainer"},
          {[this] { ConfigSchema::load(folder_ / "parity-train.schema.json"); },
           "cannot find the config schema DIR/parity-train.schema.json (no such file; it is built together "
           "with parity-train); build parity-train, or name one with --trainer"},
          {[this] { ConfigSchema::load(folder_ / "list.json"); },
           "cannot read the config schema DIR/list.json (expected parity.config/1); build parity-train "
           "again"},
          {[this] { read_run_config(folder_ / "list.json"); },
           "cannot read run config DIR/list.json (not a JSON object); give the config.json of a run folder"},
      },
      folder_.string());
}

TEST_F(SuiteSentencesTest, Runs) {
  using Rules = std::vector<std::pair<std::string, std::string>>;
  expect_sentences(
      {
          {[this] {
             write_file(folder_ / "runs/id/run.json", R"({"identity": {"span": {"stop_after": 3}}})");
             RunStore(folder_).checkpoint("id", 3);
           },
           "cannot resume after update 3 (DIR/runs/id/checkpoint has no such checkpoint); run it again with "
           "--no-cache"},
          {[] { Renaming(Rules{{"(", ""}}); },
           "'(' is not a regular expression (Mismatched '(' and ')' in regular expression); correct it"},
          {[] { Renaming(Rules{{"x", "y"}})(std::string(3000, 'x')); },
           "cannot apply the names table to 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx... (3000 bytes)' (the "
           "name "
           "has 3000 bytes, the limit is 1024)"},
      },
      folder_.string());
}

}  // namespace
}  // namespace parity::suite
