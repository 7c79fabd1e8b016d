// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <gtest/gtest.h>

namespace parity::reference {

/// Precedes a message about the layout of a resumed run.
inline constexpr const char* resumed = "the layout that checkpoint.resume_* gives: ";

/// A config that validation refuses.
struct Impossible {
  const char* name;
  const char* toml;
  const char* named;       ///< key and value that the message names
  const char* where = "";  ///< what precedes the sentence
};

/// Its test is in validate_test.cpp, its configs in the files of their topics.
class ImpossibleConfig : public testing::TestWithParam<Impossible> {};

inline std::string name_of_rule(const testing::TestParamInfo<Impossible>& rule) {
  return rule.param.name;
}

}  // namespace parity::reference
