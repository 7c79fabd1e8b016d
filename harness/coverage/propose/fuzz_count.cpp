// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/coverage/propose/fuzz_count.hpp"

#include <fmt/format.h>

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
  std::string text = fmt::format("{} cases with {} arms in {:.0f} s: {} arms differ or did not end", cases,
                                 arms, seconds, different);
  if (untrained > 0)
    text += fmt::format("; {} cases agree, but learned too little to show a difference", untrained);
  if (amplified > 0)
    text += fmt::format("; {} cases amplify rounding too much to show one", amplified);
  return text;
}

}  // namespace parity::coverage
