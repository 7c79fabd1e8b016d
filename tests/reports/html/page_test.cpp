// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// The page in headless Chromium, as a reader's browser shows it.
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "reports/html/templates.hpp"
#include "reports/render.hpp"
#include "tests/reports/sample.hpp"
#include "tests/support/places.hpp"

namespace parity::reports {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

size_t occurrences(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  return static_cast<size_t>(std::distance(std::sregex_iterator(text.begin(), text.end(), regex), {}));
}

/// Returns what the page's script reads of each case: everything up to the next "<".
Json sample_data() {
  const std::string page = as("html", sample_file());
  Json cases = Json::array();
  for (;;) {
    const std::string before = "id=\"data-" + std::to_string(cases.size()) + "\">";
    const size_t found = page.find(before), begin = found + before.size();
    if (found == std::string::npos)
      return cases;
    cases.push_back(Json::parse(page.substr(begin, page.find('<', begin) - begin)));
  }
}

TEST(PageTest, NamesNoAddressInTheNetwork) {
  EXPECT_EQ(occurrences(as("html", sample_file()), "(https?:)?//[a-z]"), 0U)
      << "comments in scripts count as well";
  EXPECT_THAT(as("html", sample_file()), HasSubstr("default-src 'none'"));
}

TEST(PageTest, CoverageBesideThePage_IsLinked) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / ("coverage_" + std::to_string(::getpid()));
  const auto rendered_page = [&folder] {
    render(folder / "results.json", folder);
    return read_file(folder / "index.html");
  };
  write_file(folder / "results.json", sample_json().dump());
  EXPECT_THAT(rendered_page(), AllOf(HasSubstr("parity coverage --html OUT/coverage.html"),
                                     Not(HasSubstr("href=\"coverage.html\""))));
  write_file(folder / "coverage.html", "a page");
  EXPECT_THAT(rendered_page(), HasSubstr("<a href=\"coverage.html\">coverage.html</a>, surveyed 2"));
  std::filesystem::remove_all(folder);
}

TEST(PageTest, DataCannotEndItsScriptElement) {
  EXPECT_EQ(sample_data().size(), 6U) << "up to the first <, it is whole";
}

TEST(PageTest, DataKeepsNanAndAbsentStepsApart) {
  const Json data = sample_data();
  const std::vector<CaseLine> cases = sample().cases;
  const auto place =
      std::count_if(cases.begin(), cases.begin() + 4, [](const auto& item) { return !item.passed; });
  const Json& overflowed = data[static_cast<size_t>(place)]["curves"][0]["series"][1][1];
  EXPECT_EQ(overflowed[4], "inf");
  EXPECT_EQ(overflowed[5], "nan");
  EXPECT_TRUE(overflowed[6].is_null());
}

TEST(PageTest, DataHoldsTheBoundsOfACurve) {
  const Json data = sample_data();
  for (const Json& item : data)
    for (const Json& curve : item["curves"]) {
      const bool bounded = item["arms"][0] == "one_of_four" && curve["channel"] == "grad_norm";
      ASSERT_EQ(curve["bounds"].size(), bounded ? 1U : 0U) << curve["channel"];
      if (!bounded)
        continue;
      const Json& bound = curve["bounds"][0];
      EXPECT_EQ(bound["arms"], (Json{0, 1}));
      EXPECT_EQ(bound["to_reference"], true);
      EXPECT_EQ(bound["label"], "four_of_one to one_of_four");
      EXPECT_EQ(bound["limit"][0], 3e-06);
      EXPECT_EQ(bound["limit"].size(), curve["steps"].size());
    }
}

