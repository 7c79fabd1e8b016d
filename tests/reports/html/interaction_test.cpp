// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// The page in use: page_probe.js clicks, presses keys and scrolls in headless Chromium, on a desktop, on a
// phone of 360 pixels, and without the plotting library.
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "reports/render.hpp"
#include "tests/reports/sample.hpp"

namespace parity::reports {
namespace {

namespace fs = std::filesystem;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string unescaped(std::string text) {
  for (const auto& [from, to] : {std::pair{"&lt;", "<"}, std::pair{"&gt;", ">"}, std::pair{"&amp;", "&"}})
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + 1))
      text.replace(at, std::string(from).size(), to);
  return text;
}

/// The page opened on a desktop, on a phone (a frame of 360 pixels, because Chromium makes no window as
/// small), and without the plotting library.
class InteractionTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (places::chromium.empty())
      return;
    const fs::path folder = fs::path(::testing::TempDir()) / ("interaction_" + std::to_string(::getpid()));
    render(sample_path(), folder);
    std::string page = read_file(folder / "index.html");
    const std::string probe = read_file(places::source + "/tests/reports/html/page_probe.js");
    page.insert(page.find("<style>"), "<script>" + probe + "</script>\n");
    write_file(folder / "desk.html", page);
    write_file(folder / "bare/bare.html", page);
    std::string text = Json(page).dump();
    for (size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at))
      text.replace(at, 1, "\\u003c");
    write_file(folder / "phone.html",
               "<!doctype html><body><iframe id=\"phone\" width=\"360\" height=\"3000\"></iframe>"
               "<script>document.getElementById(\"phone\").srcdoc = " +
                   text + "</script>");
    found()["desk"] = opened(folder, "desk.html");
    found()["phone"] = opened(folder, "phone.html");
    found()["bare"] = opened(folder, "bare/bare.html");
    fs::remove_all(folder);
  }

  /// Returns what the probe reports about a page.
  static Json opened(const fs::path& folder, const std::string& page) {
    const std::string command =
        "timeout -k 5 100 " + places::chromium +
        " --headless=new --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir=" +
        (folder / "profile").string() +
        " --virtual-time-budget=60000 --window-size=1400,3200 --dump-dom file://" + (folder / page).string() +
        " >" + (folder / "dom").string() + " 2>" + (folder / "log").string();
    EXPECT_EQ(std::system(command.c_str()), 0) << "Chromium did not finish";
    const std::string dom = read_file(folder / "dom"), begin = "<pre id=\"probe\">";
    const size_t at = dom.rfind(begin);
    EXPECT_NE(at, std::string::npos) << "the probe did not finish in " << page;
    if (at == std::string::npos)
      return Json::object();
    const size_t first = at + begin.size();
    return Json::parse(unescaped(dom.substr(first, dom.find("</pre>", first) - first)), nullptr, false);
  }

  static std::map<std::string, Json>& found() {
    static std::map<std::string, Json> by_name;
    return by_name;
  }
  static Json frame(const std::string& name) { return found()[name]; }

  void SetUp() override {
    if (places::chromium.empty())
      GTEST_SKIP() << "needs Chromium, found none";
  }
};

TEST_F(InteractionTest, Page_RunsWithoutErrorLoadingOnlyPlotly) {
  for (const char* name : {"desk", "phone"}) {
    const Json found = frame(name);
    EXPECT_EQ(found["errors"], Json::array()) << name;
    EXPECT_EQ(found["sources"], (Json{"data:,", "plotly.min.js"})) << name;
  }
}

TEST_F(InteractionTest, ArrowKeysReadTheValuesOfAStep) {
  const Json found = frame("desk");
  EXPECT_EQ(found["drawn"], true);
  EXPECT_THAT(found["first_values"].get<std::string>(), StartsWith("step 1: straight "));
  EXPECT_THAT(found["first_values"].get<std::string>(), HasSubstr("gap of forgets_step "));
  EXPECT_THAT(found["last_values"].get<std::string>(), StartsWith("step 10: "));
}

