// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

/// Paths for tests. They are values, not compile definitions, so that the objects of two checkouts are the
/// same and ccache can reuse them. The variables PARITY_TEST_SOURCE and PARITY_TEST_BUILD name both folders
/// for tests that were built on another machine.
namespace parity::places {

extern const std::string source;    ///< the repository
extern const std::string build;     ///< this build; programs in its bin/
extern const std::string python;    ///< of the environment that has h5py and NumPy
extern const std::string chromium;  ///< "" if not found
/// Tests against PyTorch from Python demand equal bits, so both sides must come from the same wheel; with a
/// user's own LibTorch they are skipped.
extern const bool has_pytorch;

}  // namespace parity::places
