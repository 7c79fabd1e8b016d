// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/plan/launcher_program.hpp"

#include <string>

#include <fmt/format.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/base/processes/process.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/suite/plan/launch_rules.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

bool is_program(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

/// Returns the path of a program; empty if PATH has none.
fs::path program_in_path(const std::string& name) {
  try {
    return find_program(name);
  } catch (const UserError&) {
    return {};
  }
}

std::string where_from(Launcher launcher) {
  switch (launcher) {
    case Launcher::torchrun:
      return "PyTorch has it: name a virtual environment in [python] of the case, or add its folder bin to "
             "PATH";
    case Launcher::mpirun:
      return "install Open MPI (Debian: openmpi-bin), or load its module";
    case Launcher::srun:
      return "run on a machine of a Slurm cluster";
    case Launcher::local:
    case Launcher::external:
    case Launcher::remote:
      break;
  }
  return "install it, or correct launcher_options";
}

}  // namespace

fs::path launcher_program(const PlannedRun& run) {
  if (run.launch.is_local() || run.launch.starts_itself())
    return {};
  const bool by_options =
      run.launch.launcher == Launcher::external || run.launch.launcher == Launcher::remote;
  const std::string name = by_options ? expand_launch_words(run.launch, run.ranks).front()
                                      : std::string(name_of(run.launch.launcher));
  if (run.launch.launcher == Launcher::torchrun && !run.python.interpreter.empty())
    if (const fs::path beside = run.python.interpreter.parent_path() / name; is_program(beside))
      return beside;
  if (const fs::path program = program_in_path(name); is_program(program))
    return program;
  throw UserError(
      fmt::format("cannot start {} with launcher {} (program {} not found); {}", run.label,
                  name_of(run.launch.launcher), escape_to_line(name), where_from(run.launch.launcher)),
      ExitCode::missing);
}

}  // namespace parity::suite
