// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace parity {

/// Exit status of `parity` and `parity-train`. Source: DESIGN.md, "CLI".
enum class ExitCode : int {
  agree = 0,          ///< every check held
  differ = 1,         ///< a check failed
  bad_input = 2,      ///< bad usage, case, config or file
  missing = 3,        ///< something needed is not there: golden, GPU, library
  crashed = 4,        ///< a run crashed, hung or ended with a number that was not finite
  internal = 70,      ///< a bug of ours
  interrupted = 130,  ///< Ctrl-C: what was finished is kept (128 + SIGINT, as shells count)
};

}  // namespace parity
