// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/plan/planned_run_json.hpp"

#include <gtest/gtest.h>

#include "harness/base/error.hpp"

namespace parity::suite {
namespace {

/// Returns a run in which no member has its default value.
PlannedRun unusual_run() {
  PlannedRun run;
  run.id = "0123";
  run.identity = R"({"a": 1})";
  run.label = "lr/case:arm";
  run.config = {{"lr.base", 0.5}, {"steps", 7}};
  run.command = {"python", "{run_dir}", "a b"};
  run.program = "/bin/other";
  run.environment = {{"NAME", "value"}};
  run.python = {"/venv/bin/python", "make it", {"torch"}};
  run.trace_of = {{"a", "4567"}};
  run.names = {{"from(.*)", "to$1"}};
  run.case_folder = "/cases";
  run.profile = Profile::native;
  run.dtype = "float64";
  run.ranks = 4;
  run.launch = {Launcher::srun, 2, 2, {"--exclusive"}};
  run.threads = 2;
  run.steps = 7;
  run.span = {5, 2, "89ab", 3, "cdef"};
  run.restart_after = 2;
  run.under = compare::Condition::other_alignment;
  run.repetition = 3;
  run.elsewhere = true;
  run.timeout_seconds = 12.5;
  run.cacheable = false;
  run.is_operator = true;
  run.has_rank_variables = false;
  run.capture.teacher = "/trace.h5";
  return run;
}

TEST(PlannedRunJsonTest, EveryMemberComesBack) {
  const PlannedRun run = unusual_run();
  const Json json = to_json(run);
  const Json plain = to_json(PlannedRun());
  EXPECT_EQ(to_json(planned_run_from_json(json)), json);
  for (const auto& [key, value] : json.items())
    EXPECT_NE(value, plain.at(key)) << key << " has its default, so the test would not see it lost";
  const PlannedRun back = planned_run_from_json(read_json(json_text(json)));
  EXPECT_EQ(back.span.teacher_run, run.span.teacher_run);
  EXPECT_EQ(back.under, run.under);
  EXPECT_EQ(back.names, run.names);
  EXPECT_EQ(back.timeout_seconds, run.timeout_seconds);
}

TEST(PlannedRunJsonTest, AMissingMemberIsRefused) {
  const Json json = to_json(unusual_run());
  for (const auto& [key, value] : json.items()) {
    Json damaged = json;
    damaged.erase(key);
    EXPECT_ANY_THROW(planned_run_from_json(damaged)) << key;
  }
}

}  // namespace
}  // namespace parity::suite
