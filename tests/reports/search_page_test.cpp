// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <regex>

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "reports/search/page.hpp"

namespace parity::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Json bare() {
  return {{"schema", "parity.bisect/1"},
          {"kind", "traces"},
          {"subject", "a.h5 against b.h5"},
          {"differs", true},
          {"sentence", "grad wq at step 3 is the first tensor that differs"},
          {"runs", {{"executed", 0}, {"cached", 0}}},
          {"notes", Json::array()},
          {"stages", Json::array()},
          {"details", Json::object()}};
}

Json stage(const std::string& name, const Json& details) {
  return {{"name", name},
          {"answer", name + " says"},
          {"command", "parity compare " + name},
          {"runs", 2},
          {"cached", 1},
          {"seconds", 1.5},
          {"details", details}};
}

Json with(const std::string& name, const Json& details) {
  Json record = bare();
  record["stages"] = Json::array({stage(name, details)});
  return record;
}

Json station(const char* phase, const char* name, bool differs, const Json& relative) {
  return {{"phase", phase}, {"name", name}, {"differs", differs}, {"relative_l2", relative}};
}

Json path() {
  return {{"step", 3},
          {"phase", "forward"},
          {"name", "layers.1"},
          {"amplifier", {{"phase", "backward"}, {"name", "layers.0"}}},
          {"path",
           {station("forward", "layers.0", false, 0.0), station("forward", "layers.1", true, 1e-7),
            station("backward", "layers.1", true, 1e-6), station("backward", "layers.0", true, 1e-3)}}};
}

/// One of 4 by 4 elements differs by 0.5, the worst one by 5e-9, and one is not finite.
Json element() {
  return {{"shape", {4, 4}},
          {"worst", {2, 3}},
          {"expected", 1.0},
          {"actual", 0.5},
          {"differing", 3},
          {"measured", {{"relative_l2", 0.125}}},
          {"picture",
           {{"step", 3},
            {"phase", "grad"},
            {"tensor", "wq"},
            {"shape", {4, 4}},
            {"rows", 4},
            {"columns", 4},
            {"row_starts", {0, 1, 2, 3}},
            {"column_starts", {0, 1, 2, 3}},
            {"cells", {{0, 5e-9, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0.5}, {"nan", 0, 0, 0}}}}}};
}

std::string page(const Json& record) {
  return search_page(record, "record.json");
}

/// Returns the text of the page, without its styles and scripts.
std::string body(const Json& record) {
  const std::string whole = page(record);
  const size_t begin = whole.find("<body"), end = whole.find("<script>");
  return whole.substr(begin, end - begin);
}

