// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/reveal/probe.hpp"

#include <fmt/format.h>

#include "harness/base/enum_names.hpp"

namespace parity::reveal {

ProbeNumbers probe_numbers(const SummingOperator& op) {
  if (op.output == DType::bfloat16 && op.terms > 256)
    throw NotRevealed(
        fmt::format("cannot reveal a sum of {} numbers from a bfloat16 result (it counts to 256); ask with "
                    "at most 256 terms, or for a float32 result",
                    op.terms));
  switch (op.input) {
    case DType::float64:
      return {0x1p1000, 1};
    case DType::float32:
    case DType::bfloat16:
      return {0x1p120, 1};
    case DType::float16:  // units are subnormal, so that accumulators of float32 absorb them too
      if (op.terms > 1024)
        throw NotRevealed(fmt::format(
            "cannot reveal a sum of {} float16 numbers (their range is too small); ask with at most 1024",
            op.terms));
      return {0x1p15, 0x1p-20, 1};
    default:
      throw NotRevealed(
          fmt::format("cannot reveal a sum of {} numbers (only float64, float32, bfloat16 and float16 "
                      "have the range for it); choose another dtype",
                      name_of(op.input)));
  }
}

std::vector<double> probe(const SummingOperator& op, const std::vector<Summands>& all) {
  std::vector<double> results = op.results(all);
  if (results.size() != all.size())
    throw NotRevealed(fmt::format("cannot reveal the sum (the operator gave {} results for {} inputs)",
                                  results.size(), all.size()));
  return results;
}

Summands zeros(const SummingOperator& op) {
  return {std::vector<double>(op.terms, 0.0), std::vector<double>(op.terms, 1.0)};
}

}  // namespace parity::reveal
