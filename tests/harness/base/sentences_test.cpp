// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/sentences.hpp"

#include <fstream>
#include <sstream>

#include "harness/base/enum_names.hpp"
#include "harness/base/files/folder_lock.hpp"
#include "harness/base/json/items.hpp"
#include "harness/base/processes/process.hpp"
#include "tests/support/scratch.hpp"

namespace parity {
namespace {
namespace fs = std::filesystem;

enum class Fruit { apple, pear };
constexpr auto enum_names(Fruit) {
  return named<Fruit::pear>("fruit", {"apple", "pear"});
}

class BaseSentencesTest : public FolderTest {};

TEST_F(BaseSentencesTest, Files) {
  write_file(folder / "file", "12345");
  expect_sentences(
      {
          {[&] { read_file(folder); }, "cannot read DIR (it is a folder)"},
          {[&] { read_file(folder / "absent"); }, "cannot read DIR/absent (No such file or directory)"},
          {[&] { read_file("/dev/null"); }, "cannot read /dev/null (it is a device or a pipe)"},
          {[&] { read_file(folder / "file", 4); }, "cannot read DIR/file (it is larger than 4 bytes)"},
          {[&] { write_file(folder / "file" / "x", ""); },
           "cannot write DIR/file/x (Not a directory); free some space or choose another folder"},
          {[&] {
             throw error_of(fs::filesystem_error("", folder, std::make_error_code(std::errc::io_error)));
           },
           "cannot use DIR (Input/output error); check the path and its permissions"},
          {[&] { FolderLock(folder / "file" / "x", "parity run"); },
           "cannot write to DIR/file/x (Not a directory); choose another folder with --out"},
      },
      folder);
}

TEST_F(BaseSentencesTest, LockedFolder) {
  const FolderLock held(folder, "parity run");
  // The same file, so that it stays locked.
  std::ofstream(folder / ".lock")
      << R"({"pid": 12, "started": "2026-01-02T03:04:05Z", "command": "parity run"})";
  expect_sentences(
      {{[&] { FolderLock(folder, "second"); },
        "cannot use folder DIR (in use by process 12 since 2026-01-02T03:04:05Z, running: parity "
        "run); wait for that process to end, or choose another folder with --out"}},
      folder);
}

TEST_F(BaseSentencesTest, Processes) {
  expect_sentences({
      {[] { Process::spawn({{}, {}, {}, {}}); },
       "cannot start a process (its command is empty); give a program and its arguments"},
      {[] { find_program("no-such-program-here"); },
       std::string("cannot start 'no-such-program-here' (no such program in PATH, which is ") +
           std::getenv("PATH") + "); give its path or install it"},
      {[] { Process::spawn({{"/absent/program"}, {}, {}, {}}); },
       "cannot start '/absent/program' (No such file or directory); check that the program and its output "
       "folder exist and are accessible"},
  });
}

TEST_F(BaseSentencesTest, Values) {
  expect_sentences({
      {[] { parse_enum<Fruit>("peer"); }, "unknown fruit 'peer' (did you mean 'pear'?); known: apple, pear"},
      {[] { JsonItems(std::make_unique<std::istringstream>(std::string(deepest_json + 1, '[')), "cases"); },
       "it nests more than " + std::to_string(deepest_json) + " levels deep"},
      {[] { JsonItems(std::make_unique<std::istringstream>(R"({"c\u0061ses": [1]})"), "cases"); },
       "its key 'cases' is written with escape sequences, expected plain text"},
  });
}

}  // namespace
}  // namespace parity