std::string page_problem(const Json& record) {
  try {
    page(record);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(SearchPageTest, RendersARecordWithoutDetails) {
  const std::string html = body(bare());
  EXPECT_THAT(html, HasSubstr("grad wq at step 3 is the first tensor that differs"));
  EXPECT_THAT(html, HasSubstr("a.h5 against b.h5"));
  EXPECT_THAT(html, HasSubstr("href=\"record.json\""));
  EXPECT_THAT(html, Not(HasSubstr("<svg")));
}

TEST(SearchPageTest, TensorsThatAreWrongByThemselvesAreRinged) {
  Json record = bare();
  const auto own = [](const char* phase, const char* name, bool rounding) {
    return Json{{"phase", phase}, {"name", name}, {"relative_l2", 1e-3}, {"rounding", rounding}};
  };
  record["stages"] = Json::array({stage("tensor", path())});
  EXPECT_THAT(body(record), Not(HasSubstr("ringed")));
  record["stages"].push_back(
      stage("local", {{"own", {own("forward", "layers.1", false), own("backward", "layers.0", true)}}}));
  const std::string html = body(record);
  EXPECT_THAT(html, HasSubstr("1 tensor, ringed, is wrong by itself"));
  EXPECT_THAT(html, HasSubstr("class=\"ring\""));
  EXPECT_THAT(html, HasSubstr("by itself"));
}

TEST(SearchPageTest, TellsEachStageWithItsCommandAndEffort) {
  Json record = bare();
  record["stages"] = {stage("curve", Json::object()), stage("tensor", Json::object())};
  record["notes"] = {"one side ended early"};
  const std::string html = body(record);
  for (const char* name : {"curve", "tensor"}) {
    EXPECT_THAT(html, HasSubstr(std::string(name) + " says"));
    EXPECT_THAT(html, HasSubstr("<code>parity compare " + std::string(name) + "</code>"));
  }
  EXPECT_THAT(html, HasSubstr("2 runs executed, 1 from the cache, 1.5 s"));
  EXPECT_THAT(html, HasSubstr("one side ended early"));
}

TEST(SearchPageTest, EscapesEveryText) {
  const std::string evil = "a<script>alert(1)</script>&b\"'";
  Json record = with(evil, path());
  record["subject"] = record["sentence"] = evil;
  record["notes"] = {evil};
  record["details"] = {{"expected", evil}, {"actual", evil}};
  Json& planted = record["stages"][0];
  planted["answer"] = planted["command"] = evil;
  planted["details"]["name"] = planted["details"]["path"][1]["name"] = evil;
  planted["details"]["path"][2]["phase"] = evil;
  planted["details"]["steps"] = {1, 2};
  planted["details"]["loss"] = {{"expected", {1, 2}}, {"actual", {1, 3}}};
  planted["details"]["keys"] = {{{"key", evil}, {"expected", evil}, {"actual", evil}}};
  const std::string html = page(record);
  EXPECT_THAT(html, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(html, Not(HasSubstr("&b\"")));
  EXPECT_THAT(html, HasSubstr("<code>a&lt;script&gt;alert(1)&lt;/script&gt;&amp;b&quot;&apos;</code>"));
}

TEST(SearchPageTest, LoadsNothing) {
  Json record = with("element", element());
  record["stages"].push_back(stage("tensor", path()));
  const std::string html = page(record);
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
  EXPECT_FALSE(std::regex_search(html, std::regex("(src|href)=\"(?!data:,|record\\.json|#)")));
  EXPECT_FALSE(std::regex_search(html, std::regex("(https?:)?//[a-z]")));
}

TEST(SearchPageTest, DrawsCurvesOfBothSidesAndTheirGap) {
  Json record =
      with("curve", {{"steps", {1, 2, 3}}, {"loss", {{"expected", {4, 3, 2}}, {"actual", {4, 3, 2.5}}}}});
  record["details"] = {{"expected", "good"}, {"actual", "bad"}};
  const std::string html = body(record);
  EXPECT_THAT(html, HasSubstr("largest gap 0.5 at step 3; identical at 2 of 3 steps"));
  EXPECT_THAT(html, HasSubstr("<span class=\"key side-0\">good</span>"));
  // The values 2 to 4 have 6 % of room at both ends, so 4 is at 0.12 / 2.24 of the height.
  EXPECT_THAT(html, HasSubstr("class=\"line side-0\" d=\"M30 53.57L500 500L970 946.4\""));
  EXPECT_THAT(html, HasSubstr("class=\"line side-1\" d=\"M30 53.57L500 500L970 723.2\""));
}

TEST(SearchPageTest, ShowsWhereASideIsNoNumber) {
  const Json record =
      with("curve", {{"steps", {1, 2, 3}}, {"loss", {{"expected", {4, 3, 2}}, {"actual", {4, "nan"}}}}});
  EXPECT_THAT(body(record), HasSubstr("class=\"dots lost\" d=\"M500 30h0\""));
}

TEST(SearchPageTest, TakesASideThatEndedBeforeTheOther) {
  const Json longer = {4, 3, 2, 1}, shorter = {4, 3};
  for (const auto& [expected, actual] : {std::pair{shorter, longer}, std::pair{longer, shorter}})
    EXPECT_THAT(
        body(with("curve", {{"steps", {1, 2, 3}}, {"loss", {{"expected", expected}, {"actual", actual}}}})),
        HasSubstr("identical at all 2 steps"));
}

TEST(SearchPageTest, Depth_MarksFirstDifferenceAndAmplifier) {
  const std::string html = body(with("tensor", path()));
  EXPECT_THAT(html, HasSubstr("class=\"at first\" style=\"left: 37.5%\""));
  EXPECT_THAT(html, HasSubstr("class=\"at grown before\" style=\"left: 87.5%\""));
  EXPECT_THAT(html, HasSubstr("The first that differs is forward layers.1 (relative L2 1e-07); the error "
                              "grows most at backward layers.0 (relative L2 0.001)."));
  EXPECT_THAT(html, HasSubstr("style=\"left: 50%; width: 50%\">backward</span>"));
}

TEST(SearchPageTest, LeavesAGapInTheDepthWhereAnErrorIsNoNumber) {
  Json details = path();
  details["path"][2]["relative_l2"] = "nan";
  const std::string html = body(with("tensor", details));
  const std::regex line("class=\"line error\" d=\"M125 [0-9.]+L375 [0-9.]+M875 [0-9.]+\"");
  EXPECT_TRUE(std::regex_search(html, line)) << "between the second and the fourth tensor";
  const std::regex lost("class=\"dots lost\" d=\"M625 ([0-9.]+)h0\"");
  std::smatch dot;
  ASSERT_TRUE(std::regex_search(html, dot, lost));
  EXPECT_LT(std::stod(dot[1]), 200) << "above all that are numbers";
  EXPECT_THAT(html, HasSubstr(">nan</span>"));
}

TEST(SearchPageTest, DrawsTheHeatOfFourByFour) {
  const std::string html = body(with("element", element()));
  EXPECT_THAT(html, HasSubstr("class=\"cell heat-0\" d=\"M250 0L500 0L500 250L250 250z\"")) << "the smallest";
  EXPECT_THAT(html, HasSubstr("class=\"cell heat-15\" d=\"M750 500L1000 500L1000 750L750 750z\""));
  EXPECT_THAT(html, HasSubstr("class=\"cell no-number\" d=\"M0 750L250 750L250 1000L0 1000z\""));
  EXPECT_THAT(html, HasSubstr("class=\"ring\" style=\"left: 87.5%; top: 62.5%\"")) << "the worst element";
  EXPECT_THAT(html, HasSubstr("differs in 3 of 16 cells"));
}

TEST(SearchPageTest, RanksCommits) {
  Json record = bare();
  record["kind"] = "commits";
  const Json first = {{"quantity", "loss"}, {"step", 3}, {"before", "2.5"}, {"after", "2.75"}, {"size", 0.1}};
  record["stages"] = Json::array({stage("step", {{"commit", "3f2a1bc042aaaaaa"},
                                                 {"subject", "Sum in another order"},
                                                 {"size", 0.1},
                                                 {"first", first}})});
  const std::string html = body(record);
  EXPECT_THAT(html, HasSubstr("<code>3f2a1bc042</code>"));
  EXPECT_THAT(html, HasSubstr("Sum in another order"));
  EXPECT_THAT(html, HasSubstr("loss at step 3: 2.5 to 2.75"));
}

TEST(SearchPageTest, Keys_CarryingTheDifference_AreNamedWithTrials) {
  const Json gap = {{"channel", "lr"}, {"step", 1}, {"relative_gap", 0.5}};
  Json record = with(
      "options",
      {{"answers", {{{"on", {"lr.base", "seed"}}, {"like", "bad"}, {"from_good", gap}, {"failure", ""}}}}});
  record["kind"] = "options";
  record["details"]["culprits"] = {
      {{"keys", {"lr.first_index"}}, {"needs", Json::array()}, {"independent", false}, {"gap", gap}},
      {{"keys", {"seed", "steps"}}, {"needs", {"lr.base"}}, {"independent", false}, {"gap", gap}}};
  const std::string html = body(record);
  EXPECT_THAT(html, HasSubstr("<code>lr.first_index</code></th><td>nothing</td><td>alone</td>"));
  EXPECT_THAT(html, HasSubstr("<code>seed, steps</code></th><td>lr.base</td><td>only together</td>"));
  EXPECT_THAT(html, HasSubstr("<code>lr.base, seed</code>"));
  EXPECT_THAT(html, HasSubstr("lr at step 1, relative gap 0.5"));
}

TEST(SearchPageTest, RefusesWhatIsNoRecordOfASearch) {
  Json record = bare();
  record["schema"] = "parity.results/1";
  EXPECT_THAT(page_problem(record), HasSubstr("the schema is 'parity.results/1'"));
  record.erase("schema");
  EXPECT_THAT(page_problem(record), HasSubstr("made from parity.bisect/1"));
  EXPECT_THAT(page_problem(Json::array()), HasSubstr("the file is not an object"));
  record = bare();
  record.erase("sentence");
  EXPECT_THAT(page_problem(record), HasSubstr("sentence is missing"));
}

TEST(SearchPageTest, NamesThePlaceOfWhatIsWrong) {
  Json record = with("tensor", path());
  record["stages"][0]["details"]["path"][1]["name"] = 7;
  EXPECT_THAT(page_problem(record), HasSubstr("stages[0].details.path[1].name is not a string"));
  EXPECT_THAT(page_problem(record), HasSubstr("harness/bisect/README.md")) << "not the results' document";
  record = with("element", element());
  record["stages"][0]["details"]["picture"]["cells"][0] = {1};
  EXPECT_THAT(page_problem(record), HasSubstr("picture.cells[0] is not as long as column_starts"));
}

}  // namespace
}  // namespace parity::reports
