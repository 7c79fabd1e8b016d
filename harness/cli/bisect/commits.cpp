// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>
#include <string>

#include "harness/base/error.hpp"
#include "harness/bisect/commits/search_commits.hpp"
#include "harness/cli/bisect/bisect.hpp"
#include "harness/cli/options/repeated.hpp"
#include "harness/cli/options/runs.hpp"
#include "harness/cli/print/search.hpp"
#include "harness/suite/cases/named_case.hpp"
#include "harness/suite/plan/identity/machine.hpp"

namespace parity::cli {
namespace {

struct BisectCommitsVerbOptions {
  bisect::CommitQuestion question;
  std::string case_name, root = "cases";
  std::string repository = ".";
  RunOptions run;
  bool no_golden = false;
};

ExitCode bisect_commits(const BisectCommitsVerbOptions& options) {
  bisect::CommitQuestion question = options.question;
  if (!options.case_name.empty())
    question.source = suite::named_case(options.case_name, options.root);
  question.use_golden = !options.no_golden;
  question.keep_answers = !options.run.no_cache;
  question.suite = options.run.suite_options();
  const suite::Git git(options.repository);
  Progress progress(stderr);
  const bisect::SearchRecord record = search_commits(question, git, progress);
  return report_search(record, options.run.out, "commits", options.run.json);
}

void add_question(CLI::App& app, bisect::CommitQuestion& question) {
  app.add_option("GOOD", question.good, "Last revision that is known to be good")->required();
  app.add_option("BAD", question.bad, "Later revision that is bad (default: HEAD)");
  question.bad = "HEAD";
  add_repeated(app, "--arm", question.arms, "Arm of the case to run; may be repeated (default: all)", "ARM");
  app.add_option("--run", question.run,
                 "Shell line to run in each commit's work tree, instead of a case; it writes a trace to "
                 "$PARITY_TRACE, or exits with 0 (good), 125 (cannot be tested) or another status (bad)")
      ->type_name("COMMAND");
  app.add_option("--build", question.build,
                 "Shell line that builds a commit in its work tree; $PARITY_BUILD is a build folder that all "
                 "commits share")
      ->type_name("COMMAND");
  app.add_option(
         "--trainer", question.trainer,
         "Program that the build makes, below the work tree or {build}; commits with equal programs run once")
      ->type_name("PATH");
  add_repeated(app, "--path", question.paths, "Search only commits that change this path; may be repeated",
               "PATH");
}

void add_judging(CLI::App& app, bisect::CommitQuestion& question) {
  add_repeated(
      app, "--channel", question.channels,
      "Channels to compare, a glob; may be repeated (default: all channels and the recorded tensors)",
      "CHANNEL");
  app.add_option("--tolerance", question.tolerance,
                 "Relative difference up to which commits are equal, for runs that do not repeat bit for bit")
      ->type_name("REL")
      ->capture_default_str();
  app.add_option("--most", question.most,
                 "Largest number of commits to evaluate on a line of history (default: no limit)")
      ->type_name("N");
  app.add_option("--run-timeout", question.run_timeout, "Time limit of --run in seconds")
      ->type_name("SECONDS")
      ->capture_default_str();
  app.add_option("--build-timeout", question.build_timeout, "Time limit of --build in seconds")
      ->type_name("SECONDS")
      ->capture_default_str();
}

}  // namespace

void add_bisect_commits(CLI::App& app, Action& action) {
  auto options = std::make_shared<BisectCommitsVerbOptions>();
  add_question(app, options->question);
  app.add_option("--case", options->case_name,
                 "Case whose arms each commit runs; the commits do not need to contain it")
      ->type_name("CASE");
  app.add_option("--cases", options->root, "Folder of the cases")->type_name("DIR")->capture_default_str();
  app.add_option("--repository", options->repository, "Folder in the repository to search")
      ->type_name("DIR")
      ->capture_default_str();
  add_judging(app, options->question);
  app.add_flag("--no-golden", options->no_golden,
               "Use the good commit's own run as the reference, even if it disagrees with its golden");
  options->run.add_search_options(app, "; work tree, answers and record are in DIR/bisect");
  app.add_flag("--no-cache", options->run.no_cache, "Evaluate every commit again");
  app.footer(
      "Finds every commit that changed the numbers, the largest change first. The search checks out commits\n"
      "in its own work tree, which it removes afterwards. Your files, HEAD and refs do not change.\n"
      "Examples:\n"
      "  parity bisect commits v1.2 HEAD --case lr/warmup_index     this project, default build\n"
      "  parity bisect commits v1.2 --case mine --build 'make -j8' --trainer bin/train     your own trainer\n"
      "  parity bisect commits v1.2 main --run 'python train.py --steps 5' --path src     any command\n"
      "  parity bisect commits v1.2 main --run './train && ./check' --build 'make' --trainer train --json    "
      " by exit "
      "status\n"
      "Commands of a case refer to files of the commit as {worktree}/...; shell lines use $PARITY_WORKTREE.\n"
      "After Ctrl-C or a kill, the same command resumes the search. Exit status 0: the two revisions do not\n"
      "differ. 1: a commit was found. 3: nothing was recorded to compare, or runs do not repeat.");
  app.callback([options, &action] { action = [options] { return bisect_commits(*options); }; });
}

}  // namespace parity::cli
