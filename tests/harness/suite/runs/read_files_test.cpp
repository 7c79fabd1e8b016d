// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/runs/read_files.hpp"

#include <chrono>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/base/files/file.hpp"
#include "harness/suite/plan/rank_environment.hpp"
#include "tests/support/scratch.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

class ReadFilesTest : public FolderTest {
 protected:
  std::filesystem::path list_of(const std::string& process) const {
    return folder / fmt::format("{}.{}.json", sources_name, process);
  }
  fs::file_time_type begun() const { return fs::last_write_time(folder / "capture.json"); }
  void SetUp() override {
    FolderTest::SetUp();
    write_file(folder / "helper.py", "rate = 1\n");
    write_file(list_of("0.7"), Json::array({(folder / "helper.py").string()}).dump());
    write_file(folder / "capture.json", "{}");
  }
};

TEST_F(ReadFilesTest, UnchangedFiles_Count) {
  const Json hashes = hash_read_files(folder, false);
  EXPECT_EQ(hashes.size(), 1U);
  EXPECT_TRUE(has_unchanged_files(hashes));
}

TEST_F(ReadFilesTest, AChangedOrMissingFile_DoesNot) {
  const Json hashes = hash_read_files(folder, false);
  write_file(folder / "helper.py", "rate = 2\n");
  EXPECT_FALSE(has_unchanged_files(hashes));
  std::filesystem::remove(folder / "helper.py");
  EXPECT_FALSE(has_unchanged_files(hashes));
  EXPECT_FALSE(has_unchanged_files(hash_read_files(folder, false))) << "it was gone when the run ended";
}

TEST_F(ReadFilesTest, AModuleOfAnotherRank_Counts) {
  write_file(folder / "only_there.py", "rate = 1\n");
  write_file(folder / "capture.json", "{}");
  write_file(list_of("1.8"), Json::array({(folder / "only_there.py").string()}).dump());
  const Json hashes = hash_read_files(folder, false);
  EXPECT_EQ(hashes.size(), 2U);
  EXPECT_TRUE(has_unchanged_files(hashes));
  write_file(folder / "only_there.py", "rate = 2\n");
  EXPECT_FALSE(has_unchanged_files(hashes));
}

TEST_F(ReadFilesTest, AFileThatChangedWhileTheRunTrained_IsNeverCurrent) {
  using namespace std::chrono_literals;
  std::filesystem::last_write_time(folder / "helper.py", std::filesystem::file_time_type::clock::now() + 5s);
  EXPECT_FALSE(has_unchanged_files(hash_read_files(folder, false)));
}

TEST_F(ReadFilesTest, ADataFileThatWasRead_Counts) {
  write_file(folder / "rates.yaml", "lr: 1\n");
  write_file(folder / "capture.json", "{}");
  write_file(folder / fmt::format("{}.0.7.read", sources_name),
             Json::array({"r", (folder / "rates.yaml").string()}).dump() + "\n" +
                 Json::array({"r", (folder / "gone").string()}).dump() + "\n");
  const Json hashes = hash_read_files(folder, false);
  EXPECT_EQ(hashes.size(), 3U);
  EXPECT_TRUE(has_unchanged_files(hashes));
  write_file(folder / "rates.yaml", "lr: 2\n");
  EXPECT_FALSE(has_unchanged_files(hashes));
}

TEST_F(ReadFilesTest, WhatTheRunLookedForInVain_Counts) {
  std::string lines;
  for (const auto& [way, name] :
       std::map<std::string, std::string>{{"r", "over"}, {"d", "shards"}, {"m", "lib"}})
    lines += Json::array({way, (folder / name).string()}).dump() + "\n";
  write_file(folder / fmt::format("{}.0.7.read", sources_name), lines);
  const Json hashes = hash_read_files(folder, false);
  EXPECT_TRUE(has_unchanged_files(hashes));
  write_file(folder / "over", "lr: 2\n");
  EXPECT_FALSE(has_unchanged_files(hashes));
  fs::remove(folder / "over");
  for (const char* name : {"shards", "lib"}) {
    EXPECT_TRUE(has_unchanged_files(hashes));
    fs::create_directory(folder / name);
    EXPECT_FALSE(has_unchanged_files(hashes)) << name;
    fs::remove(folder / name);
  }
}

