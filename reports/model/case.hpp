// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/results/case.hpp"

namespace parity::reports {

// The renderers write these types without their namespace.
using results::Arm;
using results::ArmStatus;
using results::Case;
using results::CaseTimes;
using results::Check;
using results::CheckEvidence;
using results::ConfigDifference;
using results::MaskPicture;
using results::MeasuredBound;
using results::Place;
using results::Series;
using results::TensorPicture;
using results::TensorRow;
using results::Value;

}  // namespace parity::reports
