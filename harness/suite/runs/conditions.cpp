// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/runs/conditions.hpp"

#include <array>
#include <cstdlib>

#include <fmt/format.h>
#include <sched.h>

#include "harness/base/enum_names.hpp"
#include "harness/base/error.hpp"
#include "harness/base/processes/cores.hpp"
#include "harness/suite/plan/identity/own_programs.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

using compare::Condition;

constexpr auto table = std::to_array<ConditionRow>({
    {Condition::none, false, true, "the run once more", ""},
    {Condition::load, false, true, "a process on every core that computes or copies memory",
     "it depends on how fast its parts run"},
    {Condition::memory_pressure, true, true, "fresh memory filled with 0xff (NaN), 0x7f, 0x00 or 0x55",
     "it reads memory that nobody wrote"},
    {Condition::threads, false, false, "one more thread for each repetition",
     "its bits depend on the number of threads"},
    {Condition::other_cores, false, true, "pinned to other cores in each repetition",
     "its bits depend on being pinned to a core"},
    {Condition::other_alignment, true, true, "large blocks at multiples of 4096, 256, 1024 or 128 bytes",
     "its bits depend on addresses of memory"},
});

/// Bytes that fresh memory is filled with. 0xff is NaN in every floating-point type, 0x7f a huge number.
constexpr std::array<int, 4> patterns = {0xff, 0x7f, 0x00, 0x55};

/// Alignments of large blocks [bytes]. The trainer's allocator asks for 64.
constexpr std::array<int, 4> alignments = {4096, 256, 1024, 128};

template <size_t size>
int nth(const std::array<int, size>& values, int64_t number) {
  return values.at(static_cast<size_t>(number > 0 ? number - 1 : 0) % size);
}

/// Returns the cores that this process may use, ascending.
std::vector<int> usable_cores() {
  cpu_set_t set;
  std::vector<int> cores;
  if (::sched_getaffinity(0, sizeof set, &set) != 0)
    return cores;
  for (size_t core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &set))
      cores.push_back(static_cast<int>(core));
  return cores;
}

fs::path memory_library() {
  constexpr const char* name = "libparity-memory.so";
  if (fs::path library = own_program(name); library.is_absolute())
    return library;
  throw UserError(
      fmt::format("cannot change the memory of a run ({} is not beside this program); build or install it",
                  name),
      ExitCode::missing);
}

fs::path proof_file(const fs::path& folder, int rank) {
  return folder / fmt::format("memory.rank{}", rank);
}

/// Returns the cores that a rank is pinned to; empty: not pinned.
std::vector<int> cores_of_rank(const PlannedRun& run, int rank) {
  if (run.under != Condition::other_cores && !run.elsewhere)
    return {};
  const std::vector<int> usable = usable_cores();
  if (usable.size() <= static_cast<size_t>(run.threads))
    throw UserError(
        fmt::format("cannot use other cores (a rank of {} needs {}, and this process may use {}); run it "
                    "with more cores or fewer threads",
                    run.label, run.threads, usable.size()),
        ExitCode::missing);
  const int64_t shift = run.repetition + (run.elsewhere ? 1 : 0);
  std::vector<int> cores;
  for (int64_t thread = 0; thread < run.threads; ++thread)
    cores.push_back(
        usable.at(static_cast<size_t>(shift + int64_t{rank} * run.threads + thread) % usable.size()));
  return cores;
}

}  // namespace

std::span<const ConditionRow> condition_table() {
  return table;
}

const ConditionRow& row_of(Condition condition) {
  return table.at(static_cast<size_t>(condition));
}

void apply_condition(ProcessSpec& spec, const PlannedRun& run, const fs::path& folder, int rank) {
  spec.cores = cores_of_rank(run, rank);
  if (!row_of(run.under).loads_library)
    return;
  const char* inherited = std::getenv("LD_PRELOAD");
  const auto own = spec.environment.find("LD_PRELOAD");
  const std::string others = own != spec.environment.end() ? own->second
                             : inherited != nullptr        ? inherited
                                                           : "";
  const std::string library = memory_library().string();
  spec.environment["LD_PRELOAD"] = others.empty() ? library : library + ":" + others;
  spec.environment["PARITY_MEMORY_PROOF"] = proof_file(folder, rank).string();
  if (run.under == Condition::memory_pressure)
    spec.environment["PARITY_MEMORY_FILL"] = std::to_string(nth(patterns, run.repetition));
  else
    spec.environment["PARITY_MEMORY_ALIGNMENT"] = std::to_string(nth(alignments, run.repetition));
}

std::vector<Process> start_burners(const PlannedRun& run, const std::string& mark) {
  std::vector<Process> burners;
  if (run.under != Condition::load)
    return burners;
  ProcessSpec spec;
  spec.mark = mark;
  for (int i = 0; i < core_count(); ++i) {
    spec.argv = i % 2 == 0 ? std::vector<std::string>{"/bin/sh", "-c", "while :; do :; done"}
                           : std::vector<std::string>{"dd", "if=/dev/zero", "of=/dev/null", "bs=16M"};
    burners.push_back(Process::spawn(spec));
  }
  return burners;
}

std::string condition_failure(const PlannedRun& run, const fs::path& folder) {
  if (!row_of(run.under).loads_library)
    return "";
  for (int rank = 0; rank < run.ranks; ++rank)
    if (std::error_code error; !fs::exists(proof_file(folder, rank), error))
      return fmt::format(
          "{} did not load libparity-memory.so, so condition {} had no effect (it is linked statically, or "
          "clears "
          "LD_PRELOAD)",
          run.label, name_of(run.under));
  return "";
}

}  // namespace parity::suite
