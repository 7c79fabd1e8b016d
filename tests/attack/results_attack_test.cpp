// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Readers of results.json against every mutation of it: none may report that a case or a suite passed that
// did not.
#include <functional>
#include <set>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/suite/rerun.hpp"
#include "harness/suite/results/case_outcome.hpp"
#include "harness/suite/results/file/merge.hpp"
#include "tests/support/scratch.hpp"

namespace parity::attack {
namespace {

/// Damages the results of a suite of one case that passed.
struct ResultsMutation {
  std::string name;
  std::function<void(Json& results)> apply;
};

std::vector<ResultsMutation> results_mutations() {
  std::vector<ResultsMutation> rows = {
      {"the case failed", [](Json& r) { r["cases"][0]["passed"] = false; }},
      {"passed is no truth value", [](Json& r) { r["cases"][0]["passed"] = "yes"; }},
      {"no passed", [](Json& r) { r["cases"][0].erase("passed"); }},
      {"the case was skipped", [](Json& r) { r["cases"][0]["skipped"] = "no GPU"; }},
      {"no checks", [](Json& r) { r["cases"][0]["checks"] = Json::array(); }},
      {"checks are no list", [](Json& r) { r["cases"][0]["checks"] = "all"; }},
      {"no arms", [](Json& r) { r["cases"][0].erase("arms"); }},
      {"no case", [](Json& r) { r["cases"] = Json::array(); }},
      {"the case is named otherwise",
       [](Json& r) {
         r["cases"][0]["name"] = "topic/other";
         r["cases"][0]["file"] = "cases/topic/other.toml";
       }},
      {"the case is unfinished",
       [](Json& r) {
         r["cases"] = Json::array();
         r["unfinished"] = {"topic/case"};
       }},
      {"another schema", [](Json& r) { r["schema"] = "parity.results/9"; }},
      {"no schema", [](Json& r) { r.erase("schema"); }},
      {"it is a list", [](Json& r) { r = Json::array({r}); }},
  };
  for (const char* verdict : {"different", "imprecise", "vacuous", "missing", "crashed"})
    rows.push_back({std::string("a check failed, ") + verdict, [verdict](Json& r) {
                      r["cases"][0]["checks"][0]["passed"] = false;
                      r["cases"][0]["checks"][0]["verdict"] = verdict;
                    }});
  for (const char* status : {"failed", "crashed", "partial", ""})
    rows.push_back({std::string("an arm is ") + (*status ? status : "of no status"),
                    [status](Json& r) { r["cases"][0]["arms"][0]["status"] = status; }});
  return rows;
}

class ResultsAttackTest : public FolderTest, public testing::WithParamInterface<ResultsMutation> {
 protected:
  static Json whole() {
    const Json arm = {{"name", "a"}, {"run", "1234"}, {"status", "complete"}, {"failure", nullptr}};
    const Json check = {{"id", "topic/case:1"}, {"quantity", "loss"},     {"relation", "identical"},
                        {"passed", true},       {"verdict", "identical"}, {"sentence", "the same bits"}};
    return {{"schema", "parity.results/2"},
            {"producer", {{"name", "parity"}, {"version", "1"}, {"commit", "1a2b"}, {"dirty", false}}},
            {"environment", {{"cpu_vendor", "V"}, {"cores", 2}}},
            {"summary", Json::object()},
            {"unfinished", Json::array()},
            {"cases",
             {{{"name", "topic/case"},
               {"file", "cases/topic/case.toml"},
               {"passed", true},
               {"verdict", "identical"},
               {"settings", Json::array()},
               {"arms", {arm}},
               {"checks", {check, check}}}}}};
  }
  /// Returns whether the last run reports that the case passed.
  bool says_held(const Json& results) const {
    write_file(folder / "results.json", results.dump());
    const suite::LastRun last = suite::last_run(folder);
    return std::ranges::any_of(last.held,
                               [](const suite::LastCase& each) { return each.name == "topic/case"; });
  }
  /// Returns whether the results give a suite exit status 0, with the case among the judged ones.
  bool passes(const Json& results) const {
    write_file(folder / "results.json", results.dump());
    return passes_in(folder);
  }
  /// The same for the merged results of a shard with this case and another one that passed.
  bool passes_merged(const Json& results) const {
    Json other = whole();
    other["cases"][0]["name"] = "topic/other_shard";
    write_file(folder / "s1/results.json", results.dump());
    write_file(folder / "s2/results.json", other.dump());
    suite::merge_results({folder / "s1", folder / "s2"}, folder / "all");
    return passes_in(folder / "all");
  }
  /// A reader that accepts intact results rejects damaged ones, or reports that they failed.
  static void expect_no_good_of_spoilt(const std::function<bool(const Json&)>& says_good) {
    ASSERT_TRUE(says_good(whole()));
    Json spoilt = whole();
    GetParam().apply(spoilt);
    try {
      EXPECT_FALSE(says_good(spoilt)) << GetParam().name;
    } catch (const UserError&) {
      SUCCEED() << "refused";
    } catch (const Json::exception&) {
      SUCCEED() << "refused";
    }
  }
  static bool passes_in(const std::filesystem::path& place) {
    const JsonItems read = suite::read_results(place);
    std::vector<suite::CaseOutcome> outcomes;
    bool there = false;
    for (size_t i = 0; i < read.size(); ++i) {
      const results::Case item = suite::read_case_results(read, i, place);
      outcomes.push_back(suite::outcome_of(item));
      there = there || (item.name == "topic/case" && !outcomes.back().skipped);
    }
    return there && exit_code_of(outcomes, suite::Part::whole) == ExitCode::agree;
  }
};

TEST_P(ResultsAttackTest, SpoiltResultsAreNotHeld) {
  expect_no_good_of_spoilt([&](const Json& results) { return says_held(results); });
}

TEST_P(ResultsAttackTest, SpoiltResultsDoNotPass) {
  expect_no_good_of_spoilt([&](const Json& results) { return passes(results); });
}

TEST_P(ResultsAttackTest, SpoiltShardsDoNotPass) {
  expect_no_good_of_spoilt([&](const Json& results) { return passes_merged(results); });
}

INSTANTIATE_TEST_SUITE_P(
    Mutations, ResultsAttackTest, testing::ValuesIn(results_mutations()), [](const auto& each) {
      std::string name = each.param.name;
      std::ranges::replace_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
      return name;
    });

}  // namespace
}  // namespace parity::attack
