// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "harness/coverage/table/feature.hpp"

/// The table of features, a function a topic. A new row goes here and nowhere else.
namespace parity::coverage {

std::vector<Feature> layouts();
std::vector<Feature> ways_to_compute();
std::vector<Feature> kinds_of_training();
std::vector<Feature> parts_of_models();
std::vector<Feature> files_of_tokens();
std::vector<Feature> policies();
std::vector<Feature> narrow_types_and_actors();

}  // namespace parity::coverage
