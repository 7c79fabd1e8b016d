// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/runs/python_environment.hpp"

#include <gmock/gmock.h>

#include "tests/support/scratch.hpp"

namespace parity::suite {
namespace {
namespace fs = std::filesystem;

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

class PythonEnvironmentTest : public FolderTest {
 protected:
  PythonEnvironmentTest() { fs::create_directories(packages); }

  const fs::path packages = folder / "venv/lib/python3.11/site-packages";
  PythonSpec python = {folder / "venv/bin/python", "make it so", {"typing-extensions", "torch"}};

  void make_interpreter() const {
    fs::create_directories(python.interpreter.parent_path());
    write_file(python.interpreter, "");
  }
};

TEST_F(PythonEnvironmentTest, ACaseWithoutOneMissesNothing) {
  EXPECT_EQ(missing_environment({}), "");
}

TEST_F(PythonEnvironmentTest, AnInterpreterThatIsNotThereIsNamedWithTheCommandThatMakesIt) {
  EXPECT_THAT(missing_environment(python), AllOf(HasSubstr("its Python is not there ("),
                                                 EndsWith("venv/bin/python); make it with: make it so")));
}

TEST_F(PythonEnvironmentTest, PackagesThatAreNotThereAreNamed) {
  make_interpreter();
  EXPECT_THAT(missing_environment(python), HasSubstr("its Python lacks typing-extensions, torch ("));
  fs::create_directories(packages / "typing_extensions-4.16.0.dist-info");
  fs::create_directories(packages / "torchvision-1.0.dist-info");  // another package
  EXPECT_THAT(missing_environment(python), AllOf(HasSubstr("lacks torch ("), Not(HasSubstr("typing"))));
  fs::create_directories(packages / "torch-2.11.0.dist-info");
  EXPECT_EQ(missing_environment(python), "");
}

}  // namespace
}  // namespace parity::suite
