// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/cases/operators/arms.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "harness/base/processes/process.hpp"
#include "harness/base/processes/python_package.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/nearest.hpp"
#include "harness/operators/problem/formula_names.hpp"
#include "harness/suite/cases/operators/problem.hpp"
#include "harness/suite/cases/read/arm_settings.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

const std::vector<std::string> operator_arm_keys = {
    "python",    "operator", "library",     "symbol", "signature", "backward", "backward_signature",
    "arguments", "threads",  "environment", "inputs", "float64",   "grad"};

void set(Arm& arm, const std::string& key, Json value) {
  arm.config[key] = {std::move(value), arm.place};
}

/// Returns the file of "FILE.py:FUNCTION"; "" for "MODULE:FUNCTION".
std::string source_of(const std::string& callable) {
  const std::string source = callable.substr(0, callable.rfind(':'));
  return source.ends_with(".py") ? source : "";
}

/// Adds the runner's own sources, and the library that draws its inputs, to what a Python arm depends on.
void add_package_files(Arm& arm) {
  std::error_code error;
  const fs::path build = fs::read_symlink("/proc/self/exe", error).parent_path().parent_path();
  if (const fs::path library = build / "lib/libparity-operators.so"; fs::exists(library, error))
    arm.inputs.push_back(library.string());
  const fs::path folder = fs::path(python_package_folder()) / "parity" / "operators";
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".py")
      arm.inputs.push_back(entry.path().string());
  std::ranges::sort(arm.inputs);
}

void read_python_arm(const TomlTable& table, Arm& arm) {
  const std::string callable = table.string("python");
  if (callable.find(':') == std::string::npos)
    table.fail(table.place_of("python"),
               "'python' names a function: python = \"FILE.py:FUNCTION\" or \"MODULE:FUNCTION\"");
  if (const std::string file = source_of(callable); !file.empty()) {
    const fs::path path = fs::absolute(table.file()).parent_path() / file;
    std::error_code error;
    if (!fs::is_regular_file(path, error))
      table.fail(table.place_of("python"), "there is no " + escape_to_line(file) + " beside the case");
    arm.inputs.push_back(file);
  }
  arm.command = {"{python}", "-m", "parity.operators", "{case_dir}"};
  add_package_files(arm);
  set(arm, "operator.python", callable);
}

void read_library_arm(const TomlTable& table, Arm& arm) {
  arm.command = {"{parity-operator}", "{case_dir}"};
  if (table.has("library")) {
    arm.inputs.push_back(table.string("library"));
    set(arm, "operator.library", table.string("library"));
  }
  for (const char* key : {"operator", "symbol", "signature", "backward", "backward_signature"})
    if (table.has(key))
      set(arm, std::string("operator.") + (std::string_view(key) == "operator" ? "name" : key),
          table.string(key));
  if (!table.has("symbol"))
    return;
  for (const char* key : {"library", "signature"})
    if (!table.has(key))
      table.fail(table.place_of("symbol"), fmt::format("a C function needs '{}'", key));
  if (table.has("backward") != table.has("backward_signature"))
    table.fail(table.place_of("backward"), "'backward' and 'backward_signature' need each other");
  arm.float64 = false;
}

/// Requires exactly one way to name a function.
void check_one_way(const TomlTable& table, const std::string& name) {
  std::vector<std::string> ways;
  for (const char* key : {"python", "operator", "symbol"})
    if (table.has(key))
      ways.emplace_back(key);
  if (ways.size() != 1)
    table.fail(table.place(),
               fmt::format("arm '{}' names {}; give one of python, operator, or symbol with library", name,
                           ways.empty() ? "no function" : "several functions"));
  for (const char* key : {"signature", "backward", "backward_signature"})
    if (table.has(key) && !table.has("symbol"))
      table.fail(table.place_of(key), fmt::format("'{}' belongs to arms with a symbol", key));
  if (table.has("library") && table.has("python"))
    table.fail(table.place_of("library"), "'library' belongs to arms with an operator or a symbol");
}

/// Gives an arm its problem. Its run then depends on the files that hold inputs.
void add_problem(Arm& arm, const operators::Problem& problem) {
  arm.is_operator = true;
  for (const operators::Input& input : problem.inputs)
    for (const operators::TensorSpec& tensor : input.tensors)
      if (!tensor.file.empty() && std::ranges::find(arm.inputs, tensor.file) == arm.inputs.end())
        arm.inputs.push_back(tensor.file);
  set(arm, "operator.problem", problem.to_json());
  set(arm, "steps", problem.points.size());
}

