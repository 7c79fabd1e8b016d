// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/repeat/target.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/compare/traces/collectives.hpp"
#include "harness/suite/cases/named_case.hpp"
#include "harness/suite/cases/run_config_file.hpp"
#include "harness/suite/plan/capture_needs.hpp"
#include "harness/suite/plan/traces_read.hpp"

namespace parity::repeat {
namespace fs = std::filesystem;
namespace {

/// Returns a case that no file has, with one arm.
suite::Case case_of(suite::Arm arm, const fs::path& file) {
  suite::Case source;
  source.name = arm.name;
  source.file = file;
  source.reference = arm.name;
  source.arms = {std::move(arm)};
  return source;
}

bool is_regular(const std::string& words) {
  std::error_code error;  // a name may be too long for a path
  return fs::is_regular_file(words, error);
}

suite::Case case_of_arm(const std::string& words, const fs::path& root) {
  const suite::ArmWords named(words);
  suite::Case source = suite::named_case(named.source, root);
  const std::string arm = named.arm.empty() ? source.reference : named.arm;
  suite::require_arm(source, arm);
  if (!suite::arms_read_by(source, source.arm(arm)).empty())
    throw UserError(fmt::format(
        "cannot repeat {}:{} alone (it reads the trace of another arm); ask in the case: relation = "
        "\"repeats\"",
        source.name, arm));
  std::erase_if(source.arms, [&](const suite::Arm& each) { return each.name != arm; });
  source.reference = arm;
  source.checks.clear();
  source.check_places.clear();
  source.golden = {};
  source.capture = {};
  return source;
}

}  // namespace

suite::Case target_case(const std::string& words, const std::vector<std::string>& command, int ranks,
                        const fs::path& root) {
  if (words.empty() == command.empty())
    throw UserError("cannot repeat a run (give one of CASE, CASE:ARM, a run config, or -- COMMAND)");
  if (ranks < 0 || (ranks > 0 && command.empty()))
    throw UserError(
        fmt::format("invalid --ranks {} ({}); {}", ranks,
                    ranks < 0 ? "a program has at least one process" : "it is of a program after --",
                    ranks < 0 ? "give 1 or more" : "set parallel.* with --set"));
  suite::Arm arm;
  if (!command.empty()) {
    arm.ranks = std::max(ranks, 1);
    arm.states_ranks = ranks > 0;
    arm.name = "command";
    arm.place.file = "the command line";
    arm.command = command;
    arm.float64 = false;
    return case_of(std::move(arm), fs::current_path() / "command");
  }
  if (is_regular(words))
    if (auto config = suite::read_run_config(words)) {
      arm.name = fs::path(words).stem().string();
      arm.place.file = words;
      arm.config = std::move(*config);
      return case_of(std::move(arm), words);
    }
  return case_of_arm(words, root);
}

trace::Capture soak_capture(int64_t steps, int64_t every, bool collectives) {
  trace::CaptureRule rule;
  if (every > 1) {
    rule.steps = {0, 1};
    const int64_t last = steps > 0 ? steps : every * suite::most_captured_steps;
    for (int64_t step = every; step <= last; step += every)
      rule.steps.push_back(step);
    if (steps > 0 && steps % every != 0)
      rule.steps.push_back(steps);
  }
  trace::Capture capture;
  if (collectives)
    capture.operators.push_back({rule.steps, {}, {compare::collective_module}});
  capture.sketches.push_back(std::move(rule));
  return capture;
}

}  // namespace parity::repeat
