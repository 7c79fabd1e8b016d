// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/plan/identity/python_packages.hpp"

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/suite/plan/identity/content_hash.hpp"
#include "tests/support/scratch.hpp"

namespace parity::suite {
namespace {
namespace fs = std::filesystem;

/// A Python that imports from two folders of its own, and from what PYTHONPATH says.
class PythonPackagesTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    write_file(folder / "site-packages/torch-2.0.dist-info/RECORD", "torch/a.py,sha256=1,10\n");
    write_file(folder / "site-packages/torch/a.py", "a = 1\n");
    write_file(folder / "src/trainer/loop.py", "steps = 1\n");
    write_file(folder / "src/notes.txt", "nothing that Python runs\n");
  }
  Json packages() const {
    const std::string path = (folder / "site-packages").string() + ":" + (folder / "src").string();
    return python_packages("python3", {{"PYTHONPATH", path}},
                           [](const fs::path& file) { return hash_of_contents(file); });
  }
  std::string source_key() const { return (folder / "src").string(); }
};

TEST_F(PythonPackagesTest, PackageAndSources_AreNamed) {
  const Json found = packages();
  ASSERT_TRUE(found.contains("torch-2.0")) << found;
  ASSERT_TRUE(found.contains(source_key())) << found;
  EXPECT_EQ(found, packages());
}

TEST_F(PythonPackagesTest, OtherVersion_IsAnotherKey) {
  fs::rename(folder / "site-packages/torch-2.0.dist-info", folder / "site-packages/torch-2.1.dist-info");
  EXPECT_FALSE(packages().contains("torch-2.0"));
  EXPECT_TRUE(packages().contains("torch-2.1"));
}

TEST_F(PythonPackagesTest, OtherBuildOfOneVersion_IsAnotherHash) {
  const Json before = packages();
  write_file(folder / "site-packages/torch-2.0.dist-info/RECORD", "torch/a.py,sha256=2,10\n");
  EXPECT_NE(packages().at("torch-2.0"), before.at("torch-2.0"));
}

TEST_F(PythonPackagesTest, FileOfAPackageEditedInPlace_IsAnotherHash) {
  const fs::path file = folder / "site-packages/torch/a.py";
  const Json before = packages();
  const auto time = fs::last_write_time(file);
  write_file(file, "a = 20\n");
  fs::last_write_time(file, time);
  const Json longer = packages();
  EXPECT_NE(longer.at("torch-2.0"), before.at("torch-2.0"));
  fs::last_write_time(file, time + std::chrono::seconds(1));
  EXPECT_NE(packages().at("torch-2.0"), longer.at("torch-2.0"));
  fs::remove(file);
  EXPECT_NE(packages().at("torch-2.0"), longer.at("torch-2.0"));
}

TEST_F(PythonPackagesTest, BytecodeOfAPackage_DoesNotCount) {
  write_file(folder / "site-packages/torch-2.0.dist-info/RECORD", "torch/a.pyc,,\n");
  const Json before = packages();
  write_file(folder / "site-packages/torch/a.pyc", "compiled");
  EXPECT_EQ(packages(), before);
}

TEST_F(PythonPackagesTest, EditedSource_IsAnotherHash) {
  const Json before = packages();
  write_file(folder / "src/notes.txt", "other notes\n");
  EXPECT_EQ(packages(), before);
  write_file(folder / "src/trainer/loop.py", "steps = 2\n");
  EXPECT_NE(packages().at(source_key()), before.at(source_key()));
}

TEST_F(PythonPackagesTest, RebuiltExtension_IsAnotherHash) {
  write_file(folder / "src/trainer/kernels.so", "one build");
  const Json before = packages();
  write_file(folder / "src/trainer/kernels.so", "another build");
  EXPECT_NE(packages().at(source_key()), before.at(source_key()));
}

TEST_F(PythonPackagesTest, EditablePackage_IsItsFolder) {
  write_file(folder / "repo/mine.py", "x = 1\n");
  write_file(folder / "site-packages/mine-1.dist-info/RECORD", "mine.pth,,\n");
  write_file(folder / "site-packages/mine-1.dist-info/direct_url.json",
             R"({"url": "file://)" + (folder / "repo").string() + R"(", "dir_info": {"editable": true}})");
  const Json before = packages();
  write_file(folder / "repo/mine.py", "x = 2\n");
  EXPECT_NE(packages().at("mine-1"), before.at("mine-1"));
}

TEST_F(PythonPackagesTest, SameVersionInTwoFolders_BothCount) {
  const fs::path second = folder / "more/site-packages";
  write_file(second / "torch-2.0.dist-info/RECORD", "torch/a.py,sha256=1,10\n");
  const std::string path = (folder / "site-packages").string() + ":" + second.string();
  const auto found = [&] {
    return python_packages("python3", {{"PYTHONPATH", path}},
                           [](const fs::path& file) { return hash_of_contents(file); });
  };
  const Json before = found();
  write_file(folder / "site-packages/torch/a.py", "a = 20\n");
  const Json first_changed = found();
  EXPECT_NE(first_changed, before);
  write_file(second / "torch/a.py", "a = 300\n");
  EXPECT_NE(found(), first_changed);
}

TEST_F(PythonPackagesTest, BrokenPython_HasNone) {
  EXPECT_EQ(python_packages("/no/such/python3", {}, [](const fs::path&) { return ""; }), Json::object());
}

TEST_F(PythonPackagesTest, PythonOf_ReadsProgramAndFirstLine) {
  EXPECT_EQ(python_of({"/env/bin/python3.11", "train.py"}), "/env/bin/python3.11");
  const fs::path script = folder / "torchrun";
  write_file(script, "#!/env/bin/python\nimport sys\n");
  EXPECT_EQ(python_of({script.string(), "train.py"}), "/env/bin/python");
  write_file(script, "#!/usr/bin/env python3\n");
  EXPECT_EQ(python_of({script.string()}), "python3");
  EXPECT_EQ(python_of({"env", "X=1", "/env/bin/python3.11", "train.py"}), "/env/bin/python3.11");
  EXPECT_EQ(python_of({"sh", "-c", "exec python train.py"}), "python");
  EXPECT_EQ(python_of({"sh", "run.sh", "python_notes.txt"}), "");
  EXPECT_EQ(python_of({}), "");
}

TEST_F(PythonPackagesTest, KilledPython_IsAnErrorAndNoEmptyList) {
  write_file(folder / "python3", "#!/bin/sh\nkill -9 $$\n");
  fs::permissions(folder / "python3", fs::perms::owner_all);
  EXPECT_THROW(python_packages((folder / "python3").string(), {}, [](const auto&) { return ""; }), UserError);
}

TEST_F(PythonPackagesTest, PythonThatDoesNotStart_HasNoPackages) {
  EXPECT_EQ(python_packages((folder / "missing").string(), {}, [](const auto&) { return ""; }),
            Json::object());
}

}  // namespace
}  // namespace parity::suite