TEST_F(InteractionTest, PlusZoomsAndZeroShowsAllStepsAgain) {
  EXPECT_NEAR(frame("desk")["zoomed"].get<double>(), 0.5, 1e-6);
  EXPECT_NEAR(frame("desk")["restored"].get<double>(), 1, 1e-6);
}

TEST_F(InteractionTest, ArmsCanBeHiddenAndAxesSwitched) {
  const Json found = frame("desk");
  EXPECT_GE(found["hidden_traces"].get<int>(), 1);
  EXPECT_EQ(found["pressed"], "false");
  EXPECT_EQ(found["axes"], (Json{"linear", "log"}));
  EXPECT_EQ(found["switched_axes"], (Json{"log", "linear"}));
}

TEST_F(InteractionTest, TensorsAreSortedByTheirGapAndSayHow) {
  const Json found = frame("desk");
  EXPECT_EQ(found["sorted"], "descending");
  EXPECT_EQ(found["largest_first"], true);
  EXPECT_EQ(found["sorted_again"], "ascending");
  EXPECT_EQ(found["smallest_first"], true);
}

TEST_F(InteractionTest, ListsWhatAgreesWithTheGoldenWhenAsked) {
  EXPECT_EQ(frame("desk")["golden_rows"], 2);
  EXPECT_GE(frame("desk")["lazy_checks"].get<int>(), 5);
}

TEST_F(InteractionTest, DrawsEachMapOfDifferences) {
  EXPECT_EQ(frame("desk")["maps"], (Json{true, true, true}));
}

TEST_F(InteractionTest, FiltersCasesByTheirWords) {
  EXPECT_EQ(frame("desk")["filtered"], "1 of 6 cases shown");
  EXPECT_EQ(frame("desk")["shown_cases"], 1);
}

TEST_F(InteractionTest, DrawsWhatIsSeenBeforeAPrint) {
  const Json printed = frame("desk")["printed"];
  EXPECT_GE(printed[0].get<int>(), 15);
  EXPECT_EQ(printed[0], printed[1]);
}

TEST_F(InteractionTest, HasLandmarksNamesAndHeadingsInOrder) {
  const Json found = frame("desk");
  EXPECT_THAT(found["landmarks"], Each(Json(true)));
  EXPECT_THAT(found["sections"], Each(Json(true)));
  EXPECT_THAT(found["pictures"], Each(Json(true)));
  EXPECT_THAT(found["controls"], Each(Json(true)));
  EXPECT_THAT(found["tables"], Each(Json(true)));
  EXPECT_EQ(found["first_focus"], "skip");
  EXPECT_EQ(found["tabindex"], true) << "nothing may jump the queue";
  int last = 0;
  for (const Json& level : found["levels"]) {
    EXPECT_LE(level.get<int>(), last + 1);
    last = level.get<int>();
  }
  EXPECT_EQ(std::count(found["levels"].begin(), found["levels"].end(), Json(1)), 1);
}

TEST_F(InteractionTest, FitsAPhoneWithEverythingOpen) {
  EXPECT_LE(frame("phone")["overflow"].get<int>(), 0);
}

TEST_F(InteractionTest, WithoutThePlottingLibrary_DrawsAll) {
  const Json found = frame("bare");
  EXPECT_EQ(found["lacking"], true);
  EXPECT_THAT(found["note"].get<std::string>(), HasSubstr("plotly.min.js is not beside this page"));
  EXPECT_EQ(found["plain"][1], 0) << "of " << found["plain"][0] << " plots";
  EXPECT_EQ(found["plain"][2], true);
  EXPECT_EQ(found["plain"][3], true);
  EXPECT_EQ(found["heights"], 0);
}

}  // namespace
}  // namespace parity::reports
