// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace parity {

/// Exit status of `parity` and `parity-train`. Source: README.md, "CI".
enum class ExitCode : int {
  agree = 0,      ///< every check passed
  differ = 1,     ///< a check failed
  bad_input = 2,  ///< bad usage, case, config or file
  /// Something needed is missing: a golden, GPU or library.
  missing = 3,
  /// A run crashed, hung or produced a value that is not finite.
  crashed = 4,
  internal = 70,  ///< a bug in this program
  /// Ctrl-C; finished results are kept (128 + SIGINT, the shells' convention).
  interrupted = 130,
};

}  // namespace parity
