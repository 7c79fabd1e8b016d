// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/model/case.hpp"

namespace parity::reports {

/// Returns "256 × 64", or "scalar".
std::string describe_shape(const TensorPicture& picture);

/// Where the tensor differs, for those who do not see the picture: "grad layers.1.wq.weight (256 × 64) at
/// update 1: differs in 96 of 3072 cells, all in rows 32-47; largest 2.3e-07".
/// \param place  in place of the update: the point of an operator's sweep
std::string picture_sentence(const TensorPicture& picture, const std::string& place = "");

}  // namespace parity::reports
