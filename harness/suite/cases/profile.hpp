// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "harness/base/enum_names.hpp"

namespace parity::suite {

/// The machines on which a run gives the same bits. Case key `profile`: cases/README.md.
enum class Profile {
  /// Code paths of every CPU with AVX2, of any vendor, so each gives the same bits. Goldens use this profile.
  portable,
  /// The machine's fastest code paths. MKL is strict, so the number of threads does not change the bits.
  native,
};

constexpr auto enum_names(Profile) {
  return named<Profile::native>("profile", {"portable", "native"});
}

/// Returns the environment variables that a profile sets for the ranks of a run.
/// \param threads  number of threads that a rank uses inside an operator
std::map<std::string, std::string> profile_environment(Profile profile, int threads);

}  // namespace parity::suite
