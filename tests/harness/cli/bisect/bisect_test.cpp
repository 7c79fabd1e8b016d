// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// parity bisect as a user types it, with command arms.
#include <gmock/gmock.h>

#include "tests/harness/cli/program_fixture.hpp"

namespace parity::cli {
namespace {
namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class BisectProgramTest : public ProgramTest {
 protected:
  /// One program that leaves the trace that its config names; fails if it does not exist.
  static std::string reading_arm(const std::string& name, const std::string& trace) {
    return shell_arm(name,
                     "f=$(sed -n 's/.*\"copied\": *\"\\(.*\\)\".*/\\1/p' $PARITY_CONFIG); [ -f "
                     "{case_dir}/$f.h5 ] || { "
                     "echo out of memory >&2; exit 9; }; cp {case_dir}/$f.h5 {run_dir}/trace.h5") +
           "copied = \"" + trace + "\"\n";
  }
  void write_sides(const std::string& name,
                   const std::vector<std::pair<std::string, std::string>>& arms) const {
    std::string text = no_golden();
    for (const auto& [arm, trace] : arms)
      text += reading_arm(arm, trace);
    write_case(name,
               text + losses_identical() + "arms = [\"" + arms[0].first + "\", \"" + arms[1].first + "\"]\n");
  }
  Json record(const std::string& words, int status) const {
    const Outcome outcome = parity("bisect " + words + " --json");
    EXPECT_EQ(outcome.status, status) << outcome.err << outcome.out;
    return Json::parse(outcome.out);  // throws for anything but one document
  }
};

TEST_F(BisectProgramTest, Traces_GetTheirOwnCommand) {
  const Outcome outcome = parity("bisect cases/topic/a.h5 cases/topic/b.h5");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("type: parity bisect traces cases/topic/a.h5 cases/topic/b.h5"));
}

TEST_F(BisectProgramTest, DifferentCommands_RunAgain_ButHaveNoOptions) {
  write_different();
  EXPECT_EQ(parity("run topic/differ").status, 1);
  EXPECT_EQ(parity("bisect topic/differ:first topic/differ:second").status, 1);
  EXPECT_THAT(parity("bisect options topic/differ:first topic/differ:second").err,
              HasSubstr("parity bisect topic/differ:first topic/differ:second"));
  EXPECT_EQ(parity("bisect traces topic/differ:first topic/differ:second").status, 1);
}

TEST_F(BisectProgramTest, ATypoIsToldWithTheNearestNameThatIsThere) {
  write_sides("two", {{"first", "a"}, {"second", "b"}});
  write_file(folder_ / "good.toml", "steps = 3\n");
  const auto expect_suggestion = [&](const std::string& words, const std::string& near) {
    const Outcome outcome = parity("bisect " + words);
    EXPECT_EQ(outcome.status, 2) << words;
    EXPECT_THAT(outcome.err, HasSubstr("did you mean '" + near + "'?")) << words;
  };
  expect_suggestion("topic/tow", "topic/two");
  expect_suggestion("options topic/tow", "topic/two");
  expect_suggestion("topic/two:frist", "first");
  expect_suggestion("topic/two:first secnd", "second");
  expect_suggestion("options topic/two:first secnd", "second");
  expect_suggestion("cases/topic/tow.toml", "cases/topic/two.toml");
  expect_suggestion("godo.toml good.toml", "good.toml");
  expect_suggestion("topic/two --set scond:copied=a", "second");
  expect_suggestion("optoins topic/two:first second", "options");
  EXPECT_THAT(parity("bisect optoins topic/two:first").err,
              HasSubstr("did you mean the verb: parity bisect options?"));
}

TEST_F(BisectProgramTest, OfManyArmsTheSecondHasToBeNamed) {
  write_sides("many", {{"x", "a"}, {"y", "b"}, {"z", "a"}});
  for (const std::string verb : {"", "options "}) {
    const Outcome outcome = parity("bisect " + verb + "topic/many");
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("has the arms x, y, z"), HasSubstr("as in topic/many:x y")));
  }
}

