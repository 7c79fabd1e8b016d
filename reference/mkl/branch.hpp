// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace parity::reference {

/// Returns the branch of code that MKL takes in this process, as MKL reports it: "AVX2,STRICT", "COMPATIBLE",
/// "AUTO"; "none" where LibTorch has no MKL. Source: Intel oneMKL developer reference, mkl_cbwr_get.
std::string mkl_branch();

/// Throws UserError if MKL takes another branch than MKL_CBWR names. Without MKL, without MKL_CBWR, or with
/// AUTO, nothing is checked.
void require_mkl_branch();

}  // namespace parity::reference
