// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/print/file.hpp"

#include <cstdio>

#include "harness/base/files/file.hpp"

namespace parity::cli {

void print_file(const std::filesystem::path& file) {
  pass_on(file, [](std::string_view piece) { std::fwrite(piece.data(), 1, piece.size(), stdout); });
}

}  // namespace parity::cli
