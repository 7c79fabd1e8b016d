// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/slurm/tool_call.hpp"

#include <thread>

#include <fmt/format.h>
#include <stdlib.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

constexpr uint64_t largest_answer = 64 << 20;

std::string text_of_file(const fs::path& file) {
  std::error_code error;
  return fs::exists(file, error) ? read_file(file, largest_answer) : "";
}

}  // namespace

ToolCall::ToolCall(const std::vector<std::string>& argv, std::chrono::seconds limit)
    : end_(std::chrono::steady_clock::now() + limit) {
  std::string pattern = (fs::temp_directory_path() / "parity-call-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr)
    throw UserError(
        fmt::format("cannot write to {}; set TMPDIR to another folder", fs::temp_directory_path().string()));
  folder_ = pattern;
  ProcessSpec spec;
  spec.argv = argv;
  spec.environment = {{"LC_ALL", "C"}};
  spec.stdout_file = folder_ / "out";
  spec.stderr_file = folder_ / "err";
  try {
    process_ = Process::spawn(spec);
  } catch (const UserError& error) {
    problem_ = error.what();
  }
}

ToolCall::~ToolCall() {
  process_.reset();
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

std::optional<ToolAnswer> ToolCall::poll() {
  if (!process_)
    return ToolAnswer{false, "", problem_};
  const auto status = process_->poll();
  if (status)
    return ToolAnswer{status->succeeded(), text_of_file(folder_ / "out"), text_of_file(folder_ / "err")};
  if (std::chrono::steady_clock::now() < end_)
    return std::nullopt;
  process_.reset();
  problem_ = "Socket timed out: the command did not end within its time limit";
  return ToolAnswer{false, "", problem_};
}

std::string ToolCall::err_so_far() const {
  return text_of_file(folder_ / "err");
}

ToolAnswer ToolCall::wait() {
  for (;;) {
    if (auto answer = poll())
      return *answer;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace parity::suite