/// Checks that each argument is an input, or a value.
void read_arguments(const TomlTable& table, Arm& arm) {
  if (!table.has("arguments"))
    return;
  const Json arguments = json_of(table, "arguments");
  if (!arguments.is_object())
    table.fail(table.place_of("arguments"),
               "'arguments' is a table: arguments = {input = \"x\", eps = 1e-6}");
  set(arm, "operator.arguments", arguments);
}

/// Returns the interpreter of a case without [python]: that of PARITY_PYTHON, else python3 of the path.
std::string default_python() {
  const char* named = std::getenv("PARITY_PYTHON");
  std::string name = named != nullptr && *named != '\0' ? named : "python3";
  try {
    return find_program(name);
  } catch (const UserError&) {
    return name;  // the run says that there is none
  }
}

/// Reads the names by which a formula knows the inputs, and its other parameters.
Json exact_arguments(const TomlTable& table, const operators::Problem& problem) {
  Json arguments = table.has("exact_arguments") ? json_of(table, "exact_arguments") : Json::object();
  if (!arguments.is_object())
    table.fail(table.place_of("exact_arguments"),
               "'exact_arguments' is a table: {x = \"input\", eps = 1e-6}");
  if (arguments.empty())
    for (const operators::Input& input : problem.inputs)
      arguments[input.name] = input.name;
  return arguments;
}

}  // namespace

Arm read_operator_arm(const TomlTable& table, const std::string& name, const Place& place,
                      const operators::Problem& problem) {
  table.allow_only(operator_arm_keys);
  if (name == exact_arm_name)
    table.fail(place, "the name 'exact' is that of the exact reference; rename the arm");
  check_one_way(table, name);
  Arm arm;
  arm.name = name;
  arm.place = place;
  arm.inputs = table.strings("inputs");
  if (table.has("python"))
    read_python_arm(table, arm);
  else
    read_library_arm(table, arm);
  arm.float64 = table.boolean("float64", arm.float64);
  if (!table.boolean("grad", true))
    set(arm, "operator.grad", false);
  if (table.has("threads"))
    set(arm, "threads", table.integer("threads", 1));
  const TomlTable variables = table.table("environment", "environment");
  for (const auto& [key, node] : variables.raw()) {
    const std::string variable(key.str());
    placed(table, table.place_of("environment"), [&] {
      set_key(arm, "environment." + variable, {Json(variables.string(variable)), arm.place});
      return true;
    });
  }
  read_arguments(table, arm);
  add_problem(arm, problem);
  return arm;
}

void add_exact_arm(Case& result, const TomlTable& table) {
  const std::string exact = table.string("exact");
  if (result.python.interpreter.empty())
    result.python.interpreter = default_python();
  if (table.has("exact_arguments") && exact.empty())
    table.fail(table.place_of("exact_arguments"), "'exact_arguments' needs exact = \"FORMULA\"");
  if (exact.empty())
    return;
  Arm arm;
  arm.name = exact_arm_name;
  arm.place = table.place_of("exact");
  arm.float64 = false;
  if (exact.find(':') != std::string::npos) {
    arm.command = {"{python}", "-m", "parity.operators.exact", "{case_dir}"};
    if (const std::string file = source_of(exact); !file.empty())
      arm.inputs.push_back(file);
    add_package_files(arm);
  } else {
    const std::vector<std::string> known = operators::formula_names();
    if (std::ranges::find(known, exact) == known.end())
      table.fail(table.place_of("exact"),
                 "there is no exact formula " + parity::quoted(exact) + suggestion(exact, known));
    arm.command = {"{parity-exact}"};
  }
  set(arm, "operator.exact", exact);
  set(arm, "operator.arguments", exact_arguments(table, *result.problem));
  add_problem(arm, *result.problem);
  result.arms.push_back(std::move(arm));
}

Case with_problem(Case source, operators::Problem problem) {
  for (Arm& arm : source.arms)
    add_problem(arm, problem);
  source.problem = std::move(problem);
  return source;
}

}  // namespace parity::suite
