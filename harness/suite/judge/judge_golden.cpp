// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/judge/judge_golden.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/processes/process.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

JudgedCheck golden_check(const std::string& arm, const std::string& quantity, compare::CheckResult result) {
  compare::Check check;
  check.arms = {arm};
  check.relation = compare::Relation::identical;
  check.because = "the golden stores what this arm computed when it was last reviewed";
  return {results::CheckKind::golden, quantity, check, std::move(result)};
}

}  // namespace

std::vector<compare::Check> claims_on_golden(const Case& source) {
  std::vector<compare::Check> claims;
  std::copy_if(source.checks.begin(), source.checks.end(), std::back_inserter(claims),
               [](const compare::Check& check) { return check.against == compare::Against::golden; });
  return claims;
}

void add_golden_finding(std::vector<JudgedCheck>& judged, const Case& source, bool passed,
                        compare::Verdict verdict, const std::string& sentence) {
  compare::CheckResult result;
  result.passed = passed;
  result.verdict = verdict;
  result.sentence = sentence;
  const std::string& arm = source.golden.arms.empty() ? source.reference : source.golden.arms.front();
  judged.push_back(golden_check(arm, "golden", std::move(result)));
  judged.back().claim.arms = source.golden.arms;
}

void judge_golden(std::vector<JudgedCheck>& judged, const Case& source, const Evidence& evidence,
                  const golden::StoredGolden& golden, golden::DriftMode drift) {
  if (source.golden.arms.empty()) {
    if (source.golden.states_none && fs::exists(source.golden_file) &&
        !golden::holds_floors_alone(source.golden_file))
      add_golden_finding(
          judged, source, false, compare::Verdict::missing,
          fmt::format("the case compares no arm with its golden {} (golden.arms is empty); name the "
                      "arms, or delete the file",
                      path_from_here(source.golden_file)));
    return;
  }
  const auto arms = evidence.arms(source.golden.arms);
  const bool crashed =
      std::any_of(arms.begin(), arms.end(), [](const auto& arm) { return arm.second.crashed; });
  if (!fs::exists(source.golden_file) && crashed)
    return;  // the report names the arm, which the user must fix first
  if (!fs::exists(source.golden_file))
    return add_golden_finding(
        judged, source, false, compare::Verdict::missing,
        fmt::format("there is no golden {}; record it with: {}", path_from_here(source.golden_file),
                    shell_quote({"parity", "golden", "record", path_from_here(source.file)})));
  try {
    for (golden::GoldenResult& found : verify_golden(golden, arms, claims_on_golden(source))) {
      if (found.result.verdict == compare::Verdict::drift && drift == golden::DriftMode::fail) {
        found.result.passed = false;
        found.result.sentence += "; --drift fail makes that a failure";
      }
      judged.push_back(golden_check(found.arm, found.quantity, std::move(found.result)));
    }
  } catch (const UserError& error) {
    add_golden_finding(judged, source, false, compare::Verdict::missing, error.what());
  }
}

}  // namespace parity::suite
