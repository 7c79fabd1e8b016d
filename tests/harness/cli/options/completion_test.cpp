// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tests/harness/cli/program_fixture.hpp"

namespace parity::cli {
namespace {
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class CompletionTest : public ProgramTest {
 protected:
  std::string offered(const std::string& words) const { return parity("__complete " + words).out; }

  /// Returns what bash offers for a line, one word per line.
  std::string in_bash(const std::string& line) const {
    write_file(
        folder_ / "complete.sh",
        "source <(parity completion bash)\nCOMP_LINE='" + line +
            "'\nCOMP_POINT=${#COMP_LINE}\ncompopt() { :; }\n_parity\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n");
    const Outcome outcome = shell("bash complete.sh");
    EXPECT_EQ(outcome.err, "") << line;
    return outcome.out;
  }
  bool has(const std::string& program) const { return shell("which " + program).status == 0; }
};

TEST_F(CompletionTest, OffersVerbsOptionsAndTheirValues) {
  EXPECT_THAT(offered("''"), AllOf(HasSubstr("run\tRun cases"), HasSubstr("compare\t")));
  EXPECT_THAT(offered("golden ''"),
              AllOf(HasSubstr("record\t"), HasSubstr("diff\t"), Not(HasSubstr("list"))));
  EXPECT_THAT(offered("run --fail"), AllOf(HasSubstr("--fail-fast\t"), Not(HasSubstr("--shard"))));
  EXPECT_THAT(offered("run --golden-mode u"),
              AllOf(HasSubstr("update-changed\t"), HasSubstr("update-all\t"), Not(HasSubstr("compare"))));
  EXPECT_EQ(offered("run --golden-mode=create"), "--golden-mode=create-missing\t\n");
  EXPECT_EQ(offered("run --tag ''"), "fast\t\n");
  EXPECT_EQ(offered("completion z"), "zsh\t\n");
  EXPECT_EQ(offered("compare --phase gra"), "grad_local\t\ngrad\t\ngrad_clipped\t\n");
  EXPECT_EQ(offered("power --faults scale,ul"), "scale,ulp\tone element by one unit in the last place\n");
  EXPECT_EQ(offered("power --arm f"), "first\t\n");
}

TEST_F(CompletionTest, OffersCasesAndTheirArms) {
  EXPECT_THAT(offered("run top"), AllOf(HasSubstr("topic/same\t"), HasSubstr(":files")));
  EXPECT_THAT(offered("run --jobs 2 topic/same t"), HasSubstr("topic/same\t"));
  EXPECT_THAT(offered("compare topic/same:f"), HasSubstr("topic/same:first\t"));
  EXPECT_THAT(offered("compare topic/same:first topic/same:s"), HasSubstr("topic/same:second\t"));
  EXPECT_EQ(offered("report ''"), ":folders\n");
  EXPECT_THAT(offered("run --cases elsewhere ''"), Not(HasSubstr("topic/same")));
}

TEST_F(CompletionTest, Arms_AreOfferedExceptWhereCommitsAreNamed) {
  for (const std::string verb : {"bisect", "bisect options", "bisect golden"})
    EXPECT_THAT(offered(verb + " topic/same:f"), HasSubstr("topic/same:first\t")) << verb;
  EXPECT_THAT(offered("bisect options topic/same:first topic/same:s"), HasSubstr("topic/same:second\t"));
  EXPECT_THAT(offered("bisect commits topic/same:f"), Not(HasSubstr("topic/same:first")));
}

TEST_F(CompletionTest, OffersKeysTheirArmsAndTheirValues) {
  write_file(folder_ / "t.schema.json", R"({"schema": "parity.config/1", "channels": ["loss"], "keys": {
    "lr.decay": {"type": "string", "default": "linear", "values": ["linear", "cosine"], "doc": "Its shape."},
    "parallel.fold": {"type": "boolean", "default": false}, "steps": {"type": "integer", "default": 3}}})");
  EXPECT_EQ(offered("run --trainer t --set lr"), "lr.decay=\tstring\n");
  EXPECT_EQ(offered("run --trainer t --set lr.decay="),
            "lr.decay=linear\tIts shape.\nlr.decay=cosine\tIts shape.\n");
  EXPECT_EQ(offered("run --trainer t --set first:lr.decay=c"), "first:lr.decay=cosine\tIts shape.\n");
  EXPECT_EQ(offered("run --trainer t --set parallel.fold=t"), "parallel.fold=true\t\n");
  EXPECT_EQ(offered("run --trainer t --set steps="), "steps=3\t\n");
}

TEST_F(CompletionTest, ABrokenCaseHidesNoOther) {
  write_file(folder_ / "cases/topic/broken.toml", "titel = 1\n");
  const Outcome outcome = parity("__complete run topic/");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, HasSubstr("topic/same\t"));
}

TEST_F(CompletionTest, BashCompletesWordsWithColonsAndEqualSigns) {
  EXPECT_EQ(in_bash("parity comple"), "completion\n");
  EXPECT_EQ(in_bash("parity run --fail"), "--fail-fast\n");
  EXPECT_EQ(in_bash("parity run topic/sa"), "topic/same\n");
  EXPECT_EQ(in_bash("parity compare topic/same:f"), "first\n");  // bash keeps what is before the colon
  EXPECT_EQ(in_bash("parity run --golden-mode=create"), "create-missing\n");
  EXPECT_THAT(in_bash("parity golden "), HasSubstr("verify"));
}

TEST_F(CompletionTest, TheScriptsAreGoodInTheirShells) {
  int checked = 0;
  for (const auto& [name, check] :
       {std::pair{"bash", "bash -n"}, std::pair{"zsh", "zsh -n"}, std::pair{"fish", "fish --no-execute"}}) {
    const Outcome script = parity(std::string("completion ") + name);
    EXPECT_EQ(script.status, 0);
    EXPECT_THAT(script.out, HasSubstr("__complete"));
    if (!has(name))
      continue;
    write_file(folder_ / "script", script.out);
    EXPECT_EQ(shell(std::string(check) + " script").status, 0) << name;
    ++checked;
  }
  EXPECT_GE(checked, 1) << "bash at least is everywhere";
  EXPECT_EQ(parity("completion tcsh").status, 2);
}

}  // namespace
}  // namespace parity::cli
