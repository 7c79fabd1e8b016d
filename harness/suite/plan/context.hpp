// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "harness/base/json.hpp"
#include "harness/suite/plan/content_hash.hpp"
#include "harness/suite/plan/inherited_environment.hpp"

namespace parity {

/// What planning must know of the machine and the trainer.
struct PlanContext {
  std::filesystem::path trainer;
  std::filesystem::path schema_file;  ///< read only if an arm runs the trainer
  Json cpu = Json::object();
  Json gpus = Json::object();    ///< gpu_facts
  Environment environment = {};  ///< what every run inherits
  /// Hash of a program with its libraries, and of a file or folder; ContentHashes in earnest.
  std::function<std::string(const std::filesystem::path&)> hash_program;
  std::function<std::string(const std::filesystem::path&)> hash_file;
};

/// What planning must know of this machine and of a trainer whose schema lies beside it.
/// \param hashes  must outlive what is returned
PlanContext plan_context(const std::filesystem::path& trainer, ContentHashes& hashes);

}  // namespace parity
