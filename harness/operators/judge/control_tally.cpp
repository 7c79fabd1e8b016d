// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/operators/judge/control_tally.hpp"

#include <fmt/format.h>

namespace parity::operators {
namespace {

constexpr size_t count = EnumNames<Control>::names.size();

/// Returns whether a control applies to every tensor unless the right answer is already that of the defect.
bool always_applies(Control control) {
  return control == Control::zeros || control == Control::unwritten_nan || control == Control::missing_scale;
}

}  // namespace

void ControlTally::ask(const TensorSides& sides, const ControlSources& sources, const std::string& place) {
  asked_ = true;
  for (size_t i = 0; i < count; ++i) {
    const auto control = static_cast<Control>(i);
    if (!must_detect(check_, control))
      continue;
    const std::optional<bool> passes = passes_control(check_, sides, control, sources);
    if (!passes)
      continue;
    if (!*passes)
      ++answers_.at(i).rejected;
    else if (answers_.at(i).passed.empty())
      answers_.at(i).passed = place;
  }
}

std::string ControlTally::weakness() const {
  for (size_t i = 0; i < count; ++i)
    if (!answers_.at(i).passed.empty())
      return fmt::format("the check also passes {} in place of {}", name_of(static_cast<Control>(i)),
                         answers_.at(i).passed);
  for (size_t i = 0; i < count; ++i) {
    const auto control = static_cast<Control>(i);
    if (asked_ && must_detect(check_, control) && always_applies(control) && answers_.at(i).rejected == 0)
      return fmt::format("at every point the right answer is what {} would give", name_of(control));
  }
  return "";
}

std::vector<std::pair<std::string, std::string>> ControlTally::answers() const {
  std::vector<std::pair<std::string, std::string>> rows;
  if (!asked_)
    return rows;  // the claim holds for no tensor, so nothing was asked
  for (size_t i = 0; i < count; ++i) {
    const auto control = static_cast<Control>(i);
    if (!must_detect(check_, control))
      continue;
    const Answer& answer = answers_.at(i);
    rows.emplace_back(name_of(control), !answer.passed.empty() ? "passed as " + answer.passed
                                        : answer.rejected > 0
                                            ? fmt::format("rejected {} times", answer.rejected)
                                            : std::string("does not apply"));
  }
  return rows;
}

}  // namespace parity::operators
