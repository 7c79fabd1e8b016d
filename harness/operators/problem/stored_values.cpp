// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/operators/problem/stored_values.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/nearest.hpp"
#include "harness/operators/problem/widened.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity::operators {

std::vector<double> stored_values(const TensorSpec& spec, const Point& point) {
  const Shape shape = spec.shape_at(point);
  std::string wanted = spec.from;
  for (const auto& [symbol, size] : point.sizes)
    if (const size_t at = wanted.find("{" + symbol + "}"); at != std::string::npos)
      wanted.replace(at, symbol.size() + 2, std::to_string(size));
  const trace::Trace trace = trace::Trace::open(spec.file);
  std::vector<std::string> names;
  for (const trace::TensorKey& key : trace.tensors()) {
    if (key.name != wanted) {
      names.push_back(key.name);
      continue;
    }
    const TensorView view = trace.tensor(key);
    if (view.shape != shape)
      throw UserError(
          fmt::format("tensor {} of {} has another shape than the input; give the input its shape",
                      parity::quoted(wanted), escape_for_terminal(spec.file)));
    return widened(view);
  }
  throw UserError(fmt::format("{} has no tensor {}{}", escape_for_terminal(spec.file), parity::quoted(wanted),
                              suggestion(wanted, names)));
}

}  // namespace parity::operators
