// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/cases/launch.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/json/fields.hpp"
#include "harness/base/text/escape_for_terminal.hpp"

namespace parity::suite {
namespace {

constexpr int64_t most_nodes = 1024;

/// Options of launchers that set the numbers of nodes and ranks, which the case states itself.
constexpr auto counting_options = std::to_array<std::string_view>(
    {"--nnodes", "--nproc-per-node", "--nproc_per_node", "--node-rank", "--node_rank", "--standalone",
     "--no-python", "--no_python", "-np", "-n", "--np", "-N", "--map-by", "--npernode", "-npernode",
     "--nodes", "--ntasks", "--ntasks-per-node"});

const std::array<std::string, 7> keys = {
    "launcher", "nodes", "ranks_per_node", "launcher_options", "local_traces", "shared_folder", "hosts"};

int count_of(const std::string& key, const Json& value) {
  if (!value.is_number_integer() || value.get<int64_t>() < 1 || value.get<int64_t>() > most_nodes)
    throw UserError(fmt::format("'{}' must be an integer from 1 to {}, not {}", key, most_nodes,
                                escape_to_line(value.dump())));
  return value.get<int>();
}

std::vector<std::string> strings_of(const std::string& key, const Json& value) {
  const bool is_list =
      value.is_array() && std::ranges::all_of(value, [](const Json& word) { return word.is_string(); });
  if (!is_list)
    throw UserError(fmt::format("'{0}' must be a list of strings: {0} = [\"{1}\"]", key,
                                key == "hosts" ? "node-a\", \"node-b" : "--verbose"));
  return value.get<std::vector<std::string>>();
}

std::string folder_of(const Json& value) {
  if (!value.is_string() || !value.get<std::string>().starts_with('/'))
    throw UserError(fmt::format(
        "'local_traces' must be the absolute path of a folder that every node has, not {}: local_traces = "
        "\"/tmp\"",
        escape_to_line(value.dump())));
  return value.get<std::string>();
}

/// Refuses a remote launcher without hosts or a shell, and hosts that nobody uses.
void check_hosts(const Launch& launch) {
  const bool remote = launch.launcher == Launcher::remote;
  if (!remote && !launch.hosts.empty())
    throw UserError(
        "'hosts' needs launcher = \"remote\" (other launchers find their machines themselves); set it, or "
        "name "
        "the hosts in launcher_options");
  if (!remote)
    return;
  if (launch.hosts.empty())
    throw UserError(
        "launcher = \"remote\" needs 'hosts' (a name for each node); set hosts = [\"node-a\", \"node-b\"]");
  const bool names_host = std::ranges::any_of(
      launch.options, [](const std::string& word) { return word.find("{host}") != std::string::npos; });
  if (!names_host)
    throw UserError(
        "launcher = \"remote\" needs 'launcher_options' with {host} (the remote shell of a rank); set "
        "launcher_options = [\"ssh\", \"{host}\", \"{command}\"]");
  if (launch.nodes != 1 && static_cast<size_t>(launch.nodes) != launch.hosts.size())
    throw UserError(fmt::format("cannot start {} nodes on {} hosts (a node is a host); leave 'nodes' out",
                                launch.nodes, launch.hosts.size()));
}

/// Refuses what parity cannot serve to machines that do not see the folder of the run.
void check_folder(const Launch& launch) {
  if (launch.shared_folder)
    return;
  if (launch.starts_itself())
    throw UserError(
        "cannot serve the folder of a run to a command that starts its own ranks (parity does not start "
        "them, "
        "so they do not know where it is); let a launcher start the ranks, with launcher_options");
  if (launch.local_traces.empty())
    throw UserError(
        "'shared_folder = false' needs 'local_traces' (the ranks need a folder of their machine); set "
        "local_traces = \"/tmp\"");
}

/// Refuses an option that counts nodes or ranks. An external launcher has no other place for them.
void check_options(const Launch& launch) {
  if (launch.launcher == Launcher::external || launch.launcher == Launcher::remote)
    return;
  for (const std::string& word : launch.options)
    if (std::ranges::find(counting_options, std::string_view(word).substr(0, word.find('='))) !=
        counting_options.end())
      throw UserError(fmt::format(
          "cannot give {} the option {} (parity sets it from the ranks of the arm); set 'nodes' and "
          "'ranks_per_node', or 'ranks' of a command",
          name_of(launch.launcher), parity::quoted(word)));
}

}  // namespace

Json Launch::to_json() const {
  Json json = {{"launcher", name_of(launcher)},
               {"nodes", nodes},
               {"ranks_per_node", ranks_per_node},
               {"options", options}};
  if (!local_traces.empty())
    json["local_traces"] = local_traces;
  if (!shared_folder)
    json["shared_folder"] = false;
  if (!hosts.empty())
    json["hosts"] = hosts;
  return json;
}

Launch launch_from_json(const Json& json) {
  Launch launch;
  launch.launcher = parse_enum<Launcher>(json.at("launcher").get<std::string>());
  json.at("nodes").get_to(launch.nodes);
  json.at("ranks_per_node").get_to(launch.ranks_per_node);
  json.at("options").get_to(launch.options);
  launch.local_traces = text_or(json, "local_traces");
  launch.shared_folder = json.value("shared_folder", true);
  launch.hosts = json.value("hosts", std::vector<std::string>());
  return launch;
}

const std::vector<std::string>& launch_keys() {
  static const std::vector<std::string> all(keys.begin(), keys.end());
  return all;
}

void set_launch_key(Launch& launch, const std::string& key, const Json& value) {
  if (key == "launcher") {
    if (!value.is_string())
      throw UserError("'launcher' must be a string: launcher = \"torchrun\"");
    launch.launcher = parse_enum<Launcher>(value.get<std::string>());
  } else if (key == "nodes") {
    launch.nodes = count_of(key, value);
  } else if (key == "local_traces") {
    launch.local_traces = folder_of(value);
  } else if (key == "shared_folder") {
    if (!value.is_boolean())
      throw UserError("'shared_folder' must be true or false: shared_folder = false");
    launch.shared_folder = value.get<bool>();
  } else if (key == "ranks_per_node") {
    launch.ranks_per_node = count_of(key, value);
  } else {
    (key == "hosts" ? launch.hosts : launch.options) = strings_of(key, value);
  }
}

void reset_launch_key(Launch& launch, const std::string& key) {
  if (key == "launcher")
    launch.launcher = Launch().launcher;
  else if (key == "nodes")
    launch.nodes = Launch().nodes;
  else if (key == "ranks_per_node")
    launch.ranks_per_node = Launch().ranks_per_node;
  else if (key == "local_traces")
    launch.local_traces.clear();
  else if (key == "shared_folder")
    launch.shared_folder = Launch().shared_folder;
  else if (key == "hosts")
    launch.hosts.clear();
  else
    launch.options.clear();
}

Json launch_value(const Launch& launch, const std::string& key) {
  static const Launch plain;
  if (key == "launcher")
    return launch.is_local() ? Json() : Json(name_of(launch.launcher));
  if (key == "nodes")
    return launch.nodes == plain.nodes ? Json() : Json(launch.nodes);
  if (key == "ranks_per_node")
    return launch.ranks_per_node == plain.ranks_per_node ? Json() : Json(launch.ranks_per_node);
  if (key == "local_traces")
    return launch.local_traces.empty() ? Json() : Json(launch.local_traces);
  if (key == "shared_folder")
    return launch.shared_folder ? Json() : Json(false);
  if (key == "hosts")
    return launch.hosts.empty() ? Json() : Json(launch.hosts);
  return launch.options.empty() ? Json() : Json(launch.options);
}

void check_launch(const Launch& launch, bool of_command) {
  if (launch.is_local())
    for (const std::string& key : {keys[1], keys[2], keys[3], keys[5], keys[6]})
      if (!launch_value(launch, key).is_null())
        throw UserError(fmt::format(
            "'{0}' needs a launcher (parity itself starts all ranks on one machine); set launcher = "
            "\"torchrun\", \"mpirun\", \"srun\", \"external\" or \"remote\". A key {0} of your program "
            "belongs in a "
            "table: "
            "options.{0} = ...",
            key));
  if (launch.starts_itself() && !of_command)
    throw UserError(
        "launcher = \"external\" needs 'launcher_options' (parity-train starts no ranks by itself); give the "
        "words of the program that starts them, such as [\"flux\", \"run\", \"-n\", \"{ranks}\"]");
  if (launch.starts_itself() && launch.nodes > 1 && !launch.local_traces.empty())
    throw UserError(
        "cannot collect 'local_traces' of a command that starts its own ranks on several nodes (parity is "
        "not there when they end); let a launcher start the ranks, or leave local_traces out");
  check_hosts(launch);
  check_folder(launch);
  check_options(launch);
}

}  // namespace parity::suite
