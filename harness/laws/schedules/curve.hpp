// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/laws/law.hpp"
#include "harness/laws/run/recorded_run.hpp"

namespace parity::laws {

/// A schedule: the value of update c + 1, by c = 0, 1, ...
struct Curve {
  std::string text;  ///< family and parameters
  std::function<double(int64_t c)> at;
};

/// Values of a channel over updates.
struct Points {
  std::vector<int64_t> c;  ///< number of the update, minus 1; ascending
  std::vector<double> y;
  size_t size() const { return c.size(); }
  Points first(size_t n) const {
    return {{c.begin(), c.begin() + static_cast<ptrdiff_t>(n)},
            {y.begin(), y.begin() + static_cast<ptrdiff_t>(n)}};
  }
};

/// Returns the values of a channel at the updates that have it.
Points points_of(const RecordedRun& run, const std::string& name);

/// Returns by how much values may miss a schedule that was found: 1e-9 of the largest; 1e-7 if all of them
/// are numbers of float32.
double tolerance_of(const Points& points);

/// Returns the schedule of the learning rate that a config of parity-train asks for; nothing for the config
/// of another trainer. Formulas: NUMERICS.md 1.
std::optional<Curve> promised_lr(const RecordedRun& run);
/// Returns the schedule of the weight decay, likewise.
std::optional<Curve> promised_decay(const RecordedRun& run);

/// Finds a schedule that gives every point: a linear warmup or none, a plateau or none, and a decay (linear,
/// cosine, 1 - root, exponential, inverse root) or none, which may end in a plateau. Nothing if none does.
std::optional<Curve> find_curve(const Points& points);

/// Judges betas, eps and momentum, of which the config names no schedule. One jump departs. A note names
/// values that change more often, as OneCycleLR makes them do. A group that has the first one's values is
/// left out.
void judge_constants(const RecordedRun& run, Finding& finding);

/// Returns what rates do that fall in steps or repeat: "fall in 3 steps". Trainers plan both, and a defect
/// can make both, so nothing but a config decides. "" for other rates.
///
/// Steps are plateaus of at least two updates, the last one excepted, each the one before times one factor. A
/// repetition is a part that comes three times or more at the end.
std::string describe_stages(const Points& points);

}  // namespace parity::laws
