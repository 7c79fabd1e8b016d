// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "reference/data/formats/stored_tokens.hpp"
#include "tests/support/scratch.hpp"

namespace parity::reference {

/// A folder of token files that Python writes with NumPy, or the test byte by byte.
class StoredTokensTest : public FolderTest {
 protected:
  DataConfig named(const std::string& name, TokenFormat format) const {
    DataConfig data;
    data.source = DataSource::tokens;
    data.path = (folder / name).string();
    data.format = format;
    return data;
  }
  /// Runs a program with NumPy as np and the folder as `f`.
  void python(const std::string& program) const {
    const CommandResult result = run_python(
        folder, "import sys, struct, pathlib\nimport numpy as np\nf = pathlib.Path(sys.argv[1])\n" + program,
        folder.string());
    ASSERT_EQ(result.status, 0) << result.output;
  }
  DataConfig bytes(const std::string& name, TokenFormat format, const std::string& content) const {
    write_file(folder / name, content);
    return named(name, format);
  }
  static void expect_refused(const DataConfig& data, const std::string& words) {
    try {
      read_stored_tokens(data, 50);
      ADD_FAILURE() << "accepted " << data.path << "; expected " << words;
    } catch (const UserError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(words));
      EXPECT_THAT(error.what(), testing::HasSubstr(folder_name(data)));
    }
  }

 private:
  static std::string folder_name(const DataConfig& data) {
    return std::filesystem::path(data.path).parent_path().string();
  }
};

}  // namespace parity::reference
