// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/goldens/git.hpp"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/processes/process.hpp"
#include "harness/base/text/escape_for_terminal.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

constexpr std::chrono::minutes longest_command{10};  // enough to write the work tree of a large repository

std::vector<std::string> command_line(const fs::path& folder, const std::vector<std::string>& words) {
  std::vector<std::string> line = {"git", "-C", folder.string()};
  line.insert(line.end(), words.begin(), words.end());
  return line;
}

}  // namespace

Git::Git(fs::path folder) : folder_(std::move(folder)) {
  std::string pattern = (fs::temp_directory_path() / "parity_git_XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr)
    throw UserError(
        fmt::format("cannot create {} ({}); set TMPDIR to a writable folder", pattern, std::strerror(errno)));
  scratch_ = pattern;
}

Git::~Git() {
  std::error_code ignored;
  fs::remove_all(scratch_, ignored);
}

bool Git::run(const std::vector<std::string>& words, const fs::path& output) const {
  ProcessSpec spec;
  spec.argv = {"git", "-C", folder_.string(), "-c", "core.hooksPath=/dev/null"};
  spec.argv.insert(spec.argv.end(), words.begin(), words.end());
  spec.environment = {{"GIT_OPTIONAL_LOCKS", "0"}, {"GIT_TERMINAL_PROMPT", "0"}, {"LC_ALL", "C"}};
  spec.stdout_file = output;
  spec.stderr_file = scratch_ / "errors";
  std::error_code gone;
  fs::remove(spec.stdout_file, gone);
  fs::remove(spec.stderr_file, gone);
  const auto status = Process::spawn(spec).wait_for(longest_command);
  return status && status->succeeded();
}

std::string Git::output(const std::vector<std::string>& words) const {
  const fs::path output = scratch_ / "answer";
  if (!run(words, output))
    throw UserError(fmt::format("git failed in {}: {}; reproduce with: {}",
                                escape_for_terminal(folder_.string()), tail_of(scratch_ / "errors", 4),
                                shell_quote(command_line(folder_, words))));
  std::string answer = read_file(output);
  if (answer.ends_with('\n'))
    answer.pop_back();
  return answer;
}

std::string Git::output_or_empty(const std::vector<std::string>& words) const {
  const fs::path output = scratch_ / "answer";
  run(words, output);
  return read_file(output);
}

bool Git::succeeds(const std::vector<std::string>& words) const {
  return run(words, scratch_ / "answer");
}

std::optional<std::string> Git::commit_of(const std::string& revision) const {
  const fs::path output = scratch_ / "commit";
  if (!run({"rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"}, output))
    return std::nullopt;
  std::string commit = read_file(output);
  while (!commit.empty() && commit.back() == '\n')
    commit.pop_back();
  return commit;
}

std::vector<std::string> Git::files(const std::string& commit, const std::string& below) const {
  const fs::path output = scratch_ / "files";
  if (!run({"ls-tree", "-r", "-z", "--name-only", commit, "--", below}, output))
    throw UserError(
        fmt::format("git cannot list {} of {}; reproduce with: git ls-tree {}", below, commit, commit));
  const std::string list = read_file(output);
  std::vector<std::string> files;
  for (size_t begin = 0; begin < list.size();) {
    const size_t end = std::min(list.find('\0', begin), list.size());
    files.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return files;
}

fs::path Git::extract(const std::string& commit, const std::string& file) const {
  const fs::path output = scratch_ / "tree" / file;
  fs::create_directories(output.parent_path());
  if (!run({"show", commit + ":./" + file}, output))
    throw UserError(fmt::format("git cannot show {} of {}", file, commit));
  return output;
}

}  // namespace parity::suite
