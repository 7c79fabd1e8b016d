// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/operators/exact/formulas.hpp"

#include <array>
#include <string>

#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/nearest.hpp"
#include "harness/operators/exact/products.hpp"
#include "harness/operators/exact/rows.hpp"
#include "harness/operators/problem/formula_names.hpp"

namespace parity::operators {
namespace {

// NOLINTBEGIN(bugprone-macro-parentheses): the name of a template stands in no parentheses
/// Builds a row of the table from a formula that is a template over the type of number.
#define PARITY_FORMULA(function, outputs)                                                           \
  Formula {                                                                                         \
    #function, outputs, function<Quad, Quad>, function<Traced<Quad>, Quad>, function<float, float>, \
        function<Traced<float>, float>, function<double, double>, function<Traced<double>, double>  \
  }

const std::array<Formula, 12> table = {
    PARITY_FORMULA(rms_norm, 1), PARITY_FORMULA(softmax, 1),        PARITY_FORMULA(cross_entropy, 1),
    PARITY_FORMULA(rope, 1),     PARITY_FORMULA(swiglu, 1),         PARITY_FORMULA(attention, 1),
    PARITY_FORMULA(matmul, 1),   PARITY_FORMULA(grouped_matmul, 1), PARITY_FORMULA(sum, 1),
    PARITY_FORMULA(norm, 1),     PARITY_FORMULA(adamw, 3),          PARITY_FORMULA(top_k_routing, 2),
};

#undef PARITY_FORMULA
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace

std::span<const Formula> formulas() {
  return table;
}

const Formula& formula_of(std::string_view name) {
  for (const Formula& formula : table)
    if (formula.name == name)
      return formula;
  throw UserError("unknown exact formula " + parity::quoted(std::string(name)) +
                  suggestion(name, formula_names()));
}

}  // namespace parity::operators
