// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// One table of expectations, checked against every renderer.
#include <array>
#include <cstdlib>
#include <filesystem>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "reports/render.hpp"
#include "reports/text/summary.hpp"
#include "tests/reports/sample.hpp"
#include "tests/support/places.hpp"

namespace parity::reports {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

/// Returns what a reader sees: without tags and escapes, white space folded.
std::string seen(std::string_view renderer, const std::string& output) {
  std::string text;
  bool tag = false;
  for (size_t i = 0; i < output.size(); ++i) {
    const char byte = output[i];
    if (renderer == "html" && (byte == '<' || byte == '>'))
      tag = byte == '<';
    else if (renderer == "summary" && byte == '\\' && i + 1 < output.size())
      text += output[++i];
    else if (!tag)
      text += byte == '\n' ? ' ' : byte;
  }
  if (renderer != "terminal")
    for (const auto& [from, to] : {std::pair{"&lt;", "<"},
                                   {"&gt;", ">"},
                                   {"&quot;", "\""},
                                   {"&apos;", "'"},
                                   {"&#10;", " "},
                                   {"&amp;", "&"}})
      text = replaced(text, from, to);
  while (text.find("  ") != std::string::npos)
    text = replaced(text, "  ", " ");
  return text;
}

/// Facts of the sample that every form must show.
constexpr std::array expectations = {
    "lr/warmup_index",                                                // a case that passes
    "forgets_step departs from straight at update 7",                 // what a case found
    "loss differs first at update 7: 6.9713 in straight, 6.9834 in",  // a failed check's sentence
    "0.013482177630066872",                                           // both values, every digit
    "0.013918423093855381",                                           //
    "layers.1.attention.wq.weight[17, 203]",                          // where
    "8123445 ULP",                                                    // what was measured
    "--tensor 'layers.1.attention.wq.*'",                             // the command to look closer
    "cases/optim/forgotten_step.toml:straight forgets_step",          // the one that finds the cause
    "bits of parameters follow from bits of the optimizer's state",   // why it is checked
    "1 channel at steps 1-10",                                        // what was compared
    "no golden for arm straight",                                     // missing
    "parity golden record cases/optim/forgotten_step.toml",           // and the remedy
    "no arm has a channel mask_pairs",                                // a check that matched nothing
    "nothing was put to the test",                                    // vacuous
    "loss is nan at update 6 (exit status 4)",                        // an arm that did not finish
    "first tensor that is not finite: grad of output.weight",         // its last words
    "relative L2 nan",                                                // NaN in a measurement
    "collapse (log2) ≥ 20",                                           // a limit with its direction
    "<script>document.title='owned'</script>",                        // markup, as text
    "\"quotes\" & 'apostrophes'",                                     //
    "parity compare 'a b' \"$(touch owned)\" <x>",                    //
};

class EveryRenderer : public ::testing::TestWithParam<Renderer> {};

TEST_P(EveryRenderer, Arms_OnSeveralRanks_ShowTheirMesh) {
  if (std::string_view(GetParam().name) == "junit")
    GTEST_SKIP() << "JUnit has checks, and no place for arms that run";
  Json json = sample_json();
  for (Json& item : json["cases"])
    if (!item["passed"].get<bool>()) {
      Json& arm = item["arms"][0];
      arm["ranks"] = 4;
      arm["provenance"]["mesh"] = "dp_shard 2 x tp 2";
    }
  const Renderer& renderer = GetParam();
  EXPECT_THAT(seen(renderer.name, rendered(renderer, parse_results(json.dump(), "ranks"))),
              HasSubstr("straight dp_shard 2 x tp 2"));
  EXPECT_THAT(seen(renderer.name, rendered(renderer, sample_file())), Not(HasSubstr("straight 1 rank")));
}

TEST_P(EveryRenderer, MeasuredPower_ShowsSmallestDefectSeen) {
  if (std::string_view(GetParam().name) == "junit")
    GTEST_SKIP() << "JUnit has checks, and no place for what they can see";
  Json json = sample_json();
  const std::string sentence =
      "smallest fault seen: grad x (1 + 3e-07) at 95 %; 0 false alarms in 40 no-op pairs";
  json["cases"][0]["power"] = {{"sentence", sentence}, {"arm", "zero_indexed"}, {"clean", true}};
  json["cases"][1]["power"] = nullptr;
  const Renderer& renderer = GetParam();
  EXPECT_THAT(seen(renderer.name, rendered(renderer, parse_results(json.dump(), "power"))),
              HasSubstr(sentence));
  EXPECT_THAT(seen(renderer.name, rendered(renderer, sample_file())), Not(HasSubstr("smallest fault")));
}

TEST_P(EveryRenderer, ShowsEachFact) {
  const std::string text = seen(GetParam().name, rendered(GetParam(), sample_file()));
  for (const char* fact : expectations)
    EXPECT_THAT(text, HasSubstr(fact));
}

TEST_P(EveryRenderer, LetsNoControlCharacterThrough) {
  for (const char byte : rendered(GetParam(), sample_file()))
    ASSERT_TRUE(byte == '\n' || byte == '\t' || static_cast<unsigned char>(byte) >= 0x20)
        << static_cast<int>(byte);
}

TEST_P(EveryRenderer, LetsNoDirectionOverrideThrough) {
  EXPECT_THAT(rendered(GetParam(), sample_file()), Not(HasSubstr("\xE2\x80\xAE")));
}

TEST_P(EveryRenderer, GivesTheSameBytesTwice) {
  EXPECT_EQ(rendered(GetParam(), sample_file()), rendered(GetParam(), sample_file()));
}

TEST_P(EveryRenderer, CopesWithAnEmptySuite) {
  const ResultsFile empty = parse_results(R"({"schema":"parity.results/1","cases":[]})", "empty");
  EXPECT_FALSE(rendered(GetParam(), empty).empty());
}

TEST_P(EveryRenderer, TellsPassFromFail) {
  Json json = sample_json();
  json["cases"] = Json::array({json["cases"][2]});
  const ResultsFile passing = parse_results(json.dump(), "passing");
  json["cases"][0]["passed"] = false;
  json["cases"][0]["checks"][0]["passed"] = false;
  EXPECT_NE(rendered(GetParam(), passing), rendered(GetParam(), parse_results(json.dump(), "failing")));
}

TEST_P(EveryRenderer, ASuiteThatIsNotWholeDoesNotPass) {
  Json json = sample_json();
  json["cases"] = Json::array({json["cases"][2]});
  json["interrupted"] = true;
  json["unfinished"] = {"topic/other"};
  const ResultsFile interrupted = parse_results(json.dump(), "interrupted");
  EXPECT_FALSE(interrupted.results().passed());
  EXPECT_THAT(rendered(GetParam(), interrupted), HasSubstr("Interrupted: 1 case was not judged"));
  json["interrupted"] = false;
  json["missing_shards"] = {2, 3};
  const ResultsFile sharded = parse_results(json.dump(), "sharded");
  EXPECT_FALSE(sharded.results().passed());
  EXPECT_THAT(rendered(GetParam(), sharded), HasSubstr("shards 2, 3 are missing"));
}

TEST_P(EveryRenderer, MixedResults_AreShown) {
  Json json = sample_json();
  json["cases"] = Json::array({json["cases"][2]});
  json["mixed"] = {"commit: 1a2b in s1, 3c4d in s2"};
  const ResultsFile mixed = parse_results(json.dump(), "mixed");
  EXPECT_THAT(rendered(GetParam(), mixed),
              testing::AllOf(HasSubstr("Mixed results"), HasSubstr("3c4d in s2")));
}

/// The sample's passing case next to one that could not be judged on this machine.
Json with_skipped() {
  Json json = sample_json();
  Json skipped = json["cases"][2];
  json["cases"] = Json::array({json["cases"][2]});
  skipped["name"] = "device/cuda_against_cpu";
  skipped["passed"] = false;
  skipped["skipped"] = "arm cuda: no GPU (there is no driver)";
  skipped["verdict"] = "skipped";
  skipped["sentence"] = "skipped: arm cuda: no GPU (there is no driver)";
  skipped["checks"] = Json::array();
  skipped["arms"][0]["status"] = "skipped";
  json["cases"].push_back(skipped);
  return json;
}

TEST_P(EveryRenderer, ShowsASkippedCaseWithItsReasonAndNoFailure) {
  const Json json = with_skipped();
  const ResultsFile results = parse_results(json.dump(), "skipped");
  EXPECT_TRUE(results.results().passed());
  const std::string text = seen(GetParam().name, rendered(GetParam(), results));
  EXPECT_THAT(text, HasSubstr("device/cuda_against_cpu"));
  EXPECT_THAT(text, HasSubstr("skipped: arm cuda: no GPU (there is no driver)"));
  EXPECT_THAT(text, AnyOf(HasSubstr("The case holds, 1 is skipped"), HasSubstr("skipped=\"1\"")));
  for (const char* failure : {"✗", "❌", "<failure", "<error"})
    EXPECT_THAT(text, Not(HasSubstr(failure)));
}

TEST_P(EveryRenderer, ASuiteOfNothingButSkippedCasesDoesNotPass) {
  Json json = with_skipped();
  json["cases"].erase(0);
  const ResultsFile results = parse_results(json.dump(), "skipped");
  EXPECT_FALSE(results.results().passed());
  EXPECT_EQ(results.results().cases_failed(), 0U);
  EXPECT_THAT(seen(GetParam().name, rendered(GetParam(), results)),
              AnyOf(HasSubstr("No case was judged, 1 is skipped"), HasSubstr("skipped=\"1\"")));
}

INSTANTIATE_TEST_SUITE_P(Reports, EveryRenderer, ::testing::ValuesIn(renderers().begin(), renderers().end()),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(RendererTable, HasUniqueNamesAndFiles) {
  std::set<std::string_view> names, files;
  for (const Renderer& renderer : renderers()) {
    EXPECT_TRUE(names.insert(renderer.name).second);
    EXPECT_TRUE(files.insert(renderer.file).second);
  }
  EXPECT_EQ(names, (std::set<std::string_view>{"terminal", "junit", "summary", "html"}));
}

TEST(SummaryTest, HasNoMarkupOfNamesAndClosesItsFences) {
  const std::string text = as("summary", sample_file());
  EXPECT_THAT(text, Not(HasSubstr("<script>document")));
  EXPECT_THAT(text, HasSubstr("| ❌ | <code>optim/forgotten\\_step</code> | ≠ different |"));
  EXPECT_THAT(text, HasSubstr("````text"));  // a tail with ``` in it
  EXPECT_THAT(text, HasSubstr("A pipe \\| a backtick"));
}

TEST(SummaryTest, EverythingFails_StaysBelowJobSummaryLimit) {
  Results results = sample();
  Case failing = sample_case(3);
  failing.arms.resize(40);
  for (Arm& arm : failing.arms) {
    arm.status = ArmStatus::failed;
    arm.failure = results::ArmFailure{.message = std::string(4000, '<')};
    arm.stderr_tail = std::string(20'000, '`');
  }
  failing.name = std::string(4000, '*');
  failing.sentence = std::string(4000, '<');
  failing.checks.resize(60, failing.checks.front());
  for (Check& check : failing.checks) {
    check.passed = false;
    check.sentence = check.because = check.quantity = std::string(4000, '<');
  }
  failing.notes.assign(20, std::string(4000, '_'));
  const size_t before = results.cases.size();
  for (int i = 0; i < 1000; ++i)
    results.add(failing);
  std::string text;
  SummaryForm form(results, [&](std::string_view piece) { text += piece; });
  for (size_t i = 0; i < results.cases.size(); ++i)
    form.add(i < before ? sample_case(i) : failing);
  form.end();
  EXPECT_LT(text.size(), 1'000'000U);
  EXPECT_THAT(text, HasSubstr("more failing cases in index.html"));
  EXPECT_THAT(text, HasSubstr("more cases in index.html"));
}

TEST(SummaryTest, Summary_NamesGoldenChangesAndTensorPlaces) {
  const std::string text = as("summary", sample_file());
  EXPECT_THAT(text, HasSubstr("**Since the goldens:** 2 of 4 stored quantities of 2 cases changed"));
  EXPECT_THAT(text, HasSubstr("- ? missing <code>optim/forgotten\\_step</code>"));
  EXPECT_THAT(
      text,
      HasSubstr(
          "| map | param layers.1.attention.wq.weight (256 × 256) at update 7: differs in 2 of 16 cells"));
  EXPECT_THAT(text, HasSubstr("**Slowest:** "));
}

TEST(SummaryTest, HasNoBackslashesWhereMarkdownIsNotRead) {
  EXPECT_THAT(as("summary", sample_file()), HasSubstr("<summary>✗ <code>optim/forgotten_step</code> "));
}

TEST(SummaryTest, FoldsWhatHoldsBelowWhatFails) {
  const std::string text = as("summary", sample_file());
  EXPECT_LT(text.find("| ❌ |"), text.find("| ✅ |"));
  EXPECT_THAT(text, HasSubstr("<summary>✅ 3 cases hold</summary>"));
}

class RenderedFolder : public ::testing::Test {
 protected:
  RenderedFolder() { render(sample_path(), folder_); }
  ~RenderedFolder() override { std::filesystem::remove_all(folder_); }

  const std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) / ("reports_" + std::to_string(::getpid()));
};

TEST_F(RenderedFolder, HoldsEveryFormAndThePlottingLibrary) {
  for (const Renderer& renderer : renderers())
    EXPECT_EQ(read_file(folder_ / renderer.file), rendered(renderer, sample_file()));
  EXPECT_GT(std::filesystem::file_size(folder_ / "plotly.min.js"), 1'000'000U);
}

TEST_F(RenderedFolder, JunitParsesAsXmlWithTheRightCounts) {
  const std::string script =
      "import sys, xml.etree.ElementTree as E\n"
      "root = E.parse(sys.argv[1]).getroot()\n"
      "suites = root.findall('testsuite')\n"
      "cases = root.findall('testsuite/testcase')\n"
      "assert root.tag == 'testsuites' and len(suites) == 6, len(suites)\n"
      "assert int(root.get('tests')) == len(cases) == 22, len(cases)\n"
      "assert int(root.get('failures')) == len(root.findall('.//failure')) == 7\n"
      "assert int(root.get('errors')) == len(root.findall('.//error')) == 2\n"
      "assert suites[5].get('name').startswith('hostile/<script>')\n"
      "failed = root.findall('.//failure')[0]\n"
      "assert failed.get('type') == 'different' and 'update 7' in failed.get('message')\n"
      "assert 'expected: 6.861' in failed.text and 'next: parity compare' in failed.text\n";
  write_file(folder_ / "read.py", script);
  const std::string command =
      places::python + " " + (folder_ / "read.py").string() + " " + (folder_ / "junit.xml").string();
  EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST(JunitTest, ACaseThatFailedWithoutAFailedCheckIsAFailure) {
  const ResultsFile results = parse_results(
      R"({"schema":"parity.results/1","cases":[{"name":"a/b","passed":false,"verdict":"missing","sentence":"no such model","arms":[],"checks":[]}]})",
      "results.json");
  const std::string text = as("junit", results);
  EXPECT_THAT(text, HasSubstr("failures=\"1\""));
  EXPECT_THAT(text, HasSubstr("message=\"no such model\""));
}

TEST(RenderTest, WritesNothingForResultsItCannotRead) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / ("unread_" + std::to_string(::getpid()));
  write_file(folder / "results.json", R"({"schema":"parity.results/9","cases":[]})");
  EXPECT_THROW(render(folder / "results.json", folder / "out"), UserError);
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace parity::reports
