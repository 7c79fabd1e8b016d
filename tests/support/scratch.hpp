// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "harness/base/files/file.hpp"
#include "harness/tensor/tensor_view.hpp"
#include "tests/support/places.hpp"

namespace parity {

/// A fresh folder for each test.
class FolderTest : public testing::Test {
 protected:
  const std::filesystem::path folder = [] {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string(info->test_suite_name()) + "." + info->name();
    for (char& c : name)
      c = c == '/' ? '_' : c;
    // One for each process, because two builds may be tested at once.
    return std::filesystem::path(testing::TempDir()) / (name + "." + std::to_string(::getpid()));
  }();
  void SetUp() override {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  std::filesystem::path trace_path() const { return folder / "trace.h5"; }
};

/// What a command printed on stdout and stderr, and its exit status.
struct CommandResult {
  int status = -1;
  std::string output;
};

inline CommandResult run_shell(const std::string& command) {
  CommandResult result;
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  std::array<char, 4096> buffer;
  while (const size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe))
    result.output.append(buffer.data(), got);
  result.status = ::pclose(pipe);
  return result;
}

/// Runs Python source in the environment that has h5py; `arguments` are sys.argv[1:].
inline CommandResult run_python(const std::filesystem::path& folder, const std::string& source,
                                const std::string& arguments) {
  write_file(folder / "script.py", source);
  return run_shell(places::python + " " + (folder / "script.py").string() + " " + arguments);
}

template <class T>
TensorView view_of(DType dtype, const std::vector<T>& values, Shape shape = {-1}) {
  if (shape == Shape{-1})
    shape = {static_cast<int64_t>(values.size())};
  return {dtype, std::move(shape), values.data()};
}

}  // namespace parity