TEST_F(ReadFilesTest, AnotherModuleToImport_Counts) {
  const fs::path place = folder / "plugins";
  write_file(place / "a.py", "");
  write_file(folder / fmt::format("{}.0.7.read", sources_name),
             Json::array({"m", place.string()}).dump() + "\n");
  const Json hashes = hash_read_files(folder, false);
  write_file(place / "notes.txt", "not a module");
  fs::create_directory(place / "data");
  EXPECT_TRUE(has_unchanged_files(hashes));
  for (const char* name : {"b.py", "c.so", "package/__init__.py"}) {
    write_file(place / name, "");
    EXPECT_FALSE(has_unchanged_files(hashes)) << name;
    fs::remove(place / name);
    EXPECT_TRUE(has_unchanged_files(hashes));
  }
}

TEST_F(ReadFilesTest, CommandThatHidesItsPython_NeverAnswers) {
  EXPECT_FALSE(has_unchanged_files(hash_read_files(folder, false, {"sh", "run.sh"})));
  EXPECT_TRUE(has_unchanged_files(hash_read_files(folder, false, {"sh", "-c", "python train.py"})));
}

TEST_F(ReadFilesTest, OlderFileMovedIntoPlace_IsNeverCurrent) {
  using namespace std::chrono_literals;
  write_file(folder / "other.py", "rate = 2\n");
  fs::last_write_time(folder / "other.py", begun() - 24h);
  fs::rename(folder / "other.py", folder / "helper.py");
  EXPECT_FALSE(has_unchanged_files(hash_read_files(folder, false)));
}

TEST_F(ReadFilesTest, LargeFiles_CountByTheirTimes) {
  using namespace std::chrono_literals;
  const std::string path = (folder / "corpus.bin").string();
  write_file(path, "tokens");
  std::filesystem::resize_file(path, 257 << 20);  // a hole
  write_file(folder / "capture.json", "{}");
  write_file(folder / fmt::format("{}.0.7.read", sources_name), Json::array({"r", path}).dump() + "\n");
  const Json hashes = hash_read_files(folder, false);
  EXPECT_TRUE(has_unchanged_files(hashes));
  std::filesystem::last_write_time(path, std::filesystem::last_write_time(path) - 5s);
  EXPECT_FALSE(has_unchanged_files(hashes));
}

TEST_F(ReadFilesTest, NamesOfAListedFolder_Count) {
  const std::filesystem::path data = folder / "data";
  std::filesystem::create_directory(data);
  write_file(data / "1.txt", "tokens");
  write_file(data / "log.txt", "written by the run");
  write_file(folder / "capture.json", "{}");
  write_file(folder / fmt::format("{}.0.7.read", sources_name),
             Json::array({"d", data.string()}).dump() + "\n" +
                 Json::array({"w", (data / "log.txt").string()}).dump() + "\n");
  const Json hashes = hash_read_files(folder, false);
  EXPECT_TRUE(has_unchanged_files(hashes));
  std::filesystem::remove(data / "log.txt");
  EXPECT_TRUE(has_unchanged_files(hashes)) << "the run writes it again";
  write_file(data / "2.txt", "more tokens");
  EXPECT_FALSE(has_unchanged_files(hashes));
  std::filesystem::remove_all(data);
  EXPECT_FALSE(has_unchanged_files(hashes));
}

