// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/base/json/json.hpp"
#include "harness/suite/plan/identity/command_identity.hpp"

namespace parity::suite {

/// Returns the Python that a command starts: its program, or the one that the program's "#!" line names; ""
/// if it starts none. A Python behind another program (`bash run.sh`, `uv run`) is not seen.
std::string python_of(const std::vector<std::string>& argv);

/// Returns the packages that a Python can import, as {"NAME-VERSION": HASH}. A run depends on them as on its
/// program: another version of a library is another run.
///
/// The hash is that of the list of files which pip wrote with the package, with the size and time of each
/// file. Of an editable package, and of a folder of PYTHONPATH or a .pth file, it is that of the Python
/// sources and compiled extensions there. Starts the interpreter once, for its search path; an empty object
/// if that fails, since the run then fails too.
/// \param python       an interpreter
/// \param environment  variables that it gets besides those of this process
/// \throws UserError if the interpreter is killed or takes longer than a minute
Json python_packages(const std::string& python, const std::map<std::string, std::string>& environment,
                     const HashFile& hash_file);

}  // namespace parity::suite
