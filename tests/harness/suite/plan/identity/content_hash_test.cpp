// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/plan/identity/content_hash.hpp"

#include <chrono>
#include <thread>

#include <gtest/gtest.h>
#include <stdlib.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/suite/cases/flat_config.hpp"
#include "harness/suite/cases/profile.hpp"
#include "harness/suite/plan/identity/machine.hpp"

namespace parity::suite {
namespace {
namespace fs = std::filesystem;

class ContentHashTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "hash_XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_;
};

TEST_F(ContentHashTest, EveryByteAndTheLengthCount) {
  EXPECT_EQ(content_hash("abcdefghi"), content_hash("abcdefghi"));
  EXPECT_NE(content_hash("abcdefghi"), content_hash("abcdefghj"));
  EXPECT_NE(content_hash("abcdefghi"), content_hash("bacdefghi"));
  EXPECT_NE(content_hash(""), content_hash(std::string(1, '\0')));
  EXPECT_NE(content_hash(std::string(8, '\0')), content_hash(std::string(16, '\0')));
}

TEST_F(ContentHashTest, AFileHashesLikeItsBytesAndAChangeIsSeen) {
  ContentHashes hashes(folder_ / "memory.json");
  write_file(folder_ / "file", "first");
  EXPECT_EQ(hashes.of_file(folder_ / "file"), content_hash("first"));
  write_file(folder_ / "file", "other");
  EXPECT_EQ(hashes.of_file(folder_ / "file"), content_hash("other"));
  EXPECT_THROW(hashes.of_file(folder_ / "missing"), UserError);
}

TEST_F(ContentHashTest, HashesAreRememberedAndABrokenMemoryIsMadeAnew) {
  write_file(folder_ / "file", "contents");
  write_file(folder_ / "memory.json", "{broken");
  std::this_thread::sleep_for(std::chrono::milliseconds(3100));  // a file that just changed is hashed again
  {
    EXPECT_EQ(ContentHashes(folder_ / "memory.json").of_file(folder_ / "file"), content_hash("contents"));
  }
  Json memory = Json::parse(read_file(folder_ / "memory.json"));
  const std::string key = fs::absolute(folder_ / "file").lexically_normal().string();
  memory[key]["hash"] = "remembered";  // proof that it is not read again
  write_file(folder_ / "memory.json", memory.dump());
  EXPECT_EQ(ContentHashes(folder_ / "memory.json").of_file(folder_ / "file"), "remembered");
}

TEST_F(ContentHashTest, AProgramIsHashedWithItsLibraries) {
  ContentHashes hashes(folder_ / "memory.json");
  EXPECT_NE(hashes.of_program("/bin/sh"), hashes.of_file("/bin/sh"));
  write_file(folder_ / "script", "#!/bin/sh\n");
  EXPECT_NE(hashes.of_program(folder_ / "script"), "");
}

/// Puts a shell script before the programs of PATH, for as long as it lives.
class FirstInPath {
 public:
  FirstInPath(const fs::path& folder, const std::string& name, const std::string& script)
      : path_(std::getenv("PATH")) {
    write_file(folder / name, "#!/bin/sh\n" + script + "\n");
    fs::permissions(folder / name, fs::perms::owner_all);
    ::setenv("PATH", (folder.string() + ":" + path_).c_str(), 1);
  }
  ~FirstInPath() { ::setenv("PATH", path_.c_str(), 1); }

 private:
  std::string path_;
};

/// As when a scheduler ends a job while it lists the libraries: an empty list would be another identity.
TEST_F(ContentHashTest, AListOfLibrariesThatWasCutShortIsNotRemembered) {
  for (const char* script : {"kill -9 $$", "exit 1", "echo; kill -15 $$"}) {
    const FirstInPath killed(folder_, "ldd", script);
    EXPECT_THROW(ContentHashes(folder_ / "memory.json").of_program("/bin/sh"), UserError) << script;
  }
  EXPECT_EQ(ContentHashes(folder_ / "memory.json").of_program("/bin/sh"),
            ContentHashes(folder_ / "other.json").of_program("/bin/sh"));
}

/// As when a library appears in an earlier folder of the program's search path. The program stays as it was.
TEST_F(ContentHashTest, AnotherLibraryOfTheSameProgramCounts) {
  const auto hash_with = [&](const std::string& library) {
    write_file(folder_ / library, library);
    const FirstInPath ldd(folder_, "ldd", "echo 'x => " + (folder_ / library).string() + " (0x1)'");
    return ContentHashes(folder_ / "memory.json").of_program("/bin/sh");
  };
  const std::string first = hash_with("a.so");
  EXPECT_NE(hash_with("b.so"), first);
  EXPECT_EQ(hash_with("a.so"), first);
}

TEST(FlatConfigTest, NestingAndFlatteningAreInverse) {
  const FlatConfig flat = {{"model", "x"}, {"lr.base", 0.5}, {"a.b.c", Json::array({1, 2})}};
  EXPECT_EQ(nest(flat), (Json{{"model", "x"}, {"lr", {{"base", 0.5}}}, {"a", {{"b", {{"c", {1, 2}}}}}}}));
  EXPECT_EQ(flatten(nest(flat)), flat);
  EXPECT_THROW(nest({{"lr", 1}, {"lr.base", 2}}), UserError);
}

TEST(CpuFactsTest, TheFirstProcessorIsRead) {
  const CpuFacts facts = parse_cpu_facts(
      "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nmodel name\t: X\n"
      "flags\t\t: fpu avx2 avx512f sse4_2 hypervisor\n\nprocessor\t: 1\nvendor_id\t: Other\n");
  EXPECT_EQ(facts.vendor, "GenuineIntel");
  EXPECT_EQ(facts.model, "85");
  EXPECT_EQ(facts.features, (std::vector<std::string>{"avx2", "avx512f", "sse4_2"}));
  EXPECT_EQ(parse_cpu_facts("").vendor, "unknown");
  EXPECT_GE(core_count(), 1);
}

TEST(ProfileTest, PortableFixesTheKernelsAndBothFixTheThreads) {
  EXPECT_EQ(profile_environment(Profile::portable, 1).at("ATEN_CPU_CAPABILITY"), "avx2");
  EXPECT_EQ(profile_environment(Profile::portable, 1).at("MKL_CBWR"), "AVX2,STRICT");
  EXPECT_EQ(profile_environment(Profile::native, 4).at("OMP_NUM_THREADS"), "4");
  EXPECT_FALSE(profile_environment(Profile::native, 1).contains("ATEN_CPU_CAPABILITY"));
}

}  // namespace
}  // namespace parity::suite
