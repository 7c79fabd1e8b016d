// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Links, the back button and find-in-page on a page as long as that of the whole suite, in headless Chromium
// over DevTools. PARITY_REPORT_PAGE=/path/index.html tests another page, for example that of a whole suite.
#include <cstdlib>
#include <filesystem>
#include <memory>

#include <gtest/gtest.h>
#include <unistd.h>

#include "reports/render.hpp"
#include "tests/reports/html/devtools.hpp"
#include "tests/reports/sample.hpp"

namespace parity::reports {
namespace {

namespace fs = std::filesystem;

constexpr size_t many = 82;  ///< cases of the whole suite

/// The sample's cases repeated, each with another height.
Json many_cases(bool with_failures) {
  Json json = sample_json(), cases = Json::array();
  for (size_t i = 0; cases.size() < many; ++i) {
    Json item = json["cases"][i % json["cases"].size()];
    if (!with_failures && !item["passed"].get<bool>())
      continue;
    item["name"] = item["name"].get<std::string>() + "_" + std::to_string(i);
    for (size_t extra = 0; extra < i * 7 % 13; ++extra)
      item["notes"].push_back("note " + std::to_string(extra) + " of case number " + std::to_string(i));
    cases.push_back(std::move(item));
  }
  json["cases"] = std::move(cases);
  return json;
}

fs::path rendered_page(const std::string& name, const Json& results) {
  const fs::path folder = fs::path(::testing::TempDir()) / ("links_" + std::to_string(::getpid())) / name;
  write_file(folder / "results.json", results.dump());
  render(folder / "results.json", folder);
  fs::remove(folder / "plotly.min.js");  // plots drawn without it take the same place and less time
  return folder / "index.html";
}

class LinksTest : public ::testing::Test {
 protected:
  static void TearDownTestSuite() {
    fs::remove_all(fs::path(::testing::TempDir()) / ("links_" + std::to_string(::getpid())));
  }

  void SetUp() override {
    if (places::chromium.empty())
      GTEST_SKIP() << "needs Chromium, found none";
    browser_ = std::make_unique<DevTools>(fs::path(::testing::TempDir()) /
                                          ("links_" + std::to_string(::getpid())) / "profile");
  }

  static const std::string& page() {
    static const std::string path = [] {
      const char* given = std::getenv("PARITY_REPORT_PAGE");
      return given ? std::string(given) : rendered_page("mixed", many_cases(true)).string();
    }();
    return path;
  }

  Json probe(const std::string& address, const std::string& expression) {
    browser_->open("file://" + address);
    return with_probe(expression);
  }
  Json with_probe(const std::string& expression) {
    const std::string code = read_file(places::source + "/tests/reports/html/links_probe.js");
    return browser_->evaluate("(async () => {" + code + "\nreturn " + expression + ";})()");
  }

  std::unique_ptr<DevTools> browser_;
};

TEST_F(LinksTest, EachLinkAtTheSide_LandsOnItsCase) {
  const Json found = probe(page(), "await probe.follow('.side a')");
  EXPECT_GE(found["links"].get<size_t>(), many);
  EXPECT_EQ(found["missed"], Json::array());
}

TEST_F(LinksTest, EachLinkOfTheOverview_LandsOnItsCase) {
  const Json found = probe(page(), "await probe.follow('.overview tbody a, .findings a, .slow a')");
  EXPECT_GE(found["links"].get<size_t>(), many);
  EXPECT_EQ(found["missed"], Json::array());
}

TEST_F(LinksTest, Back_ReturnsToTheCaseThatWasLeft) {
  EXPECT_EQ(probe(page(), "await probe.back(9)"), Json::array());
}

TEST_F(LinksTest, AnAddressWithACase_OpensThere) {
  const Json last = probe(page(), "[...document.querySelectorAll('.side a')].slice(-9)[0].hash");
  browser_->open("about:blank");
  const std::string landed =
      "(await probe.settled(), probe.hasLanded(document.getElementById(location.hash.slice(1))))";
  EXPECT_EQ(probe(page() + last.get<std::string>(), landed), true);
}

TEST_F(LinksTest, WithoutScripts_ALinkUnfoldsItsCase) {
  const Json last = probe(page(), "[...document.querySelectorAll('.side a')].slice(-9)[0].hash");
  browser_->open("about:blank");
  browser_->send("Emulation.setScriptExecutionDisabled", {{"value", true}});
  browser_->open("file://" + page() + last.get<std::string>());
  EXPECT_EQ(browser_->evaluate("document.querySelectorAll('.case .legend button').length"), 0)
      << "the page's script did not run";
  const std::string target = "document.getElementById(location.hash.slice(1))";
  EXPECT_EQ(browser_->evaluate(target + ".checkVisibility()"), true);
  EXPECT_LT(browser_->evaluate(target + ".getBoundingClientRect().top").get<double>(), 60);
  EXPECT_GE(browser_->evaluate(target + ".getBoundingClientRect().top").get<double>(), -2);
}

/// A text fragment finds as the browser's own search does, in what is folded too.
TEST_F(LinksTest, Find_LandsInAFoldedCase) {
  const Json places = probe(page(), "probe.wordsOfCases()");
  EXPECT_GE(places.size(), 5U);
  for (const Json& place : places) {
    browser_->open("about:blank");
    browser_->open("file://" + page() + "#:~:text=" + place["words"].get<std::string>());
    const Json seen =
        with_probe("await probe.isSeen(" + place["case"].dump() + ", " + place["text"].dump() + ")");
    EXPECT_EQ(seen, true) << place;
  }
}

TEST_F(LinksTest, Enter_UnfoldsACase) {
  const std::string details = "document.querySelector('.case.pass > details')";
  probe(page(), details + ".querySelector('summary').focus()");
  EXPECT_EQ(browser_->evaluate(details + ".open"), false);
  for (const char* type : {"keyDown", "keyUp"})
    browser_->send(
        "Input.dispatchKeyEvent",
        {{"type", type}, {"key", "Enter"}, {"code", "Enter"}, {"text", "\r"}, {"windowsVirtualKeyCode", 13}});
  EXPECT_EQ(with_probe("(await probe.settled(), " + details + ".open)"), true);
  EXPECT_EQ(browser_->evaluate(details + ".querySelectorAll('.legend button').length > 0"), true);
}

TEST_F(LinksTest, FilteredCase_ComesBackForALink) {
  probe(page(),
        "(document.getElementById('filter').value = 'no such case',"
        "document.getElementById('filter').dispatchEvent(new Event('input')))");
  const Json landed = with_probe(
      "await (async () => { const link = document.querySelectorAll('.side a')[20]; link.click();"
      "await probe.settled(); return probe.hasLanded(document.getElementById(link.hash.slice(1))); })()");
  EXPECT_EQ(landed, true);
}

TEST_F(LinksTest, WhatHoldsIsALine_SoThePageIsShort) {
  const std::string page = rendered_page("passing", many_cases(false)).string();
  const Json height = probe(page, "document.documentElement.scrollHeight");
  EXPECT_EQ(browser_->evaluate("document.querySelectorAll('.case').length"), many);
  EXPECT_EQ(browser_->evaluate("document.querySelectorAll('.overview .tiny').length"), many);
  EXPECT_LT(height.get<int>(), 15'000);
}

}  // namespace
}  // namespace parity::reports
