// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/offspring.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include "harness/base/file.hpp"

namespace parity {
namespace fs = std::filesystem;
namespace {

constexpr const char* variable = "PARITY_BISECT_SEARCH";
constexpr size_t longest_mark = 64;

/// Whether one of the NUL-separated entries of a process's environment is this one.
bool carries(const fs::path& environment, const std::string& entry) {
  std::ifstream in(environment, std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(in), {}};
  const std::string wanted = '\0' + entry + '\0';
  return ('\0' + all).find(wanted) != std::string::npos;
}

std::vector<pid_t> processes_with(const std::string& mark) {
  std::vector<pid_t> found;
  std::error_code gone;
  for (const auto& each : fs::directory_iterator("/proc", gone)) {
    const std::string name = each.path().filename().string();
    const bool is_process =
        std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c); });
    if (is_process && carries(each.path() / "environ", variable + ("=" + mark)))
      found.push_back(static_cast<pid_t>(std::stol(name)));
  }
  std::erase(found, ::getpid());
  return found;
}

/// Until none is left, since one may have started another in between.
void end_processes(const std::string& mark) {
  for (int i = 0; i < 100; ++i) {
    const std::vector<pid_t> left = processes_with(mark);
    if (left.empty())
      return;
    for (const pid_t process : left)
      ::kill(process, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace

Offspring::Offspring(fs::path file) : file_(std::move(file)) {
  if (fs::is_regular_file(file_))
    if (const std::string mark = read_file(file_, longest_mark); !mark.empty())
      end_processes(mark);
  const std::string mark = std::to_string(::getpid()) + "." +
                           std::to_string(std::chrono::system_clock::now().time_since_epoch().count());
  write_file(file_, mark);
  ::setenv(variable, mark.c_str(), 1);
}

Offspring::~Offspring() {
  ::unsetenv(variable);
  std::error_code ignored;
  fs::remove(file_, ignored);
}

}  // namespace parity
