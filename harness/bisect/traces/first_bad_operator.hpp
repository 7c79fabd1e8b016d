// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "harness/base/json/json.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity::bisect {

/// The operator at the first difference.
struct FirstBadOperator {
  enum class Kind {
    computes,  ///< its inputs agree, but its result differs
    reads,     ///< it reads a different input that no earlier operator computed
    written,   ///< no operator differs: the tensor changed after the operator that computed it
    others,    ///< the sides run different operators from here on
  };
  /// The name of an operator that a side does not run, for Kind::others.
  static constexpr const char* no_operator = "none";

  Kind kind = Kind::computes;
  std::string module, op, slot;
  std::string other_op;                 ///< operator of the second side, for Kind::others
  std::string numbers;                  ///< "1e-08 against 1e-06", if the input is one number
  std::optional<trace::TensorKey> key;  ///< the operator's tensor; not set if none differs
  /// Whether exact twins decide otherwise here (a maximum, a top-k, a comparison): the values decide, and
  /// round.
  bool decides = false;

  /// Returns "aten::mm of layers.0.attention.wq gives a different result from the same inputs".
  std::string text() const;
  Json to_json() const;
};

}  // namespace parity::bisect
