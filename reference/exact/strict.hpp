// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// What equal residues do not cover, refused where somebody asks for a proof of functions.
#pragma once

#include <string>

#include "reference/exact/call.hpp"

namespace parity::reference::exact {

/// From now on, refuses (or accepts again) in all threads: numbers that a program reads out or casts to
/// integers, decisions about values that are NaN or an infinity, random numbers, and numbers whose bits are
/// read as integers.
void refuse_strictly(bool strictly);

/// What an operator does with the values of numbers.
enum class Use {
  number,    ///< a rule gives their residues
  decision,  ///< it decides by the values
  view,      ///< it shows the same memory
  constant,  ///< it has no numbers among its arguments
};

/// \throws UserError if a strict twin refuses this call
void check_strictly(const Call& call, Use use);

/// Returns whether the rule of an operator decides by the values. \param base  base_name()
bool chooses(const std::string& base);

}  // namespace parity::reference::exact
