// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>

#include "reference/operators/inputs.hpp"

namespace parity::reference {

/// Returns the value of an operator's argument in the type that its schema gives it.
/// \throws UserError if the value does not fit the type
c10::IValue value_for(const c10::Argument& argument, const Chosen& chosen);

}  // namespace parity::reference
