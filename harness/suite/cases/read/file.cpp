// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/cases/read/file.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <regex>
#include <set>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/nearest.hpp"
#include "harness/suite/cases/launch_table.hpp"
#include "harness/suite/cases/operators/arms.hpp"
#include "harness/suite/cases/operators/problem.hpp"
#include "harness/suite/cases/profile.hpp"
#include "harness/suite/cases/read/arm_settings.hpp"
#include "harness/suite/cases/read/check_table.hpp"
#include "harness/suite/cases/read/command_arm.hpp"
#include "harness/suite/cases/read/paths.hpp"
#include "harness/suite/cases/read/toml_depth.hpp"
#include "harness/suite/cases/read/toml_table.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

constexpr uint64_t largest_case = 1 << 20;
constexpr int64_t most_ranks = 1024;  // processes on one machine
const std::vector<std::string> case_keys = {
    "title", "question", "source", "tags",   "reference",       "profile", "base",
    "arms",  "capture",  "golden", "checks", "timeout_seconds", "python",  "operator"};

std::vector<trace::Phase> read_phases(const TomlTable& table, std::vector<trace::Phase> fallback) {
  if (!table.has("phases"))
    return fallback;
  std::vector<trace::Phase> phases;
  for (const std::string& name : table.strings("phases"))
    phases.push_back(placed(table, table.place_of("phases"), [&] { return parse_enum<trace::Phase>(name); }));
  return phases;
}

std::vector<std::pair<std::string, std::string>> read_names(const TomlTable& arm) {
  const TomlTable table = arm.table("names", "names table");
  std::vector<std::pair<std::string, std::string>> names;
  for (const auto& [key, node] : table.raw()) {
    const std::string pattern(key.str());
    try {
      static_cast<void>(std::regex(pattern));
    } catch (const std::regex_error& error) {
      table.fail(table.place_of(key.source()),
                 parity::quoted(pattern) + " is not a regular expression (" + error.what() + ")");
    }
    names.emplace_back(pattern, table.string(pattern));
  }
  return names;
}

/// Sets another parity-train of an arm. Its path counts from the folder of the case.
void read_program(const TomlTable& table, Arm& arm) {
  if (!table.has("program"))
    return;
  if (arm.is_command())
    table.fail(
        table.place_of("program"),
        fmt::format("'program' is for arms that parity-train runs; the command of arm '{}' begins with its "
                    "program",
                    arm.name));
  const fs::path folder = fs::path(table.file()).parent_path();
  placed(table, table.place_of("program"), [&] {
    set_key(arm, "program", {Json((folder / table.string("program")).string()), arm.place});
    return true;
  });
}

void read_environment(const TomlTable& table, Arm& arm) {
  const TomlTable variables = table.table("environment", "environment");
  for (const auto& [key, node] : variables.raw()) {
    const std::string name(key.str());
    std::string value = variables.string(name);
    if (const size_t at = value.find("{case_dir}"); at != std::string::npos)
      value.replace(at, 10, fs::absolute(table.file()).parent_path().string());
    placed(table, table.place_of(key.source()), [&] {
      set_key(arm, "environment." + name, {Json(value), arm.place});
      return true;
    });
  }
}

void check_arm_name(const TomlTable& table, const std::string& name, const Place& place) {
  if (name.empty() ||
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") !=
          std::string::npos)
    table.fail(place,
               "an arm cannot be called " + parity::quoted(name) + "; use letters, digits, '_', '-' and '.'");
}

Arm read_arm(const TomlTable& table, const std::string& name, const Place& place) {
  Arm arm;
  arm.name = name;
  arm.place = place;
  arm.command = table.strings("command");
  arm.inputs = table.strings("inputs");
  read_program(table, arm);
  read_environment(table, arm);
  arm.names = read_names(table);
  arm.ranks = static_cast<int>(std::clamp<int64_t>(table.integer("ranks", 1), 0, most_ranks + 1));
  if (arm.ranks < 1 || arm.ranks > most_ranks)
    table.fail(table.place_of("ranks"), "'ranks' must be from 1 to " + std::to_string(most_ranks));
  arm.states_ranks = table.has("ranks");
  arm.launch = read_launch(table, arm);
  if (table.has("command"))
    check_command_arm(table, arm);
  if (!arm.is_command())
    for (const char* key : {"inputs", "names", "ranks"})
      if (table.has(key))
        table.fail(table.place_of(key),
                   fmt::format("'{}' belongs to arms with a command; arm '{}' has no command", key, name));
  const bool takes_dtype = std::any_of(arm.command.begin(), arm.command.end(), [](const std::string& word) {
    return word.find("{dtype}") != std::string::npos;
  });
  arm.float64 = table.boolean("float64", !arm.is_command() || takes_dtype);
  arm.config = flatten(table, arm_keys());
  return arm;
}

