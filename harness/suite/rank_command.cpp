// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/rank_command.hpp"

#include <cstdlib>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/suite/profile.hpp"

namespace parity {
namespace fs = std::filesystem;
namespace {

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

/// The repository that a case lies in, by its folder or file .git; else the case's own folder.
fs::path repository_around(const fs::path& folder) {
  for (fs::path each = folder; each.has_relative_path(); each = each.parent_path())
    if (fs::exists(each / ".git"))
      return each;
  return folder;
}

/// LD_PRELOAD with the library that lets MKL take its AVX2 branch, and with what the user preloads. Empty on
/// Intel's CPUs, which need no library, and where it lies neither beside this program nor in the bin beside
/// its folder.
std::map<std::string, std::string> mkl_preload() {
  __builtin_cpu_init();
  if (__builtin_cpu_is("intel"))
    return {};
  std::error_code none;
  const fs::path folder = fs::read_symlink("/proc/self/exe", none).parent_path();
  for (const fs::path& place : {folder, folder.parent_path() / "bin"}) {
    const std::string library = (place / "libparity-mkl.so").string();
    const char* others = std::getenv("LD_PRELOAD");
    if (fs::exists(library, none))
      return {{"LD_PRELOAD", others == nullptr ? library : library + ":" + others}};
  }
  return {};
}

}  // namespace

std::string heartbeat_name(int rank) {
  return fmt::format("heartbeat.{}.json", rank);
}

int free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0)
    return 0;
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  int port = 0;
  if (::bind(socket, reinterpret_cast<sockaddr*>(&address), length) == 0 &&
      ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length) == 0)
    port = ntohs(address.sin_port);
  ::close(socket);
  return port;
}

std::vector<std::string> expand_case_words(const PlannedRun& run) {
  std::vector<std::string> argv = run.command;
  for (std::string& word : argv) {
    replace_all(word, "{steps}", std::to_string(run.steps));
    replace_all(word, "{dtype}", run.dtype);
    replace_all(word, "{case_dir}", run.case_folder.string());
    replace_all(word, "{worktree}", repository_around(run.case_folder).string());
  }
  return argv;
}

std::vector<std::string> expand_command(const PlannedRun& run, const RunStore& store) {
  const fs::path folder = fs::absolute(store.folder(run.id));
  std::vector<std::string> argv = expand_case_words(run);
  for (std::string& word : argv) {
    replace_all(word, "{run_dir}", folder.string());
    replace_all(word, "{config}", (folder / "config.json").string());
    for (const auto& [arm, id] : run.trace_of)
      replace_all(word, "{trace:" + arm + "}", fs::absolute(store.trace(id)).string());
  }
  return argv;
}

bool restarts(const PlannedRun& run) {
  return run.restart_after > 0 && run.restart_after < run.last_step();
}

std::vector<std::string> span_arguments(const PlannedRun& run, const RunStore& store, int leg) {
  std::vector<std::string> words;
  const RunSpan& span = run.span;
  if (leg == 1)
    words.emplace_back("--resume");
  if (restarts(run) && leg == 0)
    words.insert(words.end(), {"--stop-after", std::to_string(run.restart_after)});
  else if (span.stop_after > 0)
    words.insert(words.end(), {"--stop-after", std::to_string(span.stop_after)});
  if (span.checkpoint_every > 0)
    words.insert(words.end(), {"--checkpoint-every", std::to_string(span.checkpoint_every)});
  if (!span.start_run.empty())
    words.insert(words.end(), {"--start-from", store.checkpoint(span.start_run, span.start_step).string()});
  return words;
}

std::map<std::string, std::string> rank_environment(const PlannedRun& run, const fs::path& folder, int rank,
                                                    const std::string& rendezvous, int port) {
  auto environment = profile_environment(parse_enum<Profile>(run.profile), run.threads);
  if (run.is_command() && environment.at("MKL_CBWR").starts_with("AVX2"))
    environment.merge(mkl_preload());
  const std::string trace = rank == 0 ? "trace.h5" : fmt::format("trace.rank{}.h5", rank);
  environment.merge(std::map<std::string, std::string>{
      {"PARITY_CONFIG", (folder / "config.json").string()},
      {"PARITY_TRACE", (folder / trace).string()},
      {"PARITY_CAPTURE", (folder / "capture.json").string()},
      {"PARITY_DTYPE", run.dtype},
      {"PARITY_CHECKPOINT_DIR", (folder / "checkpoint").string()},
      {"PARITY_HEARTBEAT", (folder / heartbeat_name(rank)).string()},
      {"PARITY_RENDEZVOUS", rendezvous},
      {"PARITY_TIMEOUT", fmt::format("{}", run.timeout_seconds)},
      {"RANK", std::to_string(rank)},
      {"LOCAL_RANK", std::to_string(rank)},
      {"WORLD_SIZE", std::to_string(run.ranks)},
      {"MASTER_ADDR", "127.0.0.1"},
      {"MASTER_PORT", std::to_string(port)},
  });
  return environment;
}

std::set<std::string> launcher_variables(const PlannedRun& run) {
  std::set<std::string> names;
  for (const auto& entry : rank_environment(run, "", 0, "", 0))
    if (entry.first != "LD_PRELOAD")  // what the launcher preloads stands before what is inherited
      names.insert(entry.first);
  return names;
}

}  // namespace parity