/// A rule that occurs twice overrides another one, such as a mode bar that is always visible.
TEST(PageTest, EachRuleOfTheStylesIsThereOnce) {
  const std::string css = std::string(templates::report_css) + std::string(templates::search_css);
  std::set<std::string> rules;
  int depth = 0;
  std::string selector;
  for (const char c : css) {
    if (c == '{' && depth++ == 0) {
      EXPECT_TRUE(selector.starts_with("\n@media") || rules.insert(selector).second) << selector;
    }
    depth -= c == '}' ? 1 : 0;
    selector = c == '{' || c == '}' ? "" : selector + c;
  }
  EXPECT_EQ(depth, 0);
  EXPECT_GT(rules.size(), 100U);
}

TEST(PageTest, EachIdIsUsedOnce) {
  Json json = sample_json();
  json["cases"].push_back(json["cases"][0]);
  const std::string page = as("html", parse_results(json.dump(), "twice"));
  std::set<std::string> ids;
  const std::regex id(" id=\"([^\"]*)\"");
  for (auto found = std::sregex_iterator(page.begin(), page.end(), id); found != std::sregex_iterator();
       ++found)
    EXPECT_TRUE(ids.insert((*found)[1]).second) << (*found)[1];
}

TEST(PageTest, WhatFailsStandsFirstAndIsCounted) {
  const std::string page = as("html", sample_file());
  const std::regex section("<section class=\"case ([a-z]+)\"");
  std::vector<std::string> states;
  for (auto found = std::sregex_iterator(page.begin(), page.end(), section); found != std::sregex_iterator();
       ++found)
    states.push_back((*found)[1]);
  ASSERT_EQ(states.size(), 6U);
  EXPECT_TRUE(sample().cases.front().passed);
  EXPECT_TRUE(
      std::ranges::is_partitioned(states, [&](const std::string& state) { return state == states.front(); }));
  EXPECT_NE(states.front(), states.back());
  EXPECT_EQ(occurrences(page, "another computation; <strong>[0-9]+ fails?</strong>"), 1U);
}

/// The page with each of its cases unfolded.
std::string unfolded(std::string page) {
  const std::string folded = "<details>\n<summary><h2";
  for (size_t at = page.find(folded); at != std::string::npos; at = page.find(folded, at))
    page.replace(at, 9, "<details open>");
  return page;
}

/// The page after its scripts ran in the browser, and what the browser logged.
class BrowserTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (places::chromium.empty())
      return;
    folder() = std::filesystem::path(::testing::TempDir()) / ("page_" + std::to_string(::getpid()));
    render(sample_path(), folder());
    write_file(folder() / "index.html", unfolded(read_file(folder() / "index.html")));
    const auto path = [](const char* name) { return (folder() / name).string(); };
    // A dialog that a name opened would block the browser forever, and its children would hold a pipe. Hence
    // the timeout and the file.
    const std::string command =
        "timeout -k 5 100 " + places::chromium +
        " --headless=new --no-sandbox --disable-gpu --user-data-dir=" + path("profile") +
        " --enable-logging=stderr --virtual-time-budget=20000 --window-size=1400,16000"
        " --dump-dom file://" +
        path("index.html") + " >" + path("dom") + " 2>" + path("log");
    EXPECT_EQ(std::system(command.c_str()), 0) << "Chromium did not finish";
    dom() = read_file(path("dom"));
    console() = read_file(path("log"));
  }

  static void TearDownTestSuite() { std::filesystem::remove_all(folder()); }

  void SetUp() override {
    if (places::chromium.empty())
      GTEST_SKIP() << "needs Chromium, found none";
    ASSERT_THAT(dom(), HasSubstr("</html>")) << console();
  }

  static std::filesystem::path& folder() {
    static std::filesystem::path path;
    return path;
  }
  static std::string& dom() {
    static std::string text;
    return text;
  }
  static std::string& console() {
    static std::string text;
    return text;
  }
};

