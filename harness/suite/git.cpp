// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/git.hpp"

#include <chrono>
#include <cstdlib>

#include "harness/base/error.hpp"
#include "harness/base/file.hpp"
#include "harness/base/process.hpp"

namespace parity {
namespace fs = std::filesystem;

Git::Git(fs::path folder) : folder_(std::move(folder)) {
  std::string pattern = (fs::temp_directory_path() / "parity_git_XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr)
    throw UserError(
        "cannot make a folder in " + fs::temp_directory_path().string() +
        " (it is needed for files of an older revision); set TMPDIR to a folder that can be written");
  scratch_ = pattern;
}

Git::~Git() {
  std::error_code ignored;
  fs::remove_all(scratch_, ignored);
}

bool Git::run(const std::vector<std::string>& words, const fs::path& output) const {
  ProcessSpec spec;
  spec.argv = {"git", "-C", folder_.string()};
  spec.argv.insert(spec.argv.end(), words.begin(), words.end());
  spec.stdout_file = output;
  std::error_code gone;
  fs::remove(output, gone);
  const auto status = Process::spawn(spec).wait_for(std::chrono::minutes(2));
  return status && status->succeeded();
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
    throw UserError("git cannot list " + below + " of " + commit + "; look at it with: git ls-tree " +
                    commit);
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
    throw UserError("git cannot show " + file + " of " + commit);
  return output;
}

}  // namespace parity