TEST_F(BisectProgramTest, ASideThatCrashesIsToldInItsOwnWords) {
  write_sides("crash", {{"good", "a"}, {"bad", "none"}});
  const Outcome outcome = parity("bisect topic/crash");
  EXPECT_EQ(outcome.status, 4);
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("bad"), HasSubstr("out of memory"), HasSubstr("needs both sides")));
  EXPECT_EQ(outcome.out, "");
}

TEST_F(BisectProgramTest, EqualSides_ExitZeroAndNameWhatIsUnrecorded) {
  write_trace("copy", falling_losses());
  write_sides("same", {{"good", "a"}, {"bad", "copy"}});
  const Json found = record("topic/same", 0);
  EXPECT_FALSE(found.at("differs").get<bool>());
  EXPECT_EQ(found.at("sentence"), "good and bad do not differ: every channel is bitwise identical");
  EXPECT_THAT(found.at("notes").at(0).get<std::string>(),
              HasSubstr("record phase param there on both sides"));
}

TEST_F(BisectProgramTest, SidesWithoutAnythingInCommonAreNotCalledEqual) {
  trace::Recorder recorder({folder_ / "cases/topic/other.h5", Json::object(), Json::object(), {}, 0});
  recorder.begin_step(1);
  recorder.channel("score", 1.0);
  recorder.end_step();
  recorder.finish();
  write_sides("apart", {{"good", "a"}, {"bad", "other"}});
  const Outcome outcome = parity("bisect topic/apart");
  EXPECT_EQ(outcome.status, 2) << outcome.out;
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("no channel and no parameter in common"),
                                 HasSubstr("record the same channels")));
}

TEST_F(BisectProgramTest, ChannelOnlyCommand_LearnsWhatToRecord) {
  write_sides("channels", {{"good", "a"}, {"bad", "b"}});
  const Json found = record("topic/channels", 1);
  EXPECT_THAT(
      found.at("sentence").get<std::string>(),
      AllOf(HasSubstr("from step 4 on"), HasSubstr("record tensors of that step: phases forward, backward")));
  EXPECT_THAT(found.at("stages").at(1).at("answer").get<std::string>(),
              AllOf(HasSubstr("loss is the first channel that differs"), HasSubstr("7.25 against 7.5")));
}

TEST_F(BisectProgramTest, ATraceThatLacksWhatIsNeededIsToldWhatToRecord) {
  const Outcome outcome = parity("bisect traces cases/topic/a.h5 cases/topic/b.h5");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("record tensors or sketches of step 4"));
}

TEST_F(BisectProgramTest, Json_OneDocumentPerSearchBothRecordsStay) {
  write_sides("two", {{"first", "a"}, {"second", "b"}});
  const Json runs = record("topic/two", 1), options = record("options topic/two", 1);
  EXPECT_EQ(runs.at("kind"), "run");
  EXPECT_EQ(options.at("kind"), "options");
  std::set<std::string> kinds;
  for (const auto& entry : fs::directory_iterator(folder_ / "out/suite/bisect"))
    if (entry.path().extension() == ".json")
      kinds.insert(Json::parse(read_file(entry.path())).at("kind"));
  EXPECT_EQ(kinds, (std::set<std::string>{"options", "run"}));
}

TEST_F(BisectProgramTest, ACommandThatIsPrintedCanBeTyped) {
  write_sides("two", {{"first", "a"}, {"second", "b"}});
  fs::rename(folder_ / "cases/topic/two.toml", folder_ / "cases/topic/../../elsewhere.toml");
  for (const char* trace : {"a.h5", "b.h5"})
    fs::copy_file(folder_ / "cases/topic" / trace, folder_ / trace);
  const Json found = record("options elsewhere.toml", 1);
  const std::string command = found.at("stages").at(0).at("command");
  EXPECT_EQ(command, "parity run elsewhere.toml");
  EXPECT_EQ(shell(command).status, 1);
}

TEST_F(BisectProgramTest, AFailingCheckNamesTheLineThatFindsTheCause) {
  write_sides("two", {{"first", "a"}, {"second", "b"}});
  const Outcome run = parity("run topic/two");
  const std::string line = "parity bisect cases/topic/two.toml:first second";
  EXPECT_THAT(run.out, HasSubstr("cause     " + line + "\n"));
  EXPECT_THAT(shell(line).out, HasSubstr("loss is the first channel that differs"));
}

}  // namespace
}  // namespace parity::cli
