// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "harness/base/json/json.hpp"
#include "harness/compare/tensors/gap.hpp"
#include "harness/golden/content.hpp"
#include "harness/results/pictures.hpp"
#include "harness/suite/judge/evidence.hpp"
#include "harness/suite/judge/judge_case.hpp"

namespace parity::suite {

/// Returns the picture of a difference, at most 48 by 64 cells; nothing if the tensors are equal or cannot be
/// subtracted. Whole tensors give elements; sketches give the blocks of the flat tensor that differ.
std::optional<results::TensorPicture> picture_of(const compare::TensorSource& expected,
                                                 const compare::TensorSource& actual);

/// Returns the pictures of a case by index in `judged`: at most 4, failures first.
///
/// A check of tensors that failed or found rounding has a picture of the tensor that its sentence names.
/// \param golden  content of the case's golden; empty without one
std::map<size_t, results::TensorPicture> tensor_pictures(const std::vector<JudgedCheck>& judged,
                                                         const Evidence& evidence,
                                                         const golden::GoldenContent& golden);

}  // namespace parity::suite
