// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/traces/first_bad_operator.hpp"

#include <fmt/format.h>

#include "harness/compare/traces/collectives.hpp"

namespace parity::bisect {

std::string FirstBadOperator::text() const {
  const std::string where = key && key->phase == trace::Phase::backward ? " in backward" : "";
  switch (kind) {
    case Kind::computes:
      if (decides)
        return fmt::format(
            "{} of {}{} decides otherwise about numbers with equal residues, because their values "
            "round differently",
            op, module, where);
      if (module == compare::collective_module)
        return fmt::format("{}{} gives this rank other bytes for the bytes that it put in", op, where);
      return fmt::format("{} of {}{} gives a different result from the same inputs", op, module, where);
    case Kind::reads:
      return fmt::format("{} of {}{} receives a different {}{}", op, module, where, slot,
                         numbers.empty() ? ", which no earlier operator computed" : ": " + numbers);
    case Kind::written:
      return "no operator computes it differently: it was changed after it was computed";
    case Kind::others:
      if (op == no_operator || other_op == no_operator)
        return fmt::format("only the {} side runs {} of {}{}", op == no_operator ? "second" : "first",
                           op == no_operator ? other_op : op, module, where);
      return fmt::format("the sides run different operators from here: {} of {}{} against {}", op, module,
                         where, other_op);
  }
  return "";
}

Json FirstBadOperator::to_json() const {
  constexpr std::array<const char*, 4> kinds = {"computes", "reads", "written", "others"};
  return {{"kind", kinds.at(static_cast<size_t>(kind))},
          {"module", module},
          {"op", op},
          {"slot", slot},
          {"other_op", other_op},
          {"numbers", numbers},
          {"tensor", key ? Json(key->name) : Json()}};
}

}  // namespace parity::bisect
