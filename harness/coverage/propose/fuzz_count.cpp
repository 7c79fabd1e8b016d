// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/coverage/propose/fuzz_count.hpp"

#include <fmt/format.h>

#include "harness/compare/text/wording.hpp"

namespace parity::coverage {

void FuzzCount::add(const Trial& trial) {
  if (!trial.judged)
    return;
  ++cases;
  arms += static_cast<int64_t>(trial.proposed.arms.size());
  if (trial.untrained)
    ++untrained;
  else if (trial.amplifies)
    ++amplified;
  else
    different += static_cast<int64_t>(trial.failed.size());
}

ExitCode FuzzCount::exit_code() const {
  if (different > 0)
    return ExitCode::differ;
  return cases > untrained + amplified ? ExitCode::agree : ExitCode::missing;
}

std::string FuzzCount::sentence(double seconds) const {
  const auto counted = [](int64_t n, const char* what) {
    return compare::count_text(static_cast<size_t>(n), what);
  };
  std::string text = fmt::format("{} with {} in {:.0f} s: {} differ or did not end", counted(cases, "case"),
                                 counted(arms, "arm"), seconds, counted(different, "arm"));
  if (untrained > 0)
    text += fmt::format("; {} learned too little to show a difference", counted(untrained, "case"));
  if (amplified > 0)
    text +=
        fmt::format("; training amplifies rounding too much to show one in {}", counted(amplified, "case"));
  return text;
}

}  // namespace parity::coverage
