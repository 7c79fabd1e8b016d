// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/base/terminal/progress.hpp"
#include "harness/bisect/versions/pins.hpp"

namespace parity::bisect {

/// An environment of Python, or why there is none.
struct MadeEnvironment {
  std::filesystem::path python;  ///< empty: it could not be made
  std::string reason;            ///< the last line of pip
  std::filesystem::path log;

  bool made() const { return !python.empty(); }
  /// Its name is a digest of the base and the packages.
  std::filesystem::path folder() const { return python.parent_path().parent_path(); }
};

/// Where a command imports from before it imports what is installed.
struct ImportPlace {
  std::filesystem::path first;                     ///< the folder of the script
  std::map<std::string, std::string> environment;  ///< variables of the command, such as PYTHONPATH
};

/// Environments that have some packages in other versions than a base environment, and all others from it.
///
/// Each is a small virtual environment whose own packages hide those of the base. So only the packages that
/// change, and what they newly need, are installed. It stays for the next search.
class Environments {
 public:
  /// \param base    the interpreter of the base environment
  /// \param folder  where environments are kept
  Environments(std::filesystem::path base, const std::filesystem::path& folder, double timeout_seconds,
               Progress& progress);

  /// Returns the environment with these packages; makes it if there is none yet.
  /// \throws UserError (exit 130) after Ctrl-C
  const MadeEnvironment& with(const Pins& pins);

  /// Returns the releases of a package from one version to another, both included, in order. The index of pip
  /// names them. Leaves out pre-releases, unless one of the ends is one.
  /// \param with_pip  packages of the environment whose pip is asked
  /// \throws UserError if pip cannot ask the index
  std::vector<std::string> releases(const std::string& package, const std::string& from,
                                    const std::string& to, const Pins& with_pip);

  /// Returns the copies that hide installed packages there: the path by the package's name.
  /// \throws UserError if the interpreter cannot be asked
  std::map<std::string, std::string> copies(const Pins& pins, const std::vector<std::string>& packages,
                                            const ImportPlace& place);

  int64_t made() const { return made_; }  ///< number of environments that this search made

 private:
  MadeEnvironment make(const Pins& pins);
  /// Writes a script into the folder. \return its path
  std::string script(const std::string& name, const char* text) const;

  std::filesystem::path base_;
  std::filesystem::path folder_;
  double timeout_seconds_;
  Progress& progress_;
  std::map<std::string, MadeEnvironment> known_;
  int64_t made_ = 0;
};

}  // namespace parity::bisect
