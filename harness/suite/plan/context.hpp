// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "harness/base/json/json.hpp"
#include "harness/suite/plan/identity/content_hash.hpp"
#include "harness/suite/plan/identity/inherited_environment.hpp"
#include "harness/suite/plan/identity/machine.hpp"

namespace parity::suite {

/// The facts about machine and trainer that a plan depends on.
struct PlanContext {
  std::filesystem::path trainer;
  std::filesystem::path schema_file;  ///< read only if an arm runs the trainer
  Json cpu = Json::object();
  Json gpus = Json::object();    ///< from gpu_facts()
  Environment environment = {};  ///< the variables that every run inherits
  /// Return the hash of a program with its libraries, and of a file or folder. plan_context() uses
  /// ContentHashes; tests may use others.
  std::function<std::string(const std::filesystem::path&)> hash_program;
  std::function<std::string(const std::filesystem::path&)> hash_file;
  /// Returns the packages that a Python can import, given variables of its own (python_packages.hpp). Not
  /// set: packages do not count.
  std::function<Json(const std::string& python, const std::map<std::string, std::string>& environment)>
      packages_of = {};
  Json site = nullptr;  ///< see Machine
};

/// Returns the context of a machine and of a trainer with its schema file next to it.
/// \param hashes  must outlive the returned context
PlanContext plan_context(const std::filesystem::path& trainer, ContentHashes& hashes,
                         const Machine& machine = this_machine());

}  // namespace parity::suite
