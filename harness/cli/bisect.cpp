// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/bisect.hpp"

#include <memory>
#include <string>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/base/nearest.hpp"
#include "harness/bisect/search_run.hpp"
#include "harness/cli/options.hpp"
#include "harness/cli/print_search.hpp"

namespace parity::cli {
namespace {

struct Options {
  std::string what;
  std::vector<std::string> arms;
  std::string root = "cases";
  RunOptions run;
};

std::vector<std::string> names_of(const Case& source) {
  std::vector<std::string> names;
  for (const Arm& arm : source.arms)
    names.push_back(arm.name);
  return names;
}

/// The arms that were named, else the reference and the first other one.
Sides sides_of(const Case& source, const std::vector<std::string>& named) {
  const std::vector<std::string> known = names_of(source);
  for (const std::string& name : named)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw UserError(source.name + " has no arm '" + name + "'" + suggestion(name, known));
  if (named.size() > 2)
    throw UserError("more than two arms (a search has two sides); name the good one and the bad one");
  Sides sides = {source, named.size() == 2 ? named.front() : source.reference, ""};
  if (!named.empty())
    sides.actual = named.back();
  for (const std::string& name : known)
    if (sides.actual.empty() && name != sides.expected)
      sides.actual = name;
  return sides;
}

ExitCode search(const Options& options) {
  CaseOptions cases;
  cases.filter.what = {options.what};
  cases.root = options.root;
  const std::vector<Case> found = cases.read();
  if (found.size() != 1)
    throw UserError(options.what + " names " + std::to_string(found.size()) +
                    " cases (a search is about one); name one of them, as " + found.front().name);
  const Sides sides = sides_of(found.front(), options.arms);
  const SuiteOptions suite = options.run.suite_options();
  Progress progress(stderr);
  const SearchRecord record = search_run(sides, suite, progress);
  return tell(record, suite.out, sides.source.name + "+" + sides.expected + "+" + sides.actual,
              options.run.json);
}

}  // namespace

void add_bisect(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  app.require_subcommand(0, 1);
  app.add_option("CASE", options->what, "A case: its name or its file");
  app.add_option("ARM", options->arms,
                 "The good side and the bad side (default: the case's reference and its first other arm); "
                 "one: the bad "
                 "side")
      ->expected(0, 2);
  app.add_option("--cases", options->root, "Folder the cases lie in")
      ->type_name("DIR")
      ->capture_default_str();
  options->run.add_to(app);
  const auto add = [&](const char* name, const char* summary, void (*more)(CLI::App&, Action&)) {
    more(*app.add_subcommand(name, summary), action);
  };
  add("commits", "Which commits between two moved the numbers, biggest first", add_bisect_commits);
  add("options", "Which config keys make the difference between two arms", add_bisect_options);
  add("traces", "Where two traces part: step, phase, tensor, element", add_bisect_traces);
  app.footer(
      "Without a verb: where two arms of a case part in bits, and why: step, tensor, operator, element. Both "
      "sides\n"
      "run again, from the last checkpoint before they part, with more and more recorded.\n"
      "Examples:\n"
      "  parity bisect lr/warmup_index\n"
      "  parity bisect masks/leak positions eos --json\n"
      "  parity bisect commits v1.2 HEAD --case lr/warmup_index\n"
      "  parity bisect options lr/warmup_index:one_indexed zero_indexed\n"
      "  parity bisect traces a.h5 b.h5\n"
      "Exit status 0: the sides do not differ. 1: they do, and here is where.");
  app.callback([&app, options, &action] {
    if (!app.get_subcommands().empty())
      return;
    if (options->what.empty())
      throw UserError("parity bisect needs a case or a verb (nothing was named); see: parity bisect --help");
    action = [options] { return search(*options); };
  });
}

}  // namespace parity::cli
