// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "harness/base/json.hpp"
#include "harness/trace/format/capture.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity {

/// The operators that lie between the last tensor that agrees and the first that does not: those of both
/// modules, of the modules around them, and of what the trainer does outside of the model in that phase.
/// \return nothing where no operator of a step makes the tensor: first weights, data
std::optional<CaptureRule> operators_to_watch(const TensorKey& first,
                                              const std::optional<TensorKey>& last_equal);

/// What the operators tell of the first difference.
struct FirstBadOperator {
  enum class Kind {
    computes,  ///< the same inputs, another result
    reads,     ///< an input is another, which no operator before it gave
    written,   ///< no operator differs: the tensor was changed after the one that made it
    others,    ///< the sides run other operators from here on
  };
  Kind kind = Kind::computes;
  std::string module, op, slot;
  std::string other_op;          ///< of the second side, where they run others
  std::string numbers;           ///< "1e-08 against 1e-06", where what is read is one number
  std::optional<TensorKey> key;  ///< the operator's tensor; nothing where none differs

  /// "aten::mm of layers.0.attention.wq gives another result from the same inputs".
  std::string text() const;
  Json to_json() const;
};

/// \param first  the first tensor that differs and is not an operator's
/// \param rank   on which it does. Ranks compute beside each other, so only this one's operators are looked
/// at
/// \return nothing if it has recorded no operator before the tensor, or the sides' operators work on other
/// shapes
std::optional<FirstBadOperator> find_first_bad_operator(const Trace& expected, const Trace& actual,
                                                        const TensorKey& first, int64_t rank);

}  // namespace parity