TEST_F(ReadFilesTest, AFileThatTheRunWrote_DoesNotCount) {
  using namespace std::chrono_literals;
  write_file(folder / "cache.bin", "1");
  std::filesystem::last_write_time(folder / "cache.bin", std::filesystem::file_time_type::clock::now() + 5s);
  const std::string path = (folder / "cache.bin").string();
  write_file(folder / fmt::format("{}.1.8.read", sources_name), Json::array({"r", path}).dump() + "\n");
  EXPECT_FALSE(has_unchanged_files(hash_read_files(folder, false))) << "somebody else may have changed it";
  write_file(folder / fmt::format("{}.0.7.read", sources_name), Json::array({"w", path}).dump() + "\n");
  EXPECT_TRUE(has_unchanged_files(hash_read_files(folder, false)));
}

TEST_F(ReadFilesTest, AFileOpenedForBoth_CountsUnlessTheRunWroteIt) {
  const fs::path data = folder / "data.bin";
  write_file(data, "1");
  fs::last_write_time(data, begun() - std::chrono::hours(1));
  write_file(folder / "capture.json", "{}");
  write_file(
      folder / fmt::format("{}.0.7.read", sources_name),
      Json::array({"rw", data.string()}).dump() + "\n" + Json::array({"r", data.string()}).dump() + "\n");
  const Json hashes = hash_read_files(folder, false);
  EXPECT_TRUE(hashes.contains(data.string()));
  EXPECT_TRUE(has_unchanged_files(hashes));
  write_file(data, "2");
  EXPECT_FALSE(has_unchanged_files(hashes));
  fs::last_write_time(data, begun() + std::chrono::hours(1));
  EXPECT_FALSE(hash_read_files(folder, false).contains(data.string())) << "the run wrote it";
}

TEST_F(ReadFilesTest, APackageThatReadsUnseen_NeverAnswersWithoutListedData) {
  write_file(folder / fmt::format("{}.0.7.read", sources_name), "[\"c\", \"h5py\"]\n");
  EXPECT_FALSE(has_unchanged_files(hash_read_files(folder, false)));
  EXPECT_TRUE(has_unchanged_files(hash_read_files(folder, true)));
}

TEST_F(ReadFilesTest, AListThatIsNotWhole_NeverAnswers) {
  write_file(folder / fmt::format("{}.0.7.read", sources_name), "[\"more\", \"\"]\n");
  EXPECT_FALSE(has_unchanged_files(hash_read_files(folder, false)));
}

TEST_F(ReadFilesTest, ADamagedList_NeverAnswers) {
  write_file(folder / fmt::format("{}.0.7.read", sources_name), "[\"r\", \"/tru");
  EXPECT_FALSE(has_unchanged_files(hash_read_files(folder, false)));
  EXPECT_FALSE(has_unchanged_files({{folder.string(), {{"names", 1}, {"without", 2}}}}));
  EXPECT_FALSE(has_unchanged_files({{folder.string(), 3}}));
}

TEST_F(ReadFilesTest, AProgramThatListsNone_HasNone) {
  std::filesystem::remove(list_of("0.7"));
  EXPECT_TRUE(has_unchanged_files(hash_read_files(folder, false)));
}

TEST_F(ReadFilesTest, SourcesBesideAScript_CountWithoutAList) {
  std::filesystem::remove(list_of("0.7"));
  write_file(folder / "pack" / "__init__.py", "");
  write_file(folder / "pack" / "part.py", "rate = 1\n");
  write_file(folder / "lib" / "plain.py", "");  // a package needs no __init__.py
  write_file(folder / "venv" / "pyvenv.cfg", "");
  write_file(folder / "venv" / "other.py", "");
  write_file(folder / "train.py", "import helper\n");
  write_file(folder / "capture.json", "{}");
  const std::vector<std::string> command = {"python", (folder / "train.py").string(), "--lr", "1"};
  const Json hashes = hash_read_files(folder, false, command);
  EXPECT_EQ(hashes.size(), 5U) << hashes.dump();
  EXPECT_TRUE(has_unchanged_files(hashes));
  write_file(folder / "pack" / "part.py", "rate = 2\n");
  EXPECT_FALSE(has_unchanged_files(hashes));
}

}  // namespace
}  // namespace parity::suite