/// Reads the arms in the order of the file. toml++ sorts keys, but keeps their positions.
std::vector<Arm> read_arms(const TomlTable& file, const std::optional<operators::Problem>& problem) {
  const TomlTable table = file.table("arms", "arms");
  std::vector<Arm> arms;
  for (const auto& [key, node] : table.raw()) {
    const std::string name(key.str());
    const TomlTable arm = table.table(name, "arm '" + name + "'");
    const Place place = table.place_of(key.source());
    check_arm_name(table, name, place);
    arms.push_back(problem ? read_operator_arm(arm, name, place, *problem) : read_arm(arm, name, place));
  }
  std::sort(arms.begin(), arms.end(), [](const Arm& a, const Arm& b) {
    return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
  });
  if (arms.empty())
    file.fail(file.place(), "the case has no arms; add [arms.NAME] tables (two, to compare)");
  return arms;
}

void read_checks(Case& result, const TomlTable& file, const std::vector<std::string>& arms) {
  const toml::node* node = file.raw().get("checks");
  if (!node || !node->is_array_of_tables())
    file.fail(file.place_of("checks"), "the case has no checks; add a [[checks]] table");
  std::vector<std::string> ordered = {result.reference};  // the reference first
  std::copy_if(arms.begin(), arms.end(), std::back_inserter(ordered),
               [&](const std::string& name) { return name != result.reference; });
  for (const toml::node& element : *node->as_array()) {
    const TomlTable table(*element.as_table(), file.file(), "check");
    for (compare::Check& check : read_checks(table, ordered)) {
      if (check.against == compare::Against::golden)
        require_arms(table, "arms", check.arms, result.golden.arms);
      result.checks.push_back(std::move(check));
      result.check_places.push_back(table.place());
    }
  }
}

/// Reads the problem of an operator case, which has no config and no capture of its own.
std::optional<operators::Problem> read_operator(const TomlTable& file) {
  if (!file.has("operator"))
    return std::nullopt;
  for (const char* key : {"base", "capture"})
    if (file.has(key))
      file.fail(file.place_of(key),
                fmt::format("'{}' is for cases of training; an operator case has [operator]", key));
  const TomlTable table = file.table("operator", "operator");
  table.allow_only(
      {"inputs", "dtype", "sweep", "sample", "outputs", "batch", "length", "exact", "exact_arguments"});
  return read_problem(table);
}

void read_capture(Case& result, const TomlTable& table) {
  table.allow_only({"steps", "phases", "names", "replay"});
  result.capture.steps = table.integers("steps");
  result.capture.phases = read_phases(table, {});
  if (table.has("names"))
    result.capture.names = table.strings("names");
  result.capture.replay = table.boolean("replay", false);
  for (const char* key : {"phases", "names"})
    if (table.has(key) && result.capture.steps.empty())
      table.fail(table.place_of(key),
                 "[capture] lists no steps, so no tensor would be recorded; add steps = [1]");
}

void read_golden_table(Case& result, const TomlTable& table, const std::vector<std::string>& arms) {
  table.allow_only({"arms"});
  result.golden.arms = table.has("arms") ? table.strings("arms") : arms;
  result.golden.states_none = result.golden.arms.empty();
  require_arms(table, "arms", result.golden.arms, arms);
}

/// Reads the environment of Python. Its path counts from the folder of the case.
void read_python(Case& result, const TomlTable& table) {
  table.allow_only({"venv", "make", "packages"});
  if (const std::string venv = table.string("venv"); !venv.empty())
    result.python.interpreter =
        (fs::absolute(table.file()).parent_path() / venv / "bin" / "python").lexically_normal();
  result.python.make = table.string("make");
  if (table.has("packages"))
    result.python.packages = table.strings("packages");
  for (const Arm& arm : result.arms)
    for (const std::string& word : arm.command)
      if (word.find("{python}") != std::string::npos && result.python.interpreter.empty() && !arm.is_operator)
        table.fail(arm.place, fmt::format("the command of arm '{}' uses {{python}}, and the case has no "
                                          "virtual environment; add [python] with venv = \"FOLDER\"",
                                          arm.name));
}

