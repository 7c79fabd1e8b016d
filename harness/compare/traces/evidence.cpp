// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/traces/evidence.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/trace/format/settings.hpp"

namespace parity::compare {

std::string lacking_evidence(const TraceDifference& difference, const TraceFilter& filter) {
  if (difference.partial && difference.last_step == 0 && difference.identical())
    return "a run stopped before its first update, so no update was compared; record both runs further";
  const bool selects = filter.step || filter.phase || !filter.channels.empty() || !filter.tensors.empty();
  const auto setting = [](const ChannelDifference& row) { return trace::is_setting(row.name); };
  if (selects || !difference.identical() || !difference.tensors.empty() ||
      !std::ranges::all_of(difference.channels, setting))
    return "";
  std::vector<std::string> names;
  for (const ChannelDifference& row : difference.channels)
    names.push_back(row.name);
  return fmt::format(
      "neither trace has a loss, and {} can agree without equal training; record the loss or tensors, or "
      "state with --channel what is enough",
      escape_to_line(list_text(names), 200));
}

}  // namespace parity::compare
