// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace parity::trace {

/// An input or output of an operator, recorded as a tensor of a trace. Its tensor name is:
///
///     layers.0.attention.wq@3:aten::mm:out.0
///     layers.0.attention.wq@3:aten::mm:out.0#1      in a run of several ranks: rank 1's value
///
/// Names of other tensors do not contain '@', except for those of single micro-batches
/// (micro_batch_tensor.hpp).
struct OperatorTensor {
  /// "layers.0.attention.wq", or another stage of the trainer: "loss", "optimizer".
  std::string module;
  /// Number of the operator among those of the same module, phase and step, from 0.
  int64_t number = 0;
  std::string op;  ///< "aten::mm"
  /// "in.mat2" after the argument's name; "out.0", or "out.self" for an argument written in place.
  std::string slot;
  std::optional<int64_t> rank = {};

  bool is_output() const { return slot.starts_with("out."); }
  std::string name() const;
};

/// Parses such a name; returns nothing for the name of another tensor.
std::optional<OperatorTensor> parse_operator_tensor(std::string_view name);

}  // namespace parity::trace
