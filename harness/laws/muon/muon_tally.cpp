// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/muon/muon_tally.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace parity::laws {
namespace {

/// Returns whether two forms take the same input and the same factor. Matrices of one run that differ in the
/// number of steps or in coefficients are well conditioned: several numbers give their step.
bool agree(const MuonForm& a, const MuonForm& b) {
  return a.nesterov == b.nesterov && a.scale == b.scale;
}

}  // namespace

void MuonTally::add(int64_t step, const std::string& name, const MuonStepCheck& check) {
  work_ += check.work;
  if (check.silence != StepSilence::none) {
    silences_[check.silence].insert(name);
    return;
  }
  compared_.insert(name);
  if (check.forms.empty())
    return;
  rows_.push_back({step, name, check.forms});
  ++arithmetics_[check.arithmetic ? std::string(name_of(*check.arithmetic))
                                  : "an unknown order of operations"];
}

MuonForm MuonTally::commonest() const {
  std::map<MuonForm, int64_t> counts;
  for (const Row& row : rows_)
    for (const MuonForm& form : row.forms)
      ++counts[form];
  // Of equal counts the first, so that the usual convention names what several give.
  return std::ranges::max_element(counts, {}, [](const auto& each) { return each.second; })->first;
}

std::vector<MuonTally::Stray> MuonTally::strays() const {
  std::map<std::string, Stray> found;
  if (rows_.empty())
    return {};
  const MuonForm common = commonest();
  for (const Row& row : rows_) {
    const bool follows =
        std::ranges::any_of(row.forms, [&](const MuonForm& form) { return agree(form, common); });
    if (follows || (!found.empty() && found.begin()->second.step != row.step))
      continue;
    const std::string text = fmt::format("the step follows {}, where that of most matrices follows {}",
                                         describe(*row.forms.begin()), describe(common));
    Stray& stray = found.try_emplace(text, Stray{row.step, {}, text}).first->second;
    stray.names.insert(row.name);
  }
  std::vector<Stray> strays;
  for (auto& [text, stray] : found)
    strays.push_back(std::move(stray));
  return strays;
}

std::vector<std::string> MuonTally::notes() const {
  std::vector<std::string> notes;
  if (!rows_.empty()) {
    std::vector<std::string> arithmetics;
    for (const auto& [name, count] : arithmetics_)
      arithmetics.push_back(name);
    notes.push_back(fmt::format("Muon: the steps of {} matrices are {} (in {})", compared_.size(),
                                describe(commonest()), fmt::join(arithmetics, "; ")));
  }
  for (const auto& [silence, names] : silences_)
    notes.push_back(fmt::format("Muon: of {} matrices only the momentum is compared at some update: {}",
                                names.size(), describe(silence)));
  return notes;
}

}  // namespace parity::laws
