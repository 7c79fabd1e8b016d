// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/processes/process.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fstream>
#include <initializer_list>
#include <optional>
#include <sstream>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/base/processes/child_setup.hpp"
#include "harness/base/processes/offspring.hpp"
#include "harness/base/text/escape_for_terminal.hpp"

namespace parity {
namespace {

/// Data for the child, prepared before fork: nothing may allocate between fork and exec.
struct Prepared {
  std::vector<std::string> environment;
  std::vector<char*> argv;
  std::vector<char*> envp;
  std::string program;
  std::string out;
  std::string err;
  std::optional<cpu_set_t> cores;
};

Prepared prepare(const ProcessSpec& spec) {
  if (spec.argv.empty() || spec.argv[0].empty())
    throw UserError("cannot start a process (its command is empty); give a program and its arguments");
  Prepared prepared;
  prepared.program = find_program(spec.argv[0]);
  for (const std::string& word : spec.argv)
    prepared.argv.push_back(const_cast<char*>(word.c_str()));
  prepared.argv.push_back(nullptr);
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    const std::string name(text.substr(0, text.find('=')));
    if (!spec.environment.contains(name) && name != offspring_variable &&
        std::ranges::find(spec.hidden, name) == spec.hidden.end())
      prepared.environment.emplace_back(text);
  }
  for (const auto& [name, value] : spec.environment)
    prepared.environment.emplace_back(name).append("=").append(value);
  prepared.environment.emplace_back(offspring_variable).append("=").append(offspring_marks(spec.mark));
  for (const std::string& entry : prepared.environment)
    prepared.envp.push_back(const_cast<char*>(entry.c_str()));
  prepared.envp.push_back(nullptr);
  prepared.out = spec.stdout_file.empty() ? "/dev/null" : spec.stdout_file.string();
  prepared.err = spec.stderr_file.empty() ? "/dev/null" : spec.stderr_file.string();
  prepared.cores = core_set(spec.cores);
  return prepared;
}

/// Runs in the child and makes only async-signal-safe calls. Reports errno through `report` if exec fails.
[[noreturn]] void become(const Prepared& prepared, pid_t group, pid_t parent, int report) {
  ::setpgid(0, group);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent)
    ::_exit(127);  // the parent died before prctl took effect
  struct sigaction plain = {};
  plain.sa_handler = SIG_DFL;
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE, SIGHUP, SIGXFSZ})
    ::sigaction(signal, &plain, nullptr);
  if (set_up_child(prepared.cores, prepared.out.c_str(), prepared.err.c_str()))
    ::execve(prepared.program.c_str(), prepared.argv.data(), prepared.envp.data());
  const int error = errno;
  [[maybe_unused]] const ssize_t written = ::write(report, &error, sizeof error);
  ::_exit(127);
}

std::string signal_name(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name ? name : "unknown";
}

}  // namespace

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos)
    return name;
  const char* variable = std::getenv("PATH");
  std::string path = variable ? variable : "/usr/bin:/bin";
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find(':', begin), path.size());
    const std::string candidate = path.substr(begin, end - begin) + "/" + name;
    if (::access(candidate.c_str(), X_OK) == 0)
      return candidate;
    begin = end + 1;
  }
  throw UserError(fmt::format("cannot start '{}' (no such program in PATH, which is {}); give its path or "
                              "install it",
                              name, path),
                  ExitCode::missing);
}

bool WaitStatus::succeeded() const {
  return WIFEXITED(raw_) && WEXITSTATUS(raw_) == 0;
}

std::optional<int> WaitStatus::exit_status() const {
  if (!WIFEXITED(raw_))
    return std::nullopt;
  return WEXITSTATUS(raw_);
}

std::string WaitStatus::text() const {
  if (WIFEXITED(raw_))
    return "exit status " + std::to_string(WEXITSTATUS(raw_));
  const int signal = WTERMSIG(raw_);
  return "killed by signal " + std::to_string(signal) + " (" + signal_name(signal) + ")";
}

