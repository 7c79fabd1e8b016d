// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/commits/shell_line.hpp"

#include <chrono>
#include <csignal>

#include "harness/base/elapsed.hpp"
#include "harness/base/error.hpp"
#include "harness/base/processes/signals.hpp"
#include "harness/suite/runs/bounded_log.hpp"

namespace parity::bisect {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds grace{2};

void stop(Process& process) {
  signal_group(process.pid(), SIGTERM);
  process.wait_for(grace);
  signal_group(process.pid(), SIGKILL);
  process.stop(std::chrono::milliseconds(0));
}

/// Shows that a command is running: at once on a terminal, once a minute in a log.
class Sign {
 public:
  Sign(const std::string& what, Progress& progress) : what_(what), progress_(progress) {}

  void show(double seconds) {
    const std::string words = what_ + " (" + format_duration(seconds) + ")";
    if (progress_.live())
      progress_.show(words);
    else if (seconds > 60.0 * static_cast<double>(minutes_ + 1))
      ++minutes_, progress_.note(words);
  }

 private:
  const std::string& what_;
  Progress& progress_;
  int minutes_ = 0;
};

}  // namespace

std::string ShellEnd::text() const {
  return status ? status->text() : "not finished within " + format_duration(seconds);
}

ShellEnd run_shell_line(const ShellLine& line, const std::string& what, Progress& progress) {
  const InterruptGuard guard;
  fs::create_directories(line.log.parent_path());
  fs::remove(line.log);
  ProcessSpec spec;
  spec.argv = {"/bin/sh", "-c", "cd -- \"$1\" && shift && exec /bin/sh -c \"$1\"", "sh", line.folder.string(),
               line.text};
  spec.environment = line.environment;
  spec.stdout_file = line.log;
  spec.stderr_file = line.log;
  const Clock::time_point begin = Clock::now();
  Process process = Process::spawn(spec);
  suite::BoundedLog log(line.log);
  Sign sign(what, progress);
  ShellEnd end;
  while (!(end.status = process.wait_for(std::chrono::milliseconds(100)))) {
    end.seconds = seconds_since(begin);
    log.trim();
    sign.show(end.seconds);
    if (!interrupted() && end.seconds < line.timeout_seconds)
      continue;
    stop(process);
    progress.clear();
    if (interrupted())
      throw UserError("interrupted; answers are kept, and the same command resumes", ExitCode::interrupted);
    return end;
  }
  signal_group(process.pid(), SIGKILL);  // ends processes that the command left in the background
  progress.clear();
  end.seconds = seconds_since(begin);
  return end;
}

}  // namespace parity::bisect
