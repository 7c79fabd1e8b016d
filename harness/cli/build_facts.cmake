# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
#
# Writes OUTPUT (a header with version, commit and build) if it would change. Run by the target build_facts.

execute_process(COMMAND git rev-parse --short=12 HEAD WORKING_DIRECTORY "${SOURCE}"
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE no_git)
if(no_git)
  set(commit "unknown")
endif()
execute_process(COMMAND git status --porcelain --untracked-files=no WORKING_DIRECTORY "${SOURCE}"
  OUTPUT_VARIABLE changes OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
set(dirty "false")
if(changes)
  set(dirty "true")
endif()

set(text "#pragma once

#include <string_view>

namespace parity::build_facts {

inline constexpr std::string_view version = \"${VERSION}\";
inline constexpr std::string_view commit = \"${commit}\";
inline constexpr bool dirty = ${dirty};
inline constexpr std::string_view build_type = \"${BUILD_TYPE}\";
inline constexpr std::string_view compiler = \"${COMPILER}\";
inline constexpr std::string_view sanitizer = \"${SANITIZER}\";

}  // namespace parity::build_facts
")
set(old "")
if(EXISTS "${OUTPUT}")
  file(READ "${OUTPUT}" old)
endif()
if(NOT old STREQUAL text)
  file(WRITE "${OUTPUT}" "${text}")
endif()
