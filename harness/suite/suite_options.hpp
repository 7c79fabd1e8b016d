// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/golden/golden.hpp"
#include "harness/results/case.hpp"
#include "harness/suite/goldens/sizes.hpp"
#include "harness/suite/judge/standing_evidence.hpp"
#include "harness/suite/repeats.hpp"
#include "harness/suite/runs/place.hpp"
#include "harness/suite/runs/run_settings.hpp"
#include "harness/suite/shard.hpp"

namespace parity::suite {

/// Options of run_suite().
struct SuiteOptions : RunSettings {
  RunPlace* place = nullptr;  ///< where runs execute; null: on this machine
  bool keep_traces = false;   ///< never drop the runs of passed cases
  golden::GoldenMode golden_mode = golden::GoldenMode::compare;
  std::string golden_reason;  ///< why stored values may change
  golden::DriftMode drift = golden::DriftMode::notice;
  EvidenceMode evidence = EvidenceMode::stored;
  /// Whether a golden that drifted is recorded as a further variant, next to the stored values instead of in
  /// their place.
  bool golden_variant = false;
  std::optional<SuiteShard> shard;  ///< run only this shard of the cases
  bool fail_fast = false;           ///< stop at the first failed case
  bool explains_reruns = true;      ///< say why arms with an earlier run are run again
  /// Goldens that belong to no case. The suite reports each as a failure.
  std::vector<std::filesystem::path> unused_goldens;
  /// Sizes of all goldens, which the results include. The suite fails if they are above their limit.
  std::optional<GoldenSizes> golden_sizes;
  /// Names the operator at which two runs of one arm diverge. If it is not set, the suite names the first
  /// quantity only.
  UpdateComparison compare_update;
};

/// Receives the results of each case as soon as its runs have ended: as a text for people, or whole.
///
/// A text is kept with the results of its case. A later suite shows it without reading those results, if they
/// are unchanged and the text has the same form.
struct CaseListener {
  /// \param new_form  what the text depends on besides the case and this program, such as its width
  CaseListener(std::string new_form, std::function<std::string(const results::Case&)> new_text,
               std::function<void(const std::string&)> new_show)
      : form(std::move(new_form)), text(std::move(new_text)), show(std::move(new_show)) {}
  /// Receives every case whole.
  template <std::invocable<const results::Case&> Receive>
  CaseListener(Receive receive)  // NOLINT(google-explicit-constructor): a lambda is a listener
      : text([receive](const results::Case& item) {
          receive(item);
          return std::string();
        }),
        show([](const std::string&) {}) {}

  std::string form;  ///< "": no kept text serves, every case is wanted whole
  std::function<std::string(const results::Case& item)> text;
  std::function<void(const std::string& text)> show;
};

}  // namespace parity::suite