Process Process::spawn(const ProcessSpec& spec) {
  const Prepared prepared = prepare(spec);
  int report[2];
  if (::pipe2(report, O_CLOEXEC) != 0)
    throw UserError(
        fmt::format("cannot start a process ({}); end other programs and try again", std::strerror(errno)));
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0)
    become(prepared, spec.group, parent, report[1]);
  ::close(report[1]);
  int error = pid < 0 ? errno : 0;
  if (pid > 0) {
    // The parent sets the group too, so that a signal to the group cannot miss the child.
    ::setpgid(pid, spec.group ? spec.group : pid);
    if (spec.group == 0)
      guard_group(pid);
    if (::read(report[0], &error, sizeof error) != sizeof error)
      error = 0;
  }
  ::close(report[0]);
  if (error == 0)
    return Process(pid);
  if (pid > 0) {
    ::waitpid(pid, nullptr, 0);
    release_group(pid);
  }
  throw UserError(
      fmt::format(
          "cannot start '{}' ({}); check that the program and its output folder exist and are accessible",
          spec.argv[0], std::strerror(error)),
      ExitCode::missing);
}

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), ended_(std::exchange(other.ended_, std::nullopt)) {}

Process& Process::operator=(Process&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(ended_, other.ended_);
  return *this;
}

Process::~Process() {
  if (pid_ > 0 && !ended_)
    stop(std::chrono::milliseconds(0));
  if (pid_ > 0)
    release_group(pid_);
}

std::optional<WaitStatus> Process::poll() {
  if (ended_)
    return ended_;
  int raw = 0;
  if (::waitpid(pid_, &raw, WNOHANG) == pid_)
    ended_ = WaitStatus(raw);
  return ended_;
}

std::optional<WaitStatus> Process::wait_for(std::chrono::milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!poll()) {
    if (std::chrono::steady_clock::now() >= deadline)
      return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return ended_;
}

WaitStatus Process::stop(std::chrono::milliseconds grace) {
  if (!poll() && grace.count() > 0) {
    ::kill(pid_, SIGTERM);
    wait_for(grace);
  }
  if (const auto ended = poll())
    return *ended;
  ::kill(pid_, SIGKILL);
  int raw = 0;
  while (::waitpid(pid_, &raw, 0) < 0 && errno == EINTR) {
  }
  const WaitStatus status(raw);
  ended_ = status;
  return status;
}

void signal_group(pid_t group, int signal) {
  if (group > 0)
    ::kill(-group, signal);
}

namespace {

bool is_plain_text(const std::string& word) {
  return escape_for_terminal(word) == word && word.find_first_of("\n\t") == std::string::npos;
}

std::string single_quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word)
    text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// Returns a word as $'...' of bash and zsh, with everything that is not plain ASCII as \xHH.
std::string escaped(const std::string& word) {
  std::string text = "$'";
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7F)
      text += fmt::format("\\x{:02x}", byte);
    else
      text += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  }
  return text + "'";
}

}  // namespace

std::string shell_quote(const std::vector<std::string>& argv) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,@%+";
  std::string line;
  for (const std::string& word : argv) {
    line += line.empty() ? "" : " ";
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) {
      line += word;
      continue;
    }
    line += is_plain_text(word) ? single_quoted(word) : escaped(word);
  }
  return line;
}

std::string tail_of(const std::filesystem::path& file, size_t lines, size_t bytes) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  if (!in)
    return "";
  const auto size = static_cast<size_t>(std::max<std::streamoff>(in.tellg(), 0));
  std::string text(std::min(size, bytes), '\0');
  in.seekg(static_cast<std::streamoff>(size - text.size()));
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  while (!text.empty() && text.back() == '\n')
    text.pop_back();
  size_t begin = text.size();
  for (size_t found = 0; begin > 0; --begin)
    if (text[begin - 1] == '\n' && ++found == lines)
      break;
  text.erase(0, begin);
  while (!text.empty() && (static_cast<unsigned char>(text.front()) & 0xC0) == 0x80)
    text.erase(0, 1);  // rest of a truncated character
  return escape_for_terminal(text);
}

std::chrono::system_clock::time_point process_start() {
  std::ifstream file("/proc/self/stat");
  std::string text;
  std::getline(file, text);
  const size_t name_end = text.rfind(") ");  // the name may contain any character
  timespec since_boot = {};
  if (name_end == std::string::npos || clock_gettime(CLOCK_BOOTTIME, &since_boot) != 0)
    return {};
  std::istringstream fields(text.substr(name_end + 2));
  std::string skipped;
  for (int field = 3; field < 22; ++field)
    fields >> skipped;
  double ticks = 0;  // field 22 of proc(5)
  if (!(fields >> ticks))
    return {};
  const double age = static_cast<double>(since_boot.tv_sec) + 1e-9 * static_cast<double>(since_boot.tv_nsec) -
                     ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
  return std::chrono::system_clock::now() -
         std::chrono::duration_cast<std::chrono::system_clock::duration>(std::chrono::duration<double>(age));
}

}  // namespace parity
