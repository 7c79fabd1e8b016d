// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/plan/context.hpp"

#include <chrono>
#include <map>

#include "harness/suite/plan/identity/python_packages.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

/// Remembers the hashes of programs for a second. Most runs of a plan have one program, whose dozens of
/// libraries would be looked at for each of them.
class RecentPrograms {
 public:
  explicit RecentPrograms(ContentHashes& hashes) : hashes_(&hashes) {}

  std::string hash(const fs::path& program) {
    const auto now = std::chrono::steady_clock::now();
    Known& known = known_[program];
    if (known.hash.empty() || now - known.since > std::chrono::seconds(1))
      known = {hashes_->of_program(program), now};
    return known.hash;
  }

 private:
  struct Known {
    std::string hash;
    std::chrono::steady_clock::time_point since;  ///< before the first look at a file
  };
  ContentHashes* hashes_;
  std::map<fs::path, Known> known_;
};

}  // namespace

PlanContext plan_context(const fs::path& trainer, ContentHashes& hashes, const Machine& machine) {
  PlanContext context;
  context.trainer = trainer;
  context.schema_file = trainer;
  context.schema_file += ".schema.json";
  context.cpu = machine.cpu;
  context.gpus = machine.gpus;
  context.site = machine.site;
  context.environment = inherited_environment();
  context.hash_program = [programs = RecentPrograms(hashes)](const fs::path& file) mutable {
    return programs.hash(file);
  };
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
