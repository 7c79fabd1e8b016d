// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/options/search_options.hpp"

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "tests/harness/bisect/options/option_world.hpp"

namespace parity::bisect {
namespace {

using testing::HasSubstr;
using testing::SizeIs;
using Ending = OptionFindings::Ending;

class SearchOptionsTest : public OptionWorldTest {};

TEST_F(SearchOptionsTest, OneCulpritAmongTenCostsTheBoundAndTwo) {
  for (const char culprit : {'a', 'd', 'j'}) {
    const std::string name(1, culprit);
    write_traces(name, [&](const Names& on) { return fallen(on.empty() ? 0 : 0.5); });
    const OptionFindings found = search(case_of("abcdefghij", script(name)));
    ASSERT_THAT(found.rounds, SizeIs(1));
    EXPECT_EQ(keys_of(found), name);
    EXPECT_EQ(found.rounds.front().divergence.step, 1);
    EXPECT_LE(found.hybrids, bisection_bound(10) + 2) << culprit;
    EXPECT_TRUE(found.found_alone.agrees);
    ASSERT_TRUE(found.rest_alone);
    EXPECT_EQ(found.rest_alone->why, "bitwise identical");
    EXPECT_THAT(found.rest, SizeIs(9));
    EXPECT_THAT(option_sentence(found), HasSubstr("opt." + name +
                                                  " = 1 alone causes the difference (loss first "
                                                  "differs at step 1"));
    EXPECT_THAT(option_sentence(found), HasSubstr("; the other 9 differences change nothing"));
    std::filesystem::remove_all(folder_ / "out");
  }
}

TEST_F(SearchOptionsTest, TwoThatInteractAreOneCulprit) {
  write_traces("bf", [](const Names& on) { return fallen(on.size() == 2 ? 0.5 : 0); });
  const OptionFindings found = search(case_of("abcdefgh", script("bf")));
  ASSERT_THAT(found.rounds, SizeIs(1));
  EXPECT_EQ(keys_of(found), "bf");
  EXPECT_FALSE(found.rounds.front().cause.independent());
  EXPECT_THAT(option_sentence(found),
              HasSubstr("opt.b = 1 and opt.f = 1 cause the difference only together"));
}

TEST_F(SearchOptionsTest, TwoEqualIndependentEffects_AreTwoCulprits) {
  write_traces("bf", [](const Names& on) {
    return fallen((on.contains("b") ? 0.5 : 0.0) + (on.contains("f") ? 0.25 : 0.0));
  });
  const OptionFindings found = search(case_of("abcdefgh", script("bf")));
  ASSERT_THAT(found.rounds, SizeIs(1));
  EXPECT_TRUE(found.rounds.front().cause.independent());
  EXPECT_THAT(option_sentence(found),
              HasSubstr("2 causes: opt.b = 1 (loss first differs at step 1, relative gap 0.062); opt.f = 1 "
                        "(loss first differs at step 1, relative gap 0.031); the other 6"));
}

TEST_F(SearchOptionsTest, ASmallerOneAtALaterStepIsFoundBehindTheFirst) {
  write_traces(
      "cg", [](const Names& on) { return fallen(on.contains("c") ? 0.5 : 0, on.contains("g") ? 0.01 : 0); });
  const OptionFindings found = search(case_of("abcdefgh", script("cg")));
  ASSERT_THAT(found.rounds, SizeIs(2));
  EXPECT_EQ(keys_of(found, 0), "c");
  EXPECT_EQ(keys_of(found, 1), "g");
  EXPECT_EQ(found.rounds[1].divergence.step, 3);
  EXPECT_THAT(option_sentence(found), HasSubstr("2 causes: opt.c = 1 (loss first differs at step 1"));
  EXPECT_THAT(option_sentence(found), HasSubstr("opt.g = 1 (loss first differs at step 3"));
}

/// Key c changes the loss; key g by `of_float32`, in float32 runs alone.
class Float32ErrorTest : public OptionWorldTest {
 protected:
  OptionFindings search_with(double of_float32) const {
    write_traces("cg", [&](const Names& on) {
      return fallen(on.contains("c") ? 0.5 : 0, on.contains("g") ? of_float32 : 0);
    });
    for (const char* on : {"", "c", "g", "cg"})
      write_trace(std::string("wt") + on, fallen(std::string(on).starts_with("c") ? 0.5 : 0));
    const std::string twin = "if grep -q float64 $PARITY_CONFIG; then f=w$f; fi; ";
    return search(case_of("abcdefgh", script("cg", twin)));
  }
};

/// 2^14 roundings of float32 are more than rounding can cause.
TEST_F(Float32ErrorTest, ALargeOneIsFoundBehindTheFirst) {
  const OptionFindings found = search_with(0.008);
  ASSERT_THAT(found.rounds, SizeIs(2));
  EXPECT_EQ(keys_of(found, 0) + keys_of(found, 1), "cg");
}

/// 2^5 are not, so nothing remains to explain.
TEST_F(Float32ErrorTest, RoundingIsNotSearchedBehindTheFirst) {
  const OptionFindings found = search_with(0x1p-16);
  ASSERT_THAT(found.rounds, SizeIs(1));
  EXPECT_EQ(keys_of(found, 0), "c");
}

TEST_F(SearchOptionsTest, OneThatTheFirstHidesIsFoundToo) {
  write_traces("cg", [](const Names& on) { return fallen(on.empty() ? 0 : 0.5); });
  const OptionFindings found = search(case_of("abcdefgh", script("cg")));
  ASSERT_THAT(found.rounds, SizeIs(2));
  EXPECT_FALSE(found.rounds[0].hidden);
  EXPECT_TRUE(found.rounds[1].hidden);
  EXPECT_EQ(keys_of(found, 0) + keys_of(found, 1), "cg");
  EXPECT_THAT(option_sentence(found), HasSubstr("masked by that: opt."));
}

TEST_F(SearchOptionsTest, SidesThatDoNotDifferEndTheSearch) {
  write_traces("", [](const Names&) { return fallen(0); });
  const OptionFindings found = search(case_of("abc", script("")));
  EXPECT_EQ(found.ending, Ending::no_difference);
  EXPECT_EQ(found.hybrids, 0);
  EXPECT_THAT(
      option_sentence(found),
      HasSubstr("3 config keys differ, but loss, lr and update_norm have the same bits over 10 steps"));
}

TEST_F(SearchOptionsTest, SidesOfOneConfigAreNotRun) {
  const OptionFindings found = search(case_of("", "exit 1"));
  EXPECT_EQ(found.ending, Ending::one_config);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out/runs"));
}

TEST_F(SearchOptionsTest, AGoodSideThatFailsIsTold) {
  try {
    search(case_of("ab", "exit 3"));
    FAIL();
  } catch (const UserError& error) {
    EXPECT_EQ(error.code(), ExitCode::crashed);
    EXPECT_THAT(error.what(), HasSubstr("cannot search from the good side"));
  }
}

TEST_F(SearchOptionsTest, WhatMakesTheBadSideCrashIsFound) {
  write_traces("bd", [](const Names& on) { return on.size() == 2 ? std::vector<double>() : fallen(0); });
  const OptionFindings found = search(case_of("abcde", script("bd")));
  ASSERT_THAT(found.rounds, SizeIs(1));
  EXPECT_EQ(keys_of(found), "bd");
  EXPECT_THAT(option_sentence(found), HasSubstr("opt.b = 1 and opt.d = 1 make the run fail only together"));
  EXPECT_THAT(option_sentence(found), HasSubstr("there is no tbd"));
}

TEST_F(SearchOptionsTest, ASmallDifferenceBelowTheFloorIsNone) {
  write_traces(
      "bd", [](const Names& on) { return fallen(on.contains("b") ? 0.5 : 0, on.contains("d") ? 1e-4 : 0); });
  const suite::Case sides = case_of("abcd", script("bd"));
  OptionQuestion question;
  EXPECT_THAT(search(sides, question).rounds, SizeIs(2));
  question.floor = 1e-3;
  const OptionFindings found = search(sides, question);
  ASSERT_THAT(found.rounds, SizeIs(1));
  EXPECT_THAT(found.found_alone.why, HasSubstr("the floor is 0.001"));
  EXPECT_THAT(option_sentence(found), HasSubstr("change no more than rounding"));
}

TEST_F(SearchOptionsTest, OnlyTheChannelsThatWereAskedForCount) {
  write_traces("b", [](const Names& on) { return fallen(on.empty() ? 0 : 0.5); });
  const suite::Case sides = case_of("ab", script("b"));
  EXPECT_EQ(search(sides, {.channels = {"update_*"}}).ending, Ending::no_difference);
  EXPECT_EQ(search(sides, {.channels = {"lo*"}}).ending, Ending::causes);
  EXPECT_THROW(search(sides, {.channels = {"nothing"}}), UserError);
}

/// A shell line that sets $n to the number of earlier runs of this config.
constexpr const char* counted = "c={case_dir}/n$f; n=$(cat $c 2>/dev/null || echo 0); echo $((n+1)) > $c; ";

TEST_F(SearchOptionsTest, FlakyDifference_IsSearchedByRepeats) {
  write_traces("c", [](const Names& on) { return fallen(on.empty() ? 0 : 0.5); });
  const std::string sometimes = std::string(counted) + "[ $((n % 2)) = 0 ] || f=t; ";
  const OptionFindings found = search(case_of("abcd", script("c", sometimes)), {.looks = 4});
  ASSERT_EQ(found.ending, Ending::causes) << option_sentence(found);
  ASSERT_THAT(found.rounds, SizeIs(1));
  EXPECT_EQ(keys_of(found), "c");
  EXPECT_GT(found.noise.size, 0);
  EXPECT_THAT(option_sentence(found), HasSubstr("loss first differs at step 1"));
  EXPECT_THAT(option_notes(found), testing::Contains(HasSubstr("repeats of one side differ")));
}

TEST_F(SearchOptionsTest, AGoodSideThatIsNotLikeItselfIsFlaky) {
  write_traces("c", [](const Names& on) { return fallen(on.empty() ? 0 : 0.5); });
  const std::string any = std::string(counted) + "[ $((n % 2)) = 0 ] && f=t || f=tc; ";
  const OptionFindings found = search(case_of("abcd", script("c", any)), {.looks = 4});
  EXPECT_EQ(found.ending, Ending::flaky);
  EXPECT_THAT(option_sentence(found), HasSubstr("FLAKY"));
  EXPECT_EQ(found.hybrids, 0);
}

TEST_F(SearchOptionsTest, TheRecordSaysHowItWasFoundAndWhatRepeatsIt) {
  write_traces("c", [](const Names& on) { return fallen(on.empty() ? 0 : 0.5); });
  case_of("abcd", script("c"));
  const OptionSides sides =
      option_sides((folder_ / "cases/topic/w.toml").string(), "", folder_ / "cases", {});
  const SearchRecord record = option_record(search(sides.sides), sides);
  EXPECT_TRUE(record.differs);
  ASSERT_THAT(record.stages, SizeIs(3));
  const std::string run = "parity run " + (folder_ / "cases/topic/w.toml").string();
  EXPECT_EQ(record.stages[0].command, run);
  EXPECT_EQ(record.stages[1].command, run + " --set good:opt.c=1");
  EXPECT_EQ(record.stages[2].command, run + " --set good:opt.a=1 --set good:opt.b=1 --set good:opt.d=1");
  const Json json = record.to_json();
  EXPECT_EQ(json.at("details").at("culprits").at(0).at("keys"), Json({"opt.c"}));
  EXPECT_EQ(json.at("details").at("bound"), 2);
  EXPECT_GE(json.at("stages").at(1).at("details").at("answers").size(), 2U);
  EXPECT_EQ(record.runs() + record.cached(), json.at("details").at("hybrids").get<int64_t>() + 4)
      << "two looks at each side, and the hybrids";
}

}  // namespace
}  // namespace parity::bisect
