// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/slurm/place.hpp"

#include <chrono>
#include <sstream>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/json/fields.hpp"
#include "harness/base/processes/process.hpp"
#include "harness/base/processes/signals.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/suite/slurm/execute.hpp"
#include "harness/suite/slurm/job.hpp"
#include "harness/suite/slurm/run.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

constexpr int64_t machine_minutes = 2;  // time limit of a job that describes its machine

/// Returns the names in the output of sinfo, without the mark of the default partition.
std::vector<std::string> partitions_in(const std::string& out) {
  std::vector<std::string> names;
  std::string name;
  for (std::istringstream lines(out); std::getline(lines, name);)
    names.push_back(name.ends_with('*') ? name.substr(0, name.size() - 1) : name);
  return names;
}

Machine machine_from(const Json& json, const Json& site) {
  return {json.at("cpu"), json.at("gpus"), site};
}

}  // namespace

SlurmPlace::SlurmPlace(const Site& site, const fs::path& out, fs::path trainer, fs::path program,
                       FoundJobs found_jobs)
    : out_(fs::absolute(out).lexically_normal()),
      trainer_(std::move(trainer)),
      program_(std::move(program)),
      found_jobs_(found_jobs),
      queue_(site),
      times_(out_ / "jobs/times.json") {}

void SlurmPlace::check_scheduler() const {
  for (const char* tool : {"sbatch", "squeue", "scancel", "sinfo"})
    try {
      find_program(tool);
    } catch (const UserError&) {
      throw UserError(
          fmt::format("cannot submit runs ({} of Slurm is not in PATH); run this on a machine that "
                      "submits jobs, or omit --on",
                      tool),
          ExitCode::missing);
    }
  const ToolAnswer answer = ToolCall({"sinfo", "--noheader", "--format=%P"}, std::chrono::seconds(60)).wait();
  if (!answer.succeeded)
    throw UserError(
        fmt::format("cannot submit runs (Slurm does not answer: {}); see: sinfo", problem_of(answer.err)),
        ExitCode::missing);
  const std::vector<std::string> known = partitions_in(answer.out);
  const std::string& wanted = queue_.site().partition;
  std::stringstream each(wanted);  // Slurm takes a list
  for (std::string name; std::getline(each, name, ',');)
    if (std::ranges::find(known, name) == known.end())
      throw UserError(fmt::format(
          "unknown partition {} (Slurm has {}); correct --partition or site {}", parity::quoted(name),
          escape_to_line(fmt::format("{}", fmt::join(known, ", "))), queue_.site().name));
}

/// What of the site decides on which machines its jobs run.
Json SlurmPlace::site_key() const {
  const Site& site = queue_.site();
  return {site.partition, site.account, site.qos, site.options, site.setup};
}

Machine SlurmPlace::machine(Progress& progress) {
  check_scheduler();
  const Json identity = queue_.site().identity();
  const fs::path file = out_ / "jobs/machine.json";
  std::error_code error;
  if (fs::is_regular_file(file, error))
    try {
      const Json known = read_json(read_file(file));
      if (known.at("site") == site_key())
        return machine_from(known.at("machine"), identity);
    } catch (const std::exception&) {
      fs::remove(file, error);  // damaged: ask again
    }
  const Machine found = ask_machine(progress);
  write_file(
      file,
      json_text({{"site", site_key()}, {"machine", {{"cpu", found.cpu}, {"gpus", found.gpus}}}}, 1) + "\n");
  return found;
}

Machine SlurmPlace::ask_machine(Progress& progress) {
  const fs::path folder = out_ / "jobs/machine";
  SlurmJob job({Attempt::create(folder, machine_task()),
                {1, 0, machine_minutes},
                "the question for the machine",
                program_},
               queue_);
  while (!job.poll()) {
    queue_.poll();
    for (const std::string& news : queue_.take_news())
      progress.note(news);
    progress.show(job.has_started() ? "a node describes its machine"
                                    : "waiting for a node to describe its machine");
    if (interrupted()) {
      job.cancel();
      queue_.send_cancels();
      throw UserError("interrupted while a node was asked for its machine; its job is cancelled",
                      ExitCode::interrupted);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  progress.clear();
  if (job.end().kind != JobEnd::Kind::result)
    throw UserError(job.end().message, job.end().failure == results::FailureKind::not_started
                                           ? ExitCode::bad_input
                                           : results::meaning_of(job.end().failure).exit_code);
  const Machine found = machine_from(job.attempt().result().at("machine"), queue_.site().identity());
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return found;
}

std::unique_ptr<StartedRun> SlurmPlace::start(const PlannedRun& run, const RunStore& store) {
  auto started = std::make_unique<SlurmRun>(
      run, SlurmSurroundings{queue_, times_, store, out_ / "jobs", out_, program_, trainer_, found_jobs_});
  if (started->was_found())
    queue_.note(fmt::format("{} continues in the job of an earlier command", run.label));
  return started;
}

}  // namespace parity::suite
