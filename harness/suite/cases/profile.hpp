// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>

#include "harness/base/enum_names.hpp"

namespace parity {

/// Which bits a run may count on. Source: DESIGN.md, "Launching and rendezvous".
enum class Profile {
  portable,  ///< paths that every CPU with AVX2 has, whoever made it: the same bits on each; goldens use it
  native,    ///< the machine's fastest paths; MKL strict, so that the number of threads changes nothing
};

template <>
struct EnumNames<Profile> {
  static constexpr std::string_view what = "profile";
  static constexpr std::array<std::string_view, 2> names = {"portable", "native"};
};

/// The environment of a run's ranks.
/// \param threads  threads a rank uses inside an operator
std::map<std::string, std::string> profile_environment(Profile profile, int threads);

}  // namespace parity
