// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/plan/context.hpp"

#include <map>

#include "harness/suite/plan/identity/python_packages.hpp"

namespace parity::suite {
namespace fs = std::filesystem;

PlanContext plan_context(const fs::path& trainer, ContentHashes& hashes, const Machine& machine) {
  PlanContext context;
  context.trainer = trainer;
  context.schema_file = trainer;
  context.schema_file += ".schema.json";
  context.cpu = machine.cpu;
  context.gpus = machine.gpus;
  context.site = machine.site;
  context.environment = inherited_environment();
  context.hash_program = [&hashes](const fs::path& file) { return hashes.of_program(file); };
  context.hash_file = [&hashes](const fs::path& file) { return hashes.of_path(file); };
  context.packages_of = [known = std::map<Json, Json>(), hash_file = context.hash_file](
                            const std::string& python,
                            const std::map<std::string, std::string>& environment) mutable {
    const auto [place, is_new] = known.try_emplace(Json{python, environment});
    if (is_new)
      place->second = python_packages(python, environment, hash_file);
    return place->second;
  };
  return context;
}

}  // namespace parity::suite
