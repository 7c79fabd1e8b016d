// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdio>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/base/json/json.hpp"
#include "harness/bisect/runs/search_run.hpp"
#include "tests/end_to_end/faults/fault_layouts.hpp"
#include "tests/end_to_end/trained_case.hpp"

namespace parity {

/// Plants faults at random places of small runs, and lets the search find them.
class PlantedFaultTest : public TrainedCaseTest {
 protected:
  static constexpr int64_t steps = 6;

  /// One arm per layout.
  suite::Case all_layouts() const {
    std::string text = "[base]\nsteps = " + std::to_string(steps) +
                       "\n[base.architecture]\ndim = 32\nn_heads = 2\nvocab_size = 256\nffn_hidden = 64\n"
                       "[base.data]\nseq_len = 32\nglobal_batch = 8\n"
                       "[base.lr]\nschedule = \"warmup_linear\"\nwarmup_steps = 2\nbase = 0.02\n";
    for (const FaultLayout& layout : fault_layouts)
      text += fmt::format("[arms.{}]\n{}{}", layout.name, keys_of(layout.model), layout.keys);
    return write_case(
        "f", text + check("channel = \"loss\"\narms = [\"one\", \"pieces\"]", "equivalent") + no_golden());
  }

  /// The tensors that an arm offers at a step: names by phase, with the ranks that offer them.
  using Offered = std::map<trace::Phase, std::vector<std::pair<std::string, std::vector<int64_t>>>>;
  Offered offered_by(const suite::Case& source, const std::string& arm) {
    trace::Capture all;
    all.sketches.push_back({{2}, {}, {}});
    suite::ExtraArm offering;
    offering.of = arm;
    offering.suffix = "offers";
    offering.capture = all;
    suite::Case bare = with_extra_arms(source, {offering});
    bare.checks.clear();
    bare.check_places.clear();
    std::erase_if(bare.arms, [&](const suite::Arm& each) { return each.name != arm + "~offers"; });
    bare.reference = arm + "~offers";
    const suite::ArmRuns runs = run_arms(bare, options(), progress_);
    Offered offered;
    for (const auto& [key, rows] : runs.evidence.trace(arm + "~offers")->rank_rows()) {
      if (key.step != 2 || key.phase == trace::Phase::input)
        continue;
      std::vector<int64_t> ranks;
      for (const trace::RankRow& row : rows)
        ranks.push_back(row.rank);
      offered[key.phase].emplace_back(key.name, ranks);
    }
    return offered;
  }

  static trace::Fault draw(const Offered& offered, std::mt19937_64& random) {
    constexpr std::array<trace::FaultKind, 6> kinds = {
        trace::FaultKind::scale,     trace::FaultKind::perturb,    trace::FaultKind::ulp,
        trace::FaultKind::sign_flip, trace::FaultKind::row_zeroed, trace::FaultKind::bf16};
    const auto below = [&random](size_t n) { return static_cast<size_t>(random() % n); };
    trace::Fault fault;
    fault.kind = kinds.at(below(kinds.size()));
    fault.steps = {static_cast<int64_t>(1 + below(steps))};
    auto phase = offered.begin();
    std::advance(phase, below(offered.size()));
    fault.phase = phase->first;
    const auto& [name, ranks] = phase->second.at(below(phase->second.size()));
    fault.name = name;
    fault.seed = random() % 1000;
    if (row_of(fault.kind).sized)
      fault.size = 1e-3;
    if (ranks.size() > 1 && below(2) == 0)
      fault.rank = ranks.at(below(ranks.size()));
    return fault;
  }

  enum class Outcome { exact, wrong, without_effect, refused };
  struct Answer {
    Outcome outcome = Outcome::exact;
    std::string words;
    int64_t runs = 0;
  };

  Answer ask(const suite::Case& source, const std::string& arm, const trace::Fault& fault) {
    suite::ExtraArm changed;
    changed.of = arm;
    changed.suffix = "faulty";
    changed.faults = {fault};
    const suite::Case faulty = with_extra_arms(source, {changed});
    const std::string what = arm + ": " + fault.text();
    bisect::SearchRecord record;
    try {
      record = bisect::search_run({faulty, arm, arm + "~faulty"}, options(), progress_);
    } catch (const UserError& error) {
      return {Outcome::refused, what + ": " + error.what()};
    }
    if (!record.differs)
      return {Outcome::without_effect, what + ": " + record.sentence};
    const auto stage = std::ranges::find(record.stages, "tensor", &bisect::SearchStage::name);
    if (stage == record.stages.end())
      return {Outcome::wrong, what + ": " + record.sentence};
    const Json& found = stage->details;
    bool is_exact = found.at("step") == fault.steps.front() && found.at("phase") == name_of(fault.phase) &&
                    found.at("name") == fault.name;
    if (fault.rank)
      is_exact = is_exact && found.at("ranks") == Json({*fault.rank});
    return {is_exact ? Outcome::exact : Outcome::wrong, what + ": " + record.sentence, record.runs()};
  }

