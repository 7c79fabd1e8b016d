// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/processes/fork_server.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/base/json/json.hpp"
#include "harness/base/processes/child_setup.hpp"
#include "harness/base/processes/offspring.hpp"

namespace parity {
namespace {

constexpr size_t largest_request = 128 << 10;  // bytes; the kernel's usual limit is 208 KiB
constexpr int patience_ms = 60'000;  // the first answer comes once the server has loaded what it loads
constexpr int adoption_ms = 10'000;

/// What a forked process says of itself once it is ready.
struct Reply {
  pid_t pid = -1;
  int error = 0;  ///< errno
};

/// Starts the server with its end of a pair of sockets.
std::pair<int, Process> start_server(std::vector<std::string> words,
                                     const std::map<std::string, std::string>& environment) {
  std::array<int, 2> ends = {};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw UserError(fmt::format("cannot make a socket ({}); close other programs", std::strerror(errno)));
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::fcntl(ends[1], F_SETFD, 0);  // the server inherits it
  ProcessSpec spec;
  spec.argv = std::move(words);
  spec.argv.push_back(fmt::format("--fork-server={}", ends[1]));
  spec.environment = environment;
  try {
    Process server = Process::spawn(spec);
    ::close(ends[1]);
    return {ends[0], std::move(server)};
  } catch (...) {
    ::close(ends[0]);
    ::close(ends[1]);
    throw;
  }
}

std::string request_text(const ProcessSpec& spec) {
  return Json{{"argv", spec.argv},
              {"environment", spec.environment},
              {"out", spec.stdout_file.empty() ? "/dev/null" : spec.stdout_file.string()},
              {"err", spec.stderr_file.empty() ? "/dev/null" : spec.stderr_file.string()},
              {"group", spec.group},
              {"cores", spec.cores},
              {"parent", ::getpid()}}
      .dump();
}

/// Waits until the process that forked this one has ended, so that `parent` has adopted it.
bool is_adopted(pid_t parent) {
  for (int i = 0; i < adoption_ms && ::getppid() != parent; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  return ::getppid() == parent;
}

/// Makes the forked process what the request asks for. \return errno, 0 for success
int become_process(const Json& request) {
  ::setpgid(0, request.at("group").get<pid_t>());
  for (const auto& [name, value] : request.at("environment").items())
    ::setenv(name.c_str(), value.get_ref<const std::string&>().c_str(), 1);
  const auto text = [&](const char* name) { return request.at(name).get<std::string>(); };
  const auto cores = core_set(request.at("cores").get<std::vector<int>>());
  return set_up_child(cores, text("out").c_str(), text("err").c_str()) ? 0 : errno;
}

/// Forks twice. \return whether this is the new process
bool fork_orphan() {
  const pid_t middle = ::fork();
  if (middle == 0) {
    if (::fork() != 0)
      ::_exit(0);
    return true;
  }
  if (middle > 0)
    ::waitpid(middle, nullptr, 0);
  return false;
}

}  // namespace

ForkServer::ForkServer(std::vector<std::string> words, const std::map<std::string, std::string>& environment)
    : ForkServer(start_server(std::move(words), environment)) {}

ForkServer::ForkServer(std::pair<int, Process> started)
    : socket_(started.first), server_(std::move(started.second)) {}

ForkServer::~ForkServer() {
  server_.stop(std::chrono::milliseconds(0));  // before it reads a request that nobody waits for
  ::close(socket_);
}

Process ForkServer::spawn(const ProcessSpec& spec) {
  const std::string request = request_text(spec);
  Reply reply;
  pollfd wait = {socket_, POLLIN, 0};
  const bool answered =
      request.size() <= largest_request &&
      ::send(socket_, request.data(), request.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(request.size()) &&
      ::poll(&wait, 1, patience_ms) == 1 && ::recv(socket_, &reply, sizeof reply, 0) == sizeof reply;
  if (!answered)
    throw UserError("cannot start a process (its fork server does not answer); try again");
  ::setpgid(reply.pid, spec.group != 0 ? spec.group : reply.pid);
  if (spec.group == 0)
    guard_group(reply.pid);
  Process process = Process::adopt(reply.pid);
  if (reply.error != 0)
    throw UserError(
        fmt::format("cannot start '{}' ({}); check that its output folder exists and is accessible",
                    spec.argv.front(), std::strerror(reply.error)),
        ExitCode::missing);
  return process;
}

std::vector<std::string> serve_forks(int socket) {
  ::fcntl(socket, F_SETFD, FD_CLOEXEC);
  std::string text(largest_request, '\0');
  while (true) {
    const ssize_t length = ::recv(socket, text.data(), text.size(), 0);
    if (length < 0 && errno == EINTR)
      continue;
    if (length <= 0)
      ::_exit(0);
    if (!fork_orphan())
      continue;
    const Json request = parse_json(text.substr(0, static_cast<size_t>(length)));
    if (!is_adopted(request.at("parent").get<pid_t>()))
      ::_exit(127);  // the parent died
    const Reply reply = {::getpid(), become_process(request)};
    const bool answered = ::send(socket, &reply, sizeof reply, MSG_NOSIGNAL) == sizeof reply;
    ::close(socket);
    if (reply.error != 0 || !answered)  // nobody waits for a process that could not answer
      ::_exit(127);
    return request.at("argv").get<std::vector<std::string>>();
  }
}

}  // namespace parity
