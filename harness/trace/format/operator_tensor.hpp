// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace parity {

/// What an operator took or gave, as a tensor of a trace. Its name there:
///
///     layers.0.attention.wq@3:aten::mm:out.0
///     layers.0.attention.wq@3:aten::mm:out.0#1      of a run of several ranks: what rank 1 had
///
/// '@' stands in no other tensor's name.
struct OperatorTensor {
  std::string module;  ///< "layers.0.attention.wq", or what else the trainer was at: "loss", "optimizer"
  int64_t number = 0;  ///< of the operator among those of module, phase and step, from 0
  std::string op;      ///< "aten::mm"
  std::string slot;    ///< "in.mat2" by the argument's name; "out.0", or "out.self" of what it wrote in place
  std::optional<int64_t> rank = {};

  bool is_output() const { return slot.starts_with("out."); }
  std::string name() const;
};

/// The parts of such a name; nothing for the name of another tensor.
std::optional<OperatorTensor> parse_operator_tensor(std::string_view name);

}  // namespace parity
