// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/base/enum_names.hpp"
#include "harness/base/json/json.hpp"

namespace parity::suite {

/// The program that starts the ranks of an arm. Case key `launcher`: cases/README.md.
enum class Launcher {
  local,     ///< parity itself, as processes of one machine
  torchrun,  ///< of PyTorch: one agent a node
  mpirun,    ///< of Open MPI, or of MPICH on one node
  srun,      ///< of Slurm
  external,  ///< another program, whose words are the options; or the arm's command, which starts its own
             ///< ranks
  remote,    ///< parity, by a remote shell: the options start a command on one of the hosts
};

constexpr auto enum_names(Launcher) {
  return named<Launcher::remote>("launcher", {"local", "torchrun", "mpirun", "srun", "external", "remote"});
}

/// How the ranks of an arm start. It must not change what they compute.
struct Launch {
  Launcher launcher = Launcher::local;
  int nodes = 1;           ///< machines; torchrun outside a job of Slurm starts all agents on this one
  int ranks_per_node = 0;  ///< 0: not stated
  std::vector<std::string> options;  ///< words of the case for the launcher
  /// Folder of each machine in which the ranks write their traces, until they are moved to the folder of the
  /// run; "": they write them there.
  std::string local_traces = {};
  /// Whether all machines see the folder of the run. If not, parity serves it to them, and the ranks use
  /// `local_traces`.
  bool shared_folder = true;
  std::vector<std::string> hosts = {};  ///< of a remote launcher, one for each node

  bool operator==(const Launch&) const = default;
  bool is_local() const { return launcher == Launcher::local; }
  /// Returns whether nothing is stated: parity starts the ranks, which write to the run's folder.
  bool is_plain() const { return *this == Launch(); }
  /// Returns whether the arm's command starts its ranks by itself.
  bool starts_itself() const { return launcher == Launcher::external && options.empty(); }
  Json to_json() const;
};

/// Returns the launch of to_json(). \throws Json::exception, or UserError for an unknown launcher
Launch launch_from_json(const Json& json);

/// Returns the keys of an arm that describe its launch.
const std::vector<std::string>& launch_keys();

/// Sets the launch by the value of one of launch_keys().
/// \throws UserError for a value of another type, an unknown launcher, a number out of range, or an option
///         that would contradict the arm's numbers
void set_launch_key(Launch& launch, const std::string& key, const Json& value);

/// Gives one of launch_keys() its default.
void reset_launch_key(Launch& launch, const std::string& key);

/// Returns the value of one of launch_keys(); null where it has its default.
Json launch_value(const Launch& launch, const std::string& key);

/// Checks that the keys of a launch fit together. \throws UserError
/// \param of_command  whether the arm has a command
void check_launch(const Launch& launch, bool of_command);

}  // namespace parity::suite
