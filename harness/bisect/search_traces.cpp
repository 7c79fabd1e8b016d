// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/search_traces.hpp"

#include <fmt/format.h>

#include "harness/compare/first_difference.hpp"

namespace parity {

SearchRecord search_traces(const Trace& expected, const Trace& actual) {
  SearchRecord record;
  record.kind = "traces";
  const std::optional<TensorKey> first = first_difference(expected, actual);
  record.differs = first.has_value();
  record.sentence = first ? fmt::format("{} {} at step {} is the first tensor that differs",
                                        name_of(first->phase), first->name, first->step)
                          : "no tensor that both recorded differs";
  return record;
}

}  // namespace parity
