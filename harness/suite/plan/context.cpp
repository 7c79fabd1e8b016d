// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/plan/context.hpp"

#include "harness/suite/plan/machine.hpp"

namespace parity::suite {
namespace fs = std::filesystem;

PlanContext plan_context(const fs::path& trainer, ContentHashes& hashes) {
  PlanContext context;
  context.trainer = trainer;
  context.schema_file = trainer;
  context.schema_file += ".schema.json";
  context.cpu = this_cpu().to_json();
  context.gpus = gpu_facts();
  context.environment = inherited_environment();
  context.hash_program = [&hashes](const fs::path& file) { return hashes.of_program(file); };
  context.hash_file = [&hashes](const fs::path& file) { return hashes.of_path(file); };
  return context;
}

}  // namespace parity::suite
