// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/processes/offspring.hpp"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <set>
#include <string_view>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace parity {
namespace fs = std::filesystem;
namespace {

/// Returns whether a process's environment (NUL-separated entries) lists this mark.
bool carries(const fs::path& environment, const std::string& mark) {
  std::ifstream in(environment, std::ios::binary);
  const std::string all = '\0' + std::string{std::istreambuf_iterator<char>(in), {}} + '\0';
  const std::string name = '\0' + std::string(offspring_variable) + "=";
  const size_t begin = all.find(name);
  if (begin == std::string::npos)
    return false;
  const size_t value = begin + name.size();
  const std::string marks = ":" + all.substr(value, all.find('\0', value) - value) + ":";
  return marks.find(":" + mark + ":") != std::string::npos;
}

std::vector<pid_t> processes_with(const std::string& mark) {
  std::vector<pid_t> found;
  std::error_code error;
  for (fs::directory_iterator at("/proc", error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    const bool is_process = std::ranges::all_of(name, [](unsigned char c) { return std::isdigit(c) != 0; });
    if (is_process && carries(at->path() / "environ", mark))
      found.push_back(static_cast<pid_t>(std::stol(name)));
  }
  std::erase(found, ::getpid());
  return found;
}

/// A message to the guard: a group to end with its owner, the negated group once it has ended, or `farewell`.
using Message = int32_t;
constexpr Message farewell = 0;

/// Closes every file and lock that others may wait for; keeps only the pipe, as descriptor 3.
void close_other_files(int pipe) {
  const int nowhere = ::open("/dev/null", O_RDWR);
  for (const int standard : {0, 1, 2})
    ::dup2(nowhere, standard);
  ::dup2(pipe, 3);
  ::close_range(4, ~0U, 0);
}

/// \return whether the owner sent farewell; false if its end of the pipe was closed without one
bool wait_for_owner(int pipe, std::set<pid_t>& groups) {
  for (;;) {
    Message message = farewell;
    const ssize_t size = ::read(pipe, &message, sizeof message);
    if (size < 0 && errno == EINTR)
      continue;
    if (size != sizeof message)
      return false;
    if (message == farewell)
      return true;
    if (message > 0)
      groups.insert(message);
    else
      groups.erase(-message);
  }
}

[[noreturn]] void guard(int pipe, const std::string& mark) {
  // A signal to the owner's group or terminal must not reach the guard.
  ::setsid();
  ::prctl(PR_SET_NAME, "offspring-guard");
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE})
    ::signal(signal, SIG_IGN);
  close_other_files(pipe);
  std::set<pid_t> groups;
  if (!wait_for_owner(3, groups)) {
    for (const pid_t group : groups)
      ::kill(-group, SIGKILL);
    end_offspring(mark);
  }
  ::_exit(0);
}

class Guard {
 public:
  ~Guard() {
    if (owner_ != ::getpid() || pipe_ < 0)
      return;
    send(farewell);
    ::close(pipe_);
    while (::waitpid(guard_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }

  /// Starts the guard; again in a forked child, which has children of its own.
  void start() {
    if (owner_ == ::getpid())
      return;
    owner_ = ::getpid();
    mark_ = new_offspring_mark();
    pipe_ = -1;
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
      return;  // only direct children die with this process then
    guard_ = ::fork();
    if (guard_ == 0)
      guard(ends[0], mark_);
    ::close(ends[0]);
    if (guard_ < 0)
      ::close(ends[1]);
    else
      pipe_ = ends[1];
  }

  void send(Message message) const {
    if (owner_ != ::getpid() || pipe_ < 0)
      return;
    [[maybe_unused]] const ssize_t written = ::write(pipe_, &message, sizeof message);
  }

  const std::string& mark() const { return mark_; }

 private:
  pid_t owner_ = 0;
  pid_t guard_ = -1;
  int pipe_ = -1;
  std::string mark_;
};

Guard& own_guard() {
  static Guard guard;
  return guard;
}

}  // namespace

std::string new_offspring_mark() {
  static std::atomic<unsigned> next = 0;
  return std::to_string(::getpid()) + "." +
         std::to_string(std::chrono::system_clock::now().time_since_epoch().count()) + "." +
         std::to_string(next++);
}

std::string own_offspring_mark() {
  guard_offspring();
  return own_guard().mark();
}

std::string offspring_marks(const std::string& more) {
  const char* inherited = std::getenv(offspring_variable);
  return (inherited && *inherited ? std::string(inherited) + ":" : "") + own_offspring_mark() +
         (more.empty() ? "" : ":" + more);
}

void end_offspring(const std::string& mark) {
  for (int i = 0; i < 100; ++i) {  // a process may have started another in between
    const std::vector<pid_t> left = processes_with(mark);
    if (left.empty())
      return;
    for (const pid_t process : left)
      ::kill(process, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

void guard_offspring() {
  own_guard().start();
}

void guard_group(pid_t group) {
  guard_offspring();
  own_guard().send(group);
}

void release_group(pid_t group) {
  own_guard().send(-group);
}

}  // namespace parity
