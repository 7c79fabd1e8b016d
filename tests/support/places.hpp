// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

/// Where tests find things. Values, not compile definitions: the objects of two checkouts then are the same,
/// and ccache answers for one from the other.
namespace parity::places {

extern const std::string source;    ///< the repository
extern const std::string build;     ///< this build; programs in its bin/
extern const std::string python;    ///< of the environment that has h5py and NumPy
extern const std::string chromium;  ///< "" where there is none
/// Tests against PyTorch from Python demand equal bits, so both sides must come from the same wheel; with a
/// LibTorch of the user's own they are skipped.
extern const bool has_pytorch;

}  // namespace parity::places
