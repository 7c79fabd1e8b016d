// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/plots/gnuplot.hpp"

#include <chrono>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/processes/process.hpp"

namespace parity::reports {
namespace fs = std::filesystem;
namespace {

constexpr std::chrono::minutes patience{5};

Process start(const fs::path& script, const fs::path& log) {
  try {
    return Process::spawn({.argv = {"gnuplot", script.string()},
                           .environment = {{"GNUTERM", "dumb"}},
                           .stdout_file = log,
                           .stderr_file = log});
  } catch (const UserError& error) {
    throw UserError(std::string(error.what()) + "; static plots need gnuplot: apt-get install gnuplot-nox",
                    ExitCode::missing);
  }
}

}  // namespace

void run_gnuplot(const std::vector<fs::path>& scripts, const fs::path& folder) {
  const fs::path log = folder / "gnuplot.log";
  std::vector<Process> running;
  for (const fs::path& script : scripts)
    running.push_back(start(script, log));
  for (Process& process : running) {
    const auto status = process.wait_for(patience);
    if (!status || !status->succeeded())
      throw UserError(
          fmt::format("gnuplot could not draw ({}): {}; the scripts are in {}",
                      status ? status->text() : "it takes too long", tail_of(log, 5), folder.string()),
          ExitCode::missing);
  }
  for (const fs::path& script : scripts)
    fs::remove(script);
  fs::remove(log);
}

}  // namespace parity::reports