  /// Searches between one process and a layout with other settings. \param base  settings of both
  bisect::SearchRecord search_settings(const FaultLayout& layout, const std::string& settings,
                                       const std::string& base = "steps = 4\n") {
    const suite::Case source = write_case(
        "s", fmt::format("[base]\n{5}[base.architecture]\ndim = 32\nn_heads = 2\nvocab_size = 256\n"
                         "ffn_hidden = 64\n[base.data]\nseq_len = 32\nglobal_batch = 8\n"
                         "[arms.one]\n{0}[arms.other]\n{0}{1}{2}{3}{4}",
                         keys_of(layout.model), layout.keys, settings,
                         check("channel = \"loss\"\narms = [\"one\", \"other\"]", "equivalent"), no_golden(),
                         base));
    return bisect::search_run({source, "one", "other"}, options(), progress_);
  }

  /// How many faults were found across layouts: where one process is compared with a layout that has the
  /// fault.
  struct Score {
    int64_t faults = 0;
    int64_t steps = 0;   ///< found at their step
    int64_t places = 0;  ///< found at their step and tensor
    int64_t blamed = 0;  ///< named an operator, although none computes otherwise: faults come after operators
  };

  /// Returns whether a stage names the tensor of a fault. A local gradient is a term of the reduced one.
  static bool names_place(const Json& found, const trace::Fault& fault) {
    const trace::Phase phase = fault.phase == trace::Phase::grad_local ? trace::Phase::grad : fault.phase;
    return found.value("phase", "") == name_of(phase) && found.at("name") == fault.name;
  }

  /// Plants a fault in a layout and searches it from one process of the same model.
  void score_across(const suite::Case& source, const FaultLayout& layout, const trace::Fault& fault,
                    Score& score) {
    suite::ExtraArm changed;
    changed.of = layout.name;
    changed.suffix = "faulty";
    changed.twin = true;
    changed.faults = {fault};
    const bisect::SearchRecord record =
        bisect::search_run({with_extra_arms(source, {changed}), whole_layout(layout.model),
                            layout.name + std::string("~faulty")},
                           options(), progress_);
    bool is_step = false, is_place = false;
    for (const bisect::SearchStage& stage : record.stages) {
      const bool is_tensor =
          stage.name == "float64-tensor" || stage.name == "tensor" || stage.name == "floor";
      if (is_tensor && stage.details.contains("step")) {  // the last one counts
        is_step = stage.details.at("step") == fault.steps.front();
        is_place = is_step && names_place(stage.details, fault);
      }
    }
    const bool blames = std::ranges::any_of(record.stages, [](const bisect::SearchStage& stage) {
      return stage.name.ends_with("operator") && stage.details.at("kind") == "computes";
    });
    ++score.faults;
    score.blamed += blames;
    score.steps += is_step;
    score.places += is_place;
    const char* word = blames ? "BLAMES" : is_place ? "place" : is_step ? "step" : "WRONG";
    std::printf("%s %s: %s: %s\n", word, layout.name, fault.text().c_str(), record.sentence.c_str());
    std::fflush(stdout);
  }

  /// Plants faults in each layout of several ranks or micro-batches.
  Score campaign_across(size_t faults_of_layout, uint64_t seed) {
    const suite::Case source = all_layouts();
    std::mt19937_64 random(seed);
    Score score;
    for (const FaultLayout& layout : fault_layouts) {
      if (std::string_view(layout.keys).empty())
        continue;
      const Offered offered = offered_by(source, layout.name);
      for (size_t n = 0; n < faults_of_layout;) {
        const trace::Fault fault = draw(offered, random);
        if (fault.kind == trace::FaultKind::ulp)  // one float64 ULP is less than another order of sums makes
          continue;
        score_across(source, layout, fault, score);
        ++n;
      }
    }
    return score;
  }

  /// Injects faults into arms, one layout after the other.
  /// \param first_layout  among fault_layouts; `layouts` of them take turns
  /// \return a description of each fault that was not found at its place
  std::vector<std::string> campaign(int64_t faults, uint64_t seed, int64_t& exact, size_t first_layout = 0,
                                    size_t layouts = fault_layouts.size()) {
    const suite::Case source = all_layouts();
    std::map<std::string, Offered> offered;
    std::mt19937_64 random(seed);
    std::vector<std::string> wrong;
    exact = 0;
    for (int64_t n = 0; exact + static_cast<int64_t>(wrong.size()) < faults; ++n) {
      const std::string arm = fault_layouts.at(first_layout + static_cast<size_t>(n) % layouts).name;
      if (!offered.contains(arm))
        offered[arm] = offered_by(source, arm);
      const Answer answer = ask(source, arm, draw(offered.at(arm), random));
      if (answer.outcome == Outcome::exact)
        ++exact;
      else if (answer.outcome != Outcome::without_effect)
        wrong.push_back(answer.words);
      std::printf("%s (%lld runs)\n", answer.words.c_str(), static_cast<long long>(answer.runs));
      std::fflush(stdout);
    }
    return wrong;
  }

  Progress progress_{stderr, false};
};

}  // namespace parity
