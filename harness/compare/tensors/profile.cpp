// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/tensors/profile.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "harness/base/text/table.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/measure/difference/difference.hpp"

namespace parity::compare {
namespace {

constexpr std::array<double, 3> shares = {0.5, 0.99, 0.999};
constexpr int64_t longest_bar = 40;

uint64_t least_of(size_t bin) {
  return bin == 0 ? 0 : uint64_t{1} << (bin - 1);
}

std::string ulps_text(uint64_t ulps) {
  return ulps == measure::Difference::no_ulp ? "any" : std::to_string(ulps);
}

std::string bin_text(size_t bin) {
  if (bin < 2)
    return std::to_string(bin);
  return bin < 24 ? fmt::format("{}-{}", least_of(bin), 2 * least_of(bin) - 1)
                  : fmt::format("2^{}", bin - 1) + " on";
}

/// Returns a row per bin, from the first to the last bin that is not empty.
std::string histogram_text(const measure::DifferenceProfile& profile) {
  size_t first = profile.ulps.size(), last = 0;
  int64_t most = 1;
  for (size_t b = 0; b < profile.ulps.size(); ++b)
    if (profile.ulps[b] > 0) {
      first = std::min(first, b);
      last = b;
      most = std::max(most, profile.ulps[b]);
    }
  std::vector<std::vector<std::string>> rows;
  for (size_t b = first; b <= last && b < profile.ulps.size(); ++b) {
    const int64_t count = profile.ulps[b];
    const int64_t bar = count > 0 ? std::max<int64_t>(1, count * longest_bar / most) : 0;
    rows.push_back({bin_text(b), std::to_string(count), std::string(static_cast<size_t>(bar), '#')});
  }
  if (profile.without_distance > 0)
    rows.push_back({"NaN", std::to_string(profile.without_distance), ""});
  return text_table({"ULP", "elements", ""}, rows, "    ");
}

/// Returns "most in 12-15: 41 % of the squared error, 400 elements differ"; "" if nothing differs.
std::string most_in(const std::vector<measure::RangeDifference>& ranges) {
  double all = 0;
  for (const measure::RangeDifference& range : ranges)
    all += range.error_squares;
  const auto more = [](const measure::RangeDifference& a, const measure::RangeDifference& b) {
    return std::pair(a.error_squares, a.differing) < std::pair(b.error_squares, b.differing);
  };
  const auto most = std::max_element(ranges.begin(), ranges.end(), more);
  if (most == ranges.end() || most->differing == 0)
    return "";
  const std::string where = most->last - most->first == 1 ? std::to_string(most->first)
                                                          : fmt::format("{}-{}", most->first, most->last - 1);
  const std::string share =
      all > 0 ? fmt::format("{:.3g} % of the squared error, ", 100 * most->error_squares / all) : "";
  return fmt::format("most in {}: {}{} differ", where, share,
                     count_text(static_cast<size_t>(most->differing), "element"));
}

Json ranges_json(const std::vector<measure::RangeDifference>& ranges) {
  Json json = Json::array();
  for (const measure::RangeDifference& range : ranges)
    json.push_back({{"first", range.first},
                    {"last", range.last},
                    {"differing", range.differing},
                    {"relative_l2", json_number(range.relative_l2())},
                    {"max_ulp", range.max_ulp}});
  return json;
}

}  // namespace

std::string profile_text(const TensorGap& gap) {
  if (!gap.profile)
    return "";
  const measure::DifferenceProfile& profile = *gap.profile;
  std::string text = fmt::format(
      "    mean {} ULP, signed {}; half within {} ULP, 99 % within {}, 99.9 % within {}; "
      "signal to noise {:.1f} dB\n",
      size_text(gap.mean_ulp.value_or(0)), size_text(gap.bias_ulp.value_or(0)),
      ulps_text(profile.ulp_quantile(shares[0])), ulps_text(profile.ulp_quantile(shares[1])),
      ulps_text(profile.ulp_quantile(shares[2])), gap.sqnr_db());
  text += histogram_text(profile);
  if (const std::string most = most_in(profile.blocks); !most.empty())
    text += "    flat: " + most + "\n";
  for (size_t d = 0; d < profile.dimensions.size() && profile.dimensions.size() > 1; ++d)
    if (const std::string most = most_in(profile.dimensions[d]); !most.empty())
      text += fmt::format("    dimension {}: {}\n", d, most);
  return text;
}

Json profile_json(const measure::DifferenceProfile& profile) {
  Json json = {{"ulps", Json::array()}, {"without_distance", profile.without_distance}};
  for (size_t b = 0; b < profile.ulps.size(); ++b)
    if (profile.ulps[b] > 0)
      json["ulps"].push_back({{"from", least_of(b)}, {"elements", profile.ulps[b]}});
  for (const double share : shares)
    json["quantiles"][fmt::format("{}", share)] = profile.ulp_quantile(share);
  json["blocks"] = ranges_json(profile.blocks);
  json["dimensions"] = Json::array();
  for (const auto& dimension : profile.dimensions)
    json["dimensions"].push_back(ranges_json(dimension));
  return json;
}

}  // namespace parity::compare