/// Names of the attributes of all elements, by tags up to the scripts.
std::set<std::string> attribute_names(const std::string& dom) {
  std::set<std::string> names;
  std::string name;
  bool tag = false, quoted = false;
  for (const char byte : dom.substr(0, dom.find("<script"))) {
    if (byte == '"' && tag)
      quoted = !quoted;
    else if (!quoted && (byte == '<' || byte == '>'))
      tag = byte == '<';
    if (!tag || quoted || byte == ' ' || byte == '"' || byte == '<')
      name.clear();
    else if (byte == '=')
      names.insert(name);
    else
      name += byte;
  }
  return names;
}

TEST_F(BrowserTest, ShowsEveryPartAndLogsNothing) {
  EXPECT_THAT(console(), Not(HasSubstr("CONSOLE")));

  EXPECT_EQ(occurrences(dom(), "<nav "), 1U);
  EXPECT_EQ(occurrences(dom(), "<section class=\"case "), 6U);
  EXPECT_EQ(occurrences(dom(), "<section class=\"case fail\""), 3U);
  EXPECT_EQ(occurrences(dom(), "<tbody class=\"check "), 18U);
  EXPECT_EQ(occurrences(dom(), "<tbody class=\"check fail\""), 7U);
  EXPECT_EQ(occurrences(dom(), "class=\"copy\""), occurrences(dom(), "<div class=\"command\""));

  EXPECT_EQ(occurrences(dom(), "<figure class=\"plot\""), 16U);
  EXPECT_GE(occurrences(dom(), "class=\"canvas[^\"]* drawn"), 10U);
  EXPECT_GE(occurrences(dom(), "class=\"main-svg\""), 10U);
  EXPECT_THAT(dom(), HasSubstr("identical at every step"));

  EXPECT_EQ(occurrences(dom(), "role=\"img\" tabindex=\"0\" aria-label=\"[^\"]+ over steps "), 16U);
  EXPECT_EQ(occurrences(dom(), "data-table=\"curve\""), 16U);
  EXPECT_EQ(occurrences(dom(), "<button type=\"button\" aria-pressed=\"true\" title=\"Show or hide"), 13U);
}

TEST_F(BrowserTest, Gap_ExplainsFloorAndBoundWithTheirSource) {
  EXPECT_EQ(occurrences(dom(), ">measured floor or rounding noise \\(float64 twin\\)</span>"), 1U)
      << "of loss, which has no floors, the noise is drawn";
  EXPECT_EQ(occurrences(dom(), ">bound: 8 measured floors</span>"), 1U);
  EXPECT_THAT(
      dom(),
      HasSubstr("Floors and bounds come from 7 runs of each arm in other ways to the same numbers (twin, "
                "perturbed, threads, kernels, micro_batches): parity calibrate loss/accumulation"));
  EXPECT_THAT(dom(), HasSubstr("of its bound, at step "));
}

TEST_F(BrowserTest, DrawsMasksWithAKeyOfWhatDiffers) {
  EXPECT_EQ(occurrences(dom(), "<figure class=\"mask\""), 1U);
  EXPECT_EQ(occurrences(dom(), "class=\"canvas[^\"]* drawn[^\"]*\" role=\"img\" aria-label=\"Mask of "), 1U);
  EXPECT_EQ(occurrences(dom(), "<i style=\"background"), 2U) << "pairs in both, and only in the second";
  EXPECT_THAT(dom(), HasSubstr("31 pairs of the row attend in both, 0 only in "));
}

TEST_F(BrowserTest, RunsNoMarkupFromNames) {
  EXPECT_THAT(dom(), Not(HasSubstr("<title>owned")));
  EXPECT_EQ(occurrences(dom(), "<img"), 0U);
  EXPECT_EQ(occurrences(dom(), "<script"), 9U) << "6 cases, their texts, the page's own and the library";
  const std::set<std::string> names = attribute_names(dom());
  EXPECT_EQ(names.count("aria-label"), 1U);
  for (const std::string& name : names)
    EXPECT_FALSE(name.starts_with("on")) << name;
}

}  // namespace
}  // namespace parity::reports
