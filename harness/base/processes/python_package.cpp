// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/processes/python_package.hpp"

#include <cstdlib>
#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/base/processes/process.hpp"

namespace parity {
namespace fs = std::filesystem;
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// A file for what the package prints. It is removed with this object.
class Output {
 public:
  Output() : path_((fs::temp_directory_path() / "parity-XXXXXX").string()) {
    const int descriptor = ::mkstemp(path_.data());
    if (descriptor < 0)
      throw UserError("cannot write to " + fs::temp_directory_path().string() +
                      " (no new file can be made there); set TMPDIR to another folder");
    ::close(descriptor);
  }
  ~Output() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

ProcessSpec spec_of(const std::vector<std::string>& words, const Output& output) {
  ProcessSpec spec;
  const std::string python = variable("PARITY_PYTHON");
  spec.argv = {python.empty() ? "python3" : python, "-m", "parity"};
  spec.argv.insert(spec.argv.end(), words.begin(), words.end());
  if (const std::string folder = python_package_folder(); !folder.empty()) {
    const std::string others = variable("PYTHONPATH");
    spec.environment["PYTHONPATH"] = folder + (others.empty() ? "" : ":" + others);
  }
  spec.stderr_file = output.path();
  return spec;
}

}  // namespace

/// The wheel has this program in parity/installed/bin; a source tree has its builds in build/NAME/bin.
std::string python_package_folder() {
  std::error_code error;
  const fs::path root =
      fs::read_symlink("/proc/self/exe", error).parent_path().parent_path().parent_path().parent_path();
  for (const fs::path& folder : {root / "harness/python/src", root})
    if (fs::exists(folder / "parity/__main__.py", error))
      return folder.string();
  return "";
}

void run_python_package(const PackageCall& call) {
  const Output output;
  const ProcessSpec spec = spec_of(call.words, output);
  Process process = Process::spawn(spec);
  const std::optional<WaitStatus> status = process.wait_for(call.limit);
  if (!status)
    throw UserError(
        fmt::format("{} (it took longer than {} s); give a smaller one", call.problem, call.limit.count()));
  if (status->succeeded())
    return;
  std::string text = tail_of(output.path(), 1);
  while (text.ends_with('\n'))
    text.pop_back();
  const bool told = text.starts_with("parity: ");
  if (told)
    throw UserError(text.substr(8), status->exit_status() == 3 ? ExitCode::missing : ExitCode::bad_input);
  if (text.find("No module named parity") != std::string::npos)
    throw UserError(call.problem + " (" + spec.argv.front() +
                        " has no package parity, which reads this format); run: " + spec.argv.front() +
                        " -m pip install parity-harness " + call.needs,
                    ExitCode::missing);
  throw UserError(call.problem + " (" + spec.argv.front() + " -m parity " + call.words.front() +
                  " ended with " + status->text() + (text.empty() ? "" : ": " + text) +
                  "); look at its message");
}

}  // namespace parity
