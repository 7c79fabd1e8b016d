// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/batches/read_inputs.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace parity::laws {
namespace {

using trace::Phase;

/// Returns "430 of 640, the first at 3"; "" if the elements of one were not recorded, or other numbers of
/// them.
std::string places_text(const RecordedRun& run, const trace::TensorKey& read, const trace::TensorKey& own) {
  if (!run.has_values(read) || !run.has_values(own))
    return "";
  const std::vector<double> a = run.values(read), b = run.values(own);
  if (a.size() != b.size())
    return "";
  int64_t different = 0;
  size_t first = a.size();
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i] && different++ == 0)
      first = i;
  return different == 0
             ? ""
             : fmt::format(" ({} of {} elements, the first is element {})", different, a.size(), first);
}

}  // namespace

void check_read_inputs(const RecordedRun& run, int64_t step, Finding& finding, Departures& departures) {
  constexpr std::string_view prefix = "read/";
  for (const std::string& name : run.names(step, Phase::input)) {
    if (!name.starts_with(prefix))
      continue;
    const trace::TensorKey read{step, Phase::input, name},
        own{step, Phase::input, name.substr(prefix.size())};
    const trace::SketchRow *now = run.trace().find_sketch(read), *before = run.trace().find_sketch(own);
    if (now == nullptr || before == nullptr)
      continue;
    ++finding.checked;
    if (now->digest == before->digest)
      continue;
    const std::string what = own.name.starts_with("first_keys")
                                 ? "attends under another mask than the update's rows have"
                                 : fmt::format("reads other {} than the update has", own.name);
    departures.add("read", step, fmt::format("the model {}{}", what, places_text(run, read, own)), name);
  }
}

}  // namespace parity::laws
