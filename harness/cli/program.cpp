// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/program.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/terminal/say.hpp"
#include "harness/base/terminal/standard_streams.hpp"
#include "harness/base/terminal/terminal.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/nearest.hpp"
#include "harness/cli/options/complete.hpp"
#include "harness/cli/print/man_page.hpp"
#include "parity/build_facts.hpp"

namespace parity::cli {
namespace {

/// The subcommands, in the order of --help.
constexpr std::array<Verb, 21> table = {{
    {"list", "List the cases and the states of their goldens", add_list},
    {"keys", "List config keys with their defaults, and channels", add_keys},
    {"run", "Run cases: train their arms, judge, report", add_run},
    {"compare", "Compare the channels and tensors of two traces or logs", add_compare},
    {"audit", "Judge one run alone by the laws of training", add_audit},
    {"explain", "Say in what two runs differ before any of their numbers", add_explain},
    {"reveal", "Find in which order an operator adds", add_reveal},
    {"import", "Write a log (JSON lines, CSV, text) as a trace", add_import},
    {"join", "Join the files of a run's ranks that ended without an index", add_join},
    {"golden", "Record, verify, compare and explain goldens", add_golden},
    {"bisect", "Find the cause of a difference: step, tensor, key, commit", add_bisect},
    {"calibrate", "Measure the rounding noise that bounds are relative to", add_calibrate},
    {"power", "Measure the smallest fault that the checks of a case detect", add_power},
    {"repeat", "Run the same thing again and again, and compare the bits", add_repeat},
    {"coverage", "Show which pairs of features the cases cover", add_coverage},
    {"fuzz", "Run random configs in layouts that must agree", add_fuzz},
    {"job", "Execute one run as a job of a scheduler", add_job},
    {"rank", "Execute one rank of a run where its launcher starts it", add_rank},
    {"report", "Write reports again, or merge results of several folders", add_report},
    {"completion", "Print the completion script for a shell", add_completion},
    {"version", "Show version and build", add_version},
}};

constexpr const char* footer =
    "Exit status: 0 agree, 1 differ, 2 bad usage or input, 3 something needed is missing,\n"
    "4 a run crashed or hung, 70 a bug in parity, 130 interrupted.\n"
    "parity SUBCOMMAND --help shows examples.";

void print_error(const std::string& message) {
  say("{} {}\n", Style::for_stream(stderr).bad("parity:"), escape_for_terminal(message));
}

/// Returns the message for an unknown subcommand, with the nearest one; "" if the first word is valid.
std::string unknown_verb(int argc, const char* const* argv) {
  if (argc < 2 || argv[1][0] == '-')
    return "";
  std::vector<std::string> known;
  for (const Verb& verb : table)
    known.emplace_back(verb.name);
  for (const std::string& name : known)
    if (name == argv[1])
      return "";
  return "unknown verb '" + std::string(argv[1]) + "'" + suggestion(argv[1], known);
}

/// Returns the innermost subcommand of the command line.
const CLI::App* called_verb(const CLI::App& app) {
  const CLI::App* verb = &app;
  while (!verb->get_subcommands().empty())
    verb = verb->get_subcommands().back();
  return verb;
}

std::string describe(const CLI::App* verb) {
  return verb->get_parent() ? describe(verb->get_parent()) + " " + verb->get_name() : verb->get_name();
}

/// Returns the problem of a line that does not parse, with the nearest valid word.
std::string usage_problem(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* verb = called_verb(app);
  const std::vector<std::string> extra = app.remaining(true);
  const std::string see = "; see: " + describe(verb) + " --help";
  std::vector<std::string> known;
  if (!extra.empty() && extra.front().starts_with("-")) {
    for (const CLI::Option* option : verb->get_options())
      for (const std::string& name : option->get_lnames())
        known.push_back("--" + name);
    const std::string near = nearest(extra.front(), known);
    return fmt::format("{} has no option {}{}{}", describe(verb), extra.front(),
                       near.empty() ? "" : " (did you mean '" + near + "'?)", see);
  }
  for (const CLI::App* sub : verb->get_subcommands([](const CLI::App*) { return true; }))
    known.push_back(sub->get_name());
  for (const CLI::Option* argument : verb->get_options())  // an argument may be a mistyped subcommand
    for (const std::string& word :
         argument->get_positional() ? argument->results() : std::vector<std::string>())
      if (const std::string near = nearest(word, known); !extra.empty() && !near.empty())
        return fmt::format("{} has no verb {} (did you mean '{}'?)", describe(verb), parity::quoted(word),
                           near);
  if (!extra.empty() && !known.empty())
    return fmt::format("{} has no verb '{}'{}", describe(verb), extra.front(),
                       suggestion(extra.front(), known));
  if (!extra.empty())
    return fmt::format("{} does not take '{}'{}", describe(verb), extra.front(), see);
  return known.empty() ? error.what() + see : describe(verb) + " needs a verb" + suggestion("", known);
}

/// Returns whether all printed output was written. Buffered output may fail on a full disk.
bool was_written(std::FILE* stream) {
  errno = 0;
  if (std::fflush(stream) == 0 && std::ferror(stream) == 0)
    return true;
  print_error(std::string("cannot write the output (") + std::strerror(errno ? errno : EIO) +
              "); free some space, or redirect it");
  return false;
}

ExitCode perform(const Action& action) {
  try {
    return action();
  } catch (const UserError& error) {
    print_error(error.what());
    return error.code();
  } catch (const std::filesystem::filesystem_error& error) {
    print_error(error_of(error).what());
    return ExitCode::bad_input;
  } catch (const std::system_error& error) {
    print_error("the system refused a request (" + error.code().message() +
                "); free space or resources and run it again");
    return ExitCode::bad_input;
  } catch (const std::bad_alloc&) {
    print_error("out of memory (a trace or a results file does not fit); free some memory");
    return ExitCode::missing;
  } catch (const std::exception& error) {
    print_error(std::string("internal error: ") + error.what() +
                "\nThis is a bug; please report it with the command.");
    return ExitCode::internal;
  }
}

}  // namespace

void add_verbs(CLI::App& app, Action& action) {
  app.require_subcommand(1);
  app.footer(footer);
  add_verbs(app, action, table);
}

namespace {

ExitCode run_command_line(int argc, const char* const* argv) {
  CLI::App app("Proves whether two training runs compute the same thing.", "parity");
  Action action;
  add_verbs(app, action);
  if (argc >= 2 && argv[1] == std::string_view(complete_verb)) {
    print_completion(complete(app, {argv + 2, argv + argc}));
    return ExitCode::agree;
  }
  if (argc == 2 && argv[1] == std::string_view(man_verb)) {
    fmt::print("{}", man_page(app, build_facts::version));
    return ExitCode::agree;
  }
  if (argc < 2) {
    say("{}", app.help());
    return ExitCode::bad_input;
  }
  if (const std::string problem = unknown_verb(argc, argv); !problem.empty())
    throw UserError(problem);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const std::string help = app.help();
    fmt::print("{}{}", help, help.ends_with('\n') ? "" : "\n");
    return ExitCode::agree;
  } catch (const CLI::ParseError& error) {
    throw UserError(usage_problem(app, error));
  }
  return action();
}

}  // namespace

int run_program(int argc, const char* const* argv) {
  prepare_standard_streams();
  const ExitCode code = perform([&] { return run_command_line(argc, argv); });
  return static_cast<int>(was_written(stdout) ? code : ExitCode::bad_input);
}

}  // namespace parity::cli
