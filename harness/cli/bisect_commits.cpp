// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>
#include <string>

#include "harness/base/error.hpp"
#include "harness/bisect/commits/search_commits.hpp"
#include "harness/cli/bisect.hpp"
#include "harness/cli/options.hpp"
#include "harness/cli/print_search.hpp"
#include "harness/suite/cases/named_case.hpp"
#include "harness/suite/plan/machine.hpp"

namespace parity::cli {
namespace {

struct BisectCommitsVerbOptions {
  CommitQuestion question;
  std::string case_name, root = "cases";
  std::string repository = ".";
  std::string out = "out/suite";
  std::string cache_size = "10G";
  std::optional<int> jobs;
  bool no_golden = false;
  bool no_cache = false;
  bool json = false;
};

ExitCode bisect_commits(const BisectCommitsVerbOptions& options) {
  CommitQuestion question = options.question;
  if (!options.case_name.empty())
    question.source = named_case(options.case_name, options.root);
  question.use_golden = !options.no_golden;
  question.keep_answers = !options.no_cache;
  RunOptions run;
  run.out = options.out;
  run.jobs = options.jobs;
  run.cache_size = options.cache_size;
  run.no_cache = options.no_cache;
  question.suite = run.suite_options();
  const Git git(options.repository);
  Progress progress(stderr);
  const SearchRecord record = search_commits(question, git, progress);
  return tell(record, options.out, "commits", options.json);
}

void add_question(CLI::App& app, CommitQuestion& question) {
  app.add_option("GOOD", question.good, "The last revision that is known to be good")->required();
  app.add_option("BAD", question.bad, "A later one that is bad (default: HEAD)");
  question.bad = "HEAD";
  app.add_option("--arm", question.arms, "Only this arm of the case; may be repeated (default: all)")
      ->type_name("ARM")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--run", question.run,
                 "In place of a case: a shell line, run in each commit's work tree; writes a trace to "
                 "$PARITY_TRACE, or "
                 "ends with 0 (good), 125 (cannot be tested) or another status (bad)")
      ->type_name("COMMAND");
  app.add_option("--build", question.build,
                 "A shell line that builds a commit in its work tree; $PARITY_BUILD is a folder that stays")
      ->type_name("COMMAND");
  app.add_option(
         "--trainer", question.trainer,
         "What the build makes, below the work tree or {build}; commits with the same bytes are asked once")
      ->type_name("PATH");
  app.add_option("--path", question.paths, "Only commits that change this path; may be repeated")
      ->type_name("PATH")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void add_judging(CLI::App& app, CommitQuestion& question) {
  app.add_option(
         "--channel", question.channels,
         "Glob: only these channels count; may be repeated (default: all, and what is kept of tensors)")
      ->type_name("CHANNEL")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option(
         "--tolerance", question.tolerance,
         "Relative distance up to which commits are the same, for runs that do not repeat bit for bit")
      ->type_name("REL")
      ->capture_default_str();
  app.add_option("--most", question.most, "Most commits to ask on a line of history (default: no limit)")
      ->type_name("N");
  app.add_option("--run-timeout", question.run_timeout, "Seconds that --run may take")
      ->type_name("SECONDS")
      ->capture_default_str();
  app.add_option("--build-timeout", question.build_timeout, "Seconds that --build may take")
      ->type_name("SECONDS")
      ->capture_default_str();
}

}  // namespace

void add_bisect_commits(CLI::App& app, Action& action) {
  auto options = std::make_shared<BisectCommitsVerbOptions>();
  add_question(app, options->question);
  app.add_option("--case", options->case_name,
                 "The case whose arms each commit runs; the commits need not have it")
      ->type_name("CASE");
  app.add_option("--cases", options->root, "Folder the cases lie in")
      ->type_name("DIR")
      ->capture_default_str();
  app.add_option("--repository", options->repository, "A folder of the repository")
      ->type_name("DIR")
      ->capture_default_str();
  add_judging(app, options->question);
  app.add_flag("--no-golden", options->no_golden,
               "Take the good side's run for the truth, whatever its golden says");
  app.add_option("--out", options->out, "Folder for work tree, answers and record: DIR/bisect")
      ->type_name("DIR")
      ->capture_default_str();
  app.add_option("-j,--jobs", options->jobs, "Core slots of a case's runs (default: all cores)")
      ->type_name("N");
  app.add_option("--cache-size", options->cache_size, "Most that kept runs may take (K, M, G, T)")
      ->type_name("SIZE")
      ->capture_default_str();
  app.add_flag("--no-cache", options->no_cache, "Ask every commit again");
  app.add_flag("--json", options->json, "The record as JSON on stdout");
  app.footer(
      "Which commit moved the numbers, and which others did; the biggest step first. Commits are checked out "
      "in\n"
      "a work tree of the search's own, which is gone afterwards; your files, HEAD and refs stay as they "
      "are.\n"
      "Examples:\n"
      "  parity bisect commits v1.2 HEAD --case lr/warmup_index     this project: it knows how to build "
      "itself\n"
      "  parity bisect commits v1.2 --case mine --build 'make -j8' --trainer bin/train     your own trainer\n"
      "  parity bisect commits v1.2 main --run 'python train.py --steps 5' --path src     any command\n"
      "  parity bisect commits v1.2 main --run './train && ./check' --build 'make' --trainer train --json    "
      " by exit "
      "status\n"
      "A case's commands name what comes from the commit as {worktree}/...; shell lines find it in "
      "$PARITY_WORKTREE.\n"
      "After Ctrl-C or a kill the same command goes on. Exit status 0: the sides do not differ, 1: a commit "
      "was "
      "found.");
  app.callback([options, &action] { action = [options] { return bisect_commits(*options); }; });
}

}  // namespace parity::cli
