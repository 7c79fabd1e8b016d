// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/operators/problem/problem.hpp"

namespace parity::operators {

/// The values of an input's tensors at one point, by number of the tensor within the input.
using InputValues = std::map<std::string, std::vector<std::vector<double>>>;

/// Returns the inputs of a point.
InputValues values_at(const Problem& problem, const Point& point);

/// Writes the inputs of one point to a trace whose tensors an input can name: from = "FILE:NAME". The tensors
/// of a list are NAME.0, NAME.1, ...
/// \throws UserError if the file cannot be written
void write_reproducer(const std::filesystem::path& file, const Problem& problem, const Point& point,
                      const InputValues& values);

/// Returns the lines of an [operator] table that take their inputs from such a file.
std::string reproducer_lines(const std::string& file, const Problem& problem, const Point& point);

}  // namespace parity::operators
