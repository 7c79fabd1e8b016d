// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/print/coverage.hpp"

#include <memory>

#include <fmt/format.h>

#include "harness/base/json/json.hpp"
#include "harness/cli/options/cases.hpp"
#include "harness/cli/options/trainer.hpp"
#include "harness/cli/verbs/verbs.hpp"
#include "harness/coverage/survey.hpp"
#include "harness/coverage/survey_json.hpp"
#include "harness/suite/runs/run_settings.hpp"

namespace parity::cli {
namespace {

struct CoverageOptions {
  CaseOptions cases;
  std::string trainer;
  std::string out = suite::default_out_folder;
  std::string feature;
  bool missing = false;
  bool json = false;
};

ExitCode coverage(const CoverageOptions& options) {
  const size_t feature = options.feature.empty() ? 0 : coverage::find_feature(options.feature);
  const coverage::Survey found =
      coverage::survey(options.cases.read(), {find_trainer(options.trainer), options.out});
  if (options.json)
    fmt::print("{}\n", json_text(coverage::survey_json(found), 1));
  else if (!options.feature.empty())
    fmt::print("{}", feature_text(found, feature));
  else
    fmt::print("{}", options.missing ? missing_text(found) : coverage_text(found));
  return ExitCode::agree;
}

}  // namespace

void add_coverage(CLI::App& app, Action& action) {
  auto options = std::make_shared<CoverageOptions>();
  options->cases.add_to(app);
  add_trainer_option(app, options->trainer);
  app.add_option("--out", options->out, "Results folder whose runs tell what acted")
      ->type_name("DIR")
      ->capture_default_str();
  CLI::Option* missing = app.add_flag("--missing", options->missing, "List only the missing pairs");
  app.add_option("--feature", options->feature, "List the pairs of one feature")
      ->type_name("FEATURE")
      ->excludes(missing);
  app.add_flag("--json", options->json, "Print the survey as JSON (parity.coverage/1)");
  app.footer(
      "Examples:\n"
      "  parity coverage                     the matrix of all pairs of features\n"
      "  parity coverage --missing           pairs that no arm has, though the trainer accepts them\n"
      "  parity coverage --feature restart   the pairs of one feature, with an arm or a reason each\n"
      "  parity coverage 'rl/*' --json       one topic, as JSON\n"
      "A key switches most features on. Whether clipping acted or labels were ignored, only a trace in\n"
      "OUT/runs tells: without one, the pair counts as not run. Runs nothing.");
  app.callback([options, &action] { action = [options] { return coverage(*options); }; });
}

}  // namespace parity::cli
