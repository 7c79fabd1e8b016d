// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/base/visible.hpp"
#include "reports/results.hpp"

/// Words and numbers that every renderer shares, before any of them escapes for its own format.
namespace parity::reports {

/// visible(), and newlines and tabs as a space.
std::string one_line(std::string_view text);

/// At most `width` characters: the middle replaced by "...". Counts code points. one_line() first.
std::string shorten(std::string_view text, size_t width);

/// Code points of UTF-8 text.
size_t width_of(std::string_view text);

/// Fewest digits that give the double back: 0.1, 2.5e-7, nan. Both values of a failure are shown so.
std::string exact(const Json& scalar);

/// Four significant digits; integers and words as they are.
std::string brief(const Json& scalar);
std::string brief(double number);

/// "85 ms", "4.2 s", "2 min 5 s".
std::string duration(double seconds);

/// "1 check", "2 checks"; "2 quantities" where the plural is given.
std::string count(size_t number, const std::string& noun, const std::string& plural = "");

/// "relative L2", "max ULP"; an unknown metric is its own name with spaces.
std::string metric_label(const std::string& metric);

/// The bound of a metric that check.limit holds: "≥ 20", "≤ 4", or the number alone where its direction is
/// not known. A gap that `distinct` claims must stay below the collapse that `equivalent` needs: "< 20".
std::string limit_label(const Check& check, const std::string& metric);

/// "lagged (lag 1)".
std::string relation_label(const Check& check);

/// "one_indexed, zero_indexed" or "one_indexed, golden".
std::string sides_label(const Check& check);

/// "lr lagged (lag 1): one_indexed, zero_indexed; steps warmup".
std::string claim(const Check& check);

/// "step 3, layers.0.attention.wq.weight[1, 2]".
std::string place(const Worst& worst);

/// Whether the limit of the worst place is the one that decided. Where something else did (a collapse), the
/// bits' own limit of 0 would mislead.
bool has_limit(const Check& check, const Worst& worst);

/// What decided: the limited metrics first, else the ones a reader wants first. At most `most` of them.
std::vector<std::string> headline_metrics(const Check& check, size_t most);

/// "relative L2 2.4e-07, max ULP 12"; empty if nothing was measured.
std::string measured_label(const Check& check, size_t most);

/// "collapse ≥ 20"; "bits" where nothing is limited.
std::string limits_label(const Check& check);

/// "dp_shard 2 x tp 2" of an arm on several ranks, or how many they are; "" on one.
std::string mesh_label(const Arm& arm);

/// mesh_label() of each arm of a case that runs on several ranks: "plain 1 rank, fsdp dp_shard 2"; "" where
/// all run on one.
std::string meshes_label(const Case& item);

/// "54 golden files take 13.6 MiB of the 64 MiB they may take"; "" where that was not told.
std::string golden_size_label(const Results& results);

/// "3 of 4 cases hold, 1 fails" in a sentence that states the suite's outcome.
std::string outcome(const Results& results);

/// Returns in what merged results differ: "Mixed results, merged of different origins (commit: ...)"; "" if
/// they are of one origin. outcome() begins with it.
std::string mixed_label(const Results& results);

}  // namespace parity::reports