/// Sets the name of a case: lr/warmup for cases/lr/warmup.toml.
void name_case(Case& result, const fs::path& file) {
  const fs::path absolute = fs::absolute(file).lexically_normal();
  const fs::path folder = cases_folder_of(absolute);
  result.file = file;
  result.golden_file = golden_file_of(file);
  result.name = folder.empty() ? file.stem().string()
                               : absolute.lexically_relative(folder).replace_extension("").generic_string();
}

/// Returns the case in a folder `cases` next to this file that has the same golden; empty if there is none.
/// golden/x.h5 belongs to cases/x.toml, or to x.toml if `cases` has no x.toml.
fs::path case_with_same_golden(const fs::path& file) {
  const fs::path absolute = fs::absolute(file).lexically_normal();
  const fs::path other = absolute.parent_path() / "cases" / absolute.filename();
  std::error_code error;
  return cases_folder_of(absolute).empty() && fs::exists(other, error) ? other : fs::path();
}

}  // namespace

Case parse_case(std::string_view text, const fs::path& file) {
  if (most_key_parts(text) > longest_dotted_key)
    throw UserError(
        fmt::format("{}: a dotted key has more than {} parts (no key of a case is that long); shorten it",
                    file.string(), longest_dotted_key));
  toml::table parsed;
  try {
    parsed = toml::parse(text, file.string());
  } catch (const toml::parse_error& error) {
    const Place place{file.string(), error.source().begin.line, error.source().begin.column};
    const std::string why(error.description());
    const bool cut =
        why.find("unescaped control characters") != std::string::npos;  // a line break in a string
    throw UserError(
        fmt::format("{}: not TOML ({}){}", place.text(), why, cut ? "; is a closing quote missing?" : ""));
  }
  const TomlTable table(parsed, file.string(), "case");
  table.allow_only(case_keys);
  Case result;
  name_case(result, file);
  result.title = table.string("title", result.name);
  result.question = table.string("question");
  result.source = table.string("source");
  result.tags = table.strings("tags");
  const std::string profile = table.string("profile", std::string(name_of(Profile::portable)));
  result.profile = placed(table, table.place_of("profile"), [&] { return parse_enum<Profile>(profile); });
  result.timeout_seconds = table.number("timeout_seconds", 300);
  if (!(result.timeout_seconds > 0) || !std::isfinite(result.timeout_seconds))
    table.fail(table.place_of("timeout_seconds"), "'timeout_seconds' must be more than 0");
  check_base(table.table("base", "base config"));
  result.base = flatten(table.table("base", "base config"));
  result.problem = read_operator(table);
  result.arms = read_arms(table, result.problem);
  std::vector<std::string> names;
  for (const Arm& arm : result.arms)
    names.push_back(arm.name);
  result.reference = table.string("reference", names.front());
  require_arms(table, "reference", {result.reference}, names);
  read_python(result, table.table("python", "python table"));
  if (result.problem)
    add_exact_arm(result, table.table("operator", "operator"));
  read_capture(result, table.table("capture", "capture table"));
  read_golden_table(result, table.table("golden", "golden table"), names);
  if (result.problem)
    read_operator_checks(result, table, names);
  else
    read_checks(result, table, names);
  return result;
}

Case read_case(const fs::path& file) {
  if (!is_utf8(file.string()))
    throw UserError(fmt::format("cannot use case file {} (its name is not UTF-8); rename it",
                                escape_for_terminal(file.string())));
  if (const fs::path other = case_with_same_golden(file); !other.empty())
    throw UserError(
        fmt::format("cannot use case file {} (its golden {} is also that of {}); rename one of them",
                    escape_for_terminal(file.string()), escape_for_terminal(golden_file_of(file).string()),
                    escape_for_terminal(other.string())));
  return parse_case(read_file(file, largest_case), file);
}

}  // namespace parity::suite
