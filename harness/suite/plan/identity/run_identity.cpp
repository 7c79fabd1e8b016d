// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/plan/identity/run_identity.hpp"

#include <set>
#include <utility>

#include "harness/base/error.hpp"
#include "harness/base/files/data_names.hpp"
#include "harness/suite/cases/profile.hpp"
#include "harness/suite/plan/command_words.hpp"
#include "harness/suite/plan/identity/command_identity.hpp"
#include "harness/suite/plan/identity/content_hash.hpp"
#include "harness/suite/plan/identity/input_paths.hpp"
#include "harness/suite/plan/identity/python_packages.hpp"
#include "harness/suite/plan/launcher_program.hpp"
#include "harness/suite/plan/rank_environment.hpp"
#include "harness/suite/plan/traces_read.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

/// Returns what decides the bits of a run on GPUs, in addition to its program: the plug-in that the program
/// opens (its libraries come with those of the program), the devices and their driver.
Json cuda_identity(const PlanContext& context) {
  const fs::path plugin = context.trainer.parent_path() / "libparity-cuda.so";
  return {{"gpus", context.gpus}, {"plugin", fs::exists(plugin) ? context.hash_file(plugin) : ""}};
}

/// Returns the hash of the library with which parity-train reads Parquet files; "" if it is not there.
std::string parquet_identity(const PlanContext& context) {
  const fs::path library = context.trainer.parent_path() / "libparity-parquet.so";
  return fs::exists(library) ? context.hash_file(library) : "";
}

/// Returns the hash of the program that starts the ranks; "" if it is not there, and such a run fails.
std::string launcher_identity(const PlanContext& context, const PlannedRun& run) {
  try {
    const fs::path program = launcher_program(run);
    return program.empty() ? "" : context.hash_program(program);
  } catch (const UserError&) {
    return "";
  }
}

/// Returns the surroundings in which a run starts. Runs with different surroundings are different runs;
/// goldens and stored evidence do not depend on them.
Json surroundings_of(const PlanContext& context, const Case& source, const PlannedRun& run) {
  std::set<std::string> unseen = launcher_variables(run);
  if (!run.is_command())
    unseen.insert("PATH");  // parity-train starts no program
  Json around = {{"environment", identity_of_environment(context.environment, unseen, context.hash_file)}};
  if (!context.site.is_null())
    around["site"] = context.site;
  if (!run.launch.is_local())
    around["launcher"] = launcher_identity(context, run);
  if (!run.is_command())
    return around;
  around["config"] = run.config;  // a foreign trainer may use keys that do not change parity-train's numbers
  if (run.cacheable) {
    const std::vector<std::string> argv = expand_case_words(run);
    around["command"] = command_identity(argv, context.hash_program, context.hash_file);
    if (const std::string python = python_of(argv); !python.empty() && context.packages_of)
      around["packages"] = context.packages_of(python, run.environment);
  } else
    around["case"] = content_hash(fs::absolute(source.file).lexically_normal().string());
  return around;
}

}  // namespace

Json run_identity(const PlanContext& context, const ConfigSchema* schema, const Case& source, const Arm& arm,
                  const PlannedRun& run) {
  Json numeric = Json::object();
  Json inputs = Json::object();
  bool reads_parquet = text_of(run.config, "data.format") == "parquet";
  for (const auto& [key, value] : run.config) {
    const auto known =
        schema ? schema->keys().find(key) : std::map<std::string, ConfigSchema::Key>::const_iterator();
    const bool counts = !schema || known == schema->keys().end() || known->second.numeric;
    // A restart must not change bits, which its check proves. So it never shares the run without a restart.
    // So do replayed routes: `traces` identifies those of another arm, `inputs` those of a file.
    if (counts || key.starts_with("checkpoint.") || key == replay_key)
      numeric[key] = value;
    for (const InputPath& input : input_paths(key, value)) {
      inputs[input.name] = context.hash_file(input.path);
      reads_parquet = reads_parquet || is_parquet_name(input.path.string());
    }
  }
  for (const std::string& input : arm.inputs)
    inputs[input] = context.hash_file(run.case_folder / input);
  const std::string device = text_of(run.config, "device");
  Json identity = {{"config", std::move(numeric)},
                   {"dtype", run.dtype},
                   {"ranks", run.ranks},
                   {"profile", name_of(run.profile)},
                   {"device", device.empty() ? "cpu" : device},
                   {"inputs", std::move(inputs)},
                   {"cpu", context.cpu},
                   {"traces", run.trace_of},
                   {"names", run.names},
                   {"environment", profile_environment(run.profile, run.threads)}};
  if (!run.has_rank_variables)
    identity["rank_variables"] = false;
  if (!run.launch.is_plain())
    identity["launch"] = run.launch.to_json();
  if (!run.span.is_whole())
    identity["span"] = run.span.to_json();
  if (!arm.faults.empty())
    identity["faults"] = trace::to_json(arm.faults);
  if (run.is_command())
    identity["command"] = run.command;
  else
    identity["program"] = context.hash_program(run.program.empty() ? context.trainer : run.program);
  if (!run.environment.empty())
    identity["variables"] = run.environment;
  if (identity["device"] == "cuda")
    identity["cuda"] = cuda_identity(context);
  if (reads_parquet && !run.is_command())
    identity["parquet"] = parquet_identity(context);
  if (!run.cacheable)
    identity["arm"] = source.name + " " + arm.name;  // never shared: nothing is known of its inputs
  identity["surroundings"] = surroundings_of(context, source, run);
  return identity;
}

std::string resolved_digest(Json identity, const ConfigSchema* schema) {
  for (const char* key : {"program", "cpu", "cuda", "parquet", "traces", "surroundings"})
    identity.erase(key);
  Json& config = identity["config"];
  for (const auto& [key, content] : identity["inputs"].items())
    config.erase(key_of_input(key));  // a file counts by its content, not by its path
  if (schema)
    for (const auto& [name, key] : schema->keys())
      if (const auto found = config.find(name); found != config.end() && *found == key.default_value)
        config.erase(found);
  return content_hash(identity.dump());
}

}  // namespace parity::suite
