// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/program.hpp"

int main(int argc, char** argv) {
  return parity::cli::run_program(argc, argv);
}
