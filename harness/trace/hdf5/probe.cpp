// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/hdf5/probe.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <exception>
#include <mutex>
#include <set>
#include <string>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/base/processes/process.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/trace/hdf5/hdf5.hpp"

namespace parity::trace {
namespace {

/// Returns a CPU time limit [seconds]. This program's own files take milliseconds; files of other writers are
/// read whole.
rlim_t most_cpu_seconds(const std::filesystem::path& path) {
  std::error_code error;
  const uintmax_t size = std::filesystem::file_size(path, error);
  return 5 + (error ? 0 : static_cast<rlim_t>(size / 50'000'000));
}

/// File states that were read to their end before.
class Survivors {
 public:
  bool contains(const std::string& state) {
    const std::lock_guard guard(mutex_);
    return states_.contains(state);
  }
  void add(const std::string& state) {
    const std::lock_guard guard(mutex_);
    states_.insert(state);
  }

 private:
  std::mutex mutex_;
  std::set<std::string> states_;
};

Survivors& survivors() {
  static Survivors survivors;
  return survivors;
}

/// Makes this process one that reads a file in its parent's place.
void become_reader(rlim_t cpu_seconds) {
  // The child holds its parent's open files and locks, so it must not outlive the parent.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  struct rlimit limit = {cpu_seconds, cpu_seconds + 1};
  ::setrlimit(RLIMIT_CPU, &limit);
  limit = {0, 0};
  ::setrlimit(RLIMIT_CORE, &limit);
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGXCPU})
    ::signal(signal, SIG_DFL);
  hdf5::renew_lock_in_child();
}

void read_without_errors(const std::function<void()>& read) {
  try {
    read();
  } catch (const std::exception&) {
    return;  // the caller will meet the error itself
  }
}

[[noreturn]] void read_in_child(const std::function<void()>& read, rlim_t cpu_seconds) {
  become_reader(cpu_seconds);
  read_without_errors(read);
  ::_exit(0);
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

/// Returns how many bytes arrive before the other end is closed.
size_t count_bytes(int descriptor) {
  size_t count = 0;
  char bytes[256];
  for (;;) {
    const ssize_t got = ::read(descriptor, bytes, sizeof bytes);
    if (got > 0)
      count += static_cast<size_t>(got);
    else if (got == 0 || errno != EINTR)
      return count;
  }
}

}  // namespace

std::string file_state(const std::filesystem::path& path) {
  struct stat facts = {};
  if (::stat(path.c_str(), &facts) != 0)
    return "";
  std::string state;
  for (const auto number :
       {static_cast<int64_t>(facts.st_dev), static_cast<int64_t>(facts.st_ino),
        static_cast<int64_t>(facts.st_size), static_cast<int64_t>(facts.st_mtim.tv_sec),
        static_cast<int64_t>(facts.st_mtim.tv_nsec), static_cast<int64_t>(facts.st_ctim.tv_sec),
        static_cast<int64_t>(facts.st_ctim.tv_nsec)})
    state += std::to_string(number) + " ";
  return state;
}

void count_as_read(const std::string& state) {
  survivors().add(state);
}

void probe(const std::filesystem::path& path, const std::function<void()>& read) {
  const std::string state = file_state(path);
  if (state.empty() || survivors().contains(state))
    return;
  const rlim_t cpu_seconds = most_cpu_seconds(path);
  // No other thread may be inside HDF5 while its state is copied.
  const auto guard = hdf5::lock();
  const pid_t child = ::fork();
  if (child == 0)
    read_in_child(read, cpu_seconds);
  if (child < 0)
    return;  // no process available: read it unprotected
  const int status = wait_for(child);
  if (!WaitStatus(status).succeeded())
    throw UserError(fmt::format(
        "cannot read {} (HDF5 {}: {}); the file is damaged or malicious, so write it again",
        escape_for_terminal(path.string()),
        WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU ? "does not finish reading it" : "crashes on it",
        WaitStatus(status).text()));
  survivors().add(state);
}

void probe_ahead(const std::vector<std::filesystem::path>& paths,
                 const std::function<void(const std::filesystem::path&)>& read) {
  std::vector<std::filesystem::path> unread;
  std::vector<std::string> states;
  rlim_t cpu_seconds = 0;
  for (const std::filesystem::path& path : paths)
    if (std::string state = file_state(path); !state.empty() && !survivors().contains(state)) {
      unread.push_back(path);
      states.push_back(std::move(state));
      cpu_seconds += most_cpu_seconds(path);
    }
  int ends[2];
  if (unread.size() < 2 || ::pipe2(ends, O_CLOEXEC) != 0)
    return;
  const auto guard = hdf5::lock();
  const pid_t child = ::fork();
  if (child == 0) {
    become_reader(cpu_seconds);
    for (const std::filesystem::path& path : unread) {
      read_without_errors([&] { read(path); });
      if (::write(ends[1], "r", 1) != 1)
        break;
    }
    ::_exit(0);
  }
  ::close(ends[1]);
  const size_t done = child < 0 ? 0 : count_bytes(ends[0]);
  ::close(ends[0]);
  if (child > 0)
    wait_for(child);
  for (size_t i = 0; i < std::min(done, states.size()); ++i)
    survivors().add(states[i]);
}

}  // namespace parity::trace
