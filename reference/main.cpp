// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <exception>
#include <iostream>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <malloc.h>

#include <c10/util/Exception.h>

#include "harness/base/error.hpp"
#include "harness/base/json/json.hpp"
#include "harness/base/processes/end_process.hpp"
#include "harness/base/processes/fork_server.hpp"
#include "reference/comm/group.hpp"
#include "reference/comm/job.hpp"
#include "reference/config/check_configs.hpp"
#include "reference/config/command_line.hpp"
#include "reference/config/schema.hpp"
#include "reference/parallel/memory_estimate.hpp"
#include "reference/rl/updates.hpp"
#include "reference/train/run/run.hpp"

namespace {

using parity::reference::Invocation;

void act(const Invocation& invocation, const parity::reference::Environment& environment) {
  switch (invocation.action) {
    case Invocation::Action::print_schema:
      std::cout << parity::reference::config_schema().dump(2) << '\n';
      return;
    case Invocation::Action::estimate:
      std::cout << parity::reference::estimate_text(invocation.config);
      return;
    case Invocation::Action::check:
      std::cout << parity::reference::check_file(invocation.configs).dump(1) << '\n';
      return;
    case Invocation::Action::print_help:
      std::cout << parity::reference::help_text();
      return;
    case Invocation::Action::print_version:
      std::cout << "parity-train " PARITY_VERSION "\n";
      return;
    case Invocation::Action::train:
      parity::reference::run(invocation, parity::reference::job_from_environment(environment), std::cerr,
                             parity::reference::rollout_drivers());
      return;
  }
}

/// Keeps freed memory in the process, which changes speed only. Each step allocates and frees activations of
/// megabytes. If the system got them back, every 4 KiB of them would cost a page fault again. glibc's own
/// environment variables take precedence.
void keep_freed_memory() {
  if (std::getenv("MALLOC_MMAP_THRESHOLD_") == nullptr)
    mallopt(M_MMAP_THRESHOLD, 32 << 20);  // glibc's limit
  if (std::getenv("MALLOC_TRIM_THRESHOLD_") == nullptr)
    mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

/// Exit code: another rank is gone or late, so the launcher looks for the first cause elsewhere.
constexpr int peer_lost = 5;

int report(const std::string& message, parity::ExitCode code) {
  std::cerr << "parity-train: " << message << '\n';
  return static_cast<int>(code);
}

/// Returns the arguments of this process. A fork server (--fork-server=SOCKET) gives those of each process
/// that it forks.
std::vector<std::string> arguments_of(int argc, char** argv) {
  constexpr std::string_view serve = "--fork-server=";
  const std::string_view first = argc == 2 ? argv[1] : "";
  if (!first.starts_with(serve))
    return {argv + 1, argv + argc};
  std::vector<std::string> arguments =
      parity::serve_forks(std::atoi(std::string(first.substr(serve.size())).c_str()));
  arguments.erase(arguments.begin());
  return arguments;
}

int run(const std::vector<std::string>& arguments) {
  try {
    const auto environment = [](const char* name) {
      const char* value = std::getenv(name);
      return std::string(value != nullptr ? value : "");
    };
    act(parity::reference::parse_command_line(arguments, environment), environment);
    return 0;
  } catch (const parity::UserError& error) {
    return report(error.what(), error.code());
  } catch (const parity::reference::PeerLost& error) {
    std::cerr << "parity-train: " << error.what() << '\n';
    return peer_lost;
  } catch (const c10::Error& error) {
    std::cerr << error.what() << '\n';  // with its backtrace; reports show the last lines
    return report(std::string("internal error: ") + error.what_without_backtrace(),
                  parity::ExitCode::internal);
  } catch (const std::exception& error) {
    return report(std::string("internal error: ") + error.what(), parity::ExitCode::internal);
  }
}

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory();
  parity::end_process(run(arguments_of(argc, argv)));
}
