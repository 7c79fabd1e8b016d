// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/search/depth_chart.hpp"

#include <algorithm>
#include <cmath>

#include "reports/model/text.hpp"

namespace parity::reports {
namespace {

double place_of(size_t station, const Depth& depth) {
  return (static_cast<double>(station) + 0.5) / static_cast<double>(depth.stations.size());
}

/// Returns the scale of the errors, as of the gap of a curve whose steps are the stations.
GapScale scale_of(const std::vector<Value>& errors) {
  Curve curve;
  curve.gap = {{"", errors}};
  return gap_scale(curve);
}

/// Returns one band for each phase, in order.
std::vector<Chart::Band> phases_of(const Depth& depth) {
  const auto all = static_cast<double>(depth.stations.size());
  std::vector<Chart::Band> bands;
  for (size_t i = 0; i < depth.stations.size(); ++i) {
    if (bands.empty() || bands.back().text != depth.stations[i].phase)
      bands.push_back({depth.stations[i].phase, static_cast<double>(i) / all, 0});
    bands.back().width += 1 / all;
  }
  return bands;
}

std::string describe_station(const Station& station) {
  return station.phase + " " + station.name +
         (station.relative ? " (relative L2 " + brief(*station.relative) + ")" : "");
}

/// Returns whether the error of a station is known and finite; otherwise the line has a gap there.
bool is_number(const Station& station) {
  return station.relative && std::isfinite(*station.relative);
}

/// Returns the tops of the stations of one kind.
template <class Wanted>
std::vector<Value> only(const Depth& depth, const std::vector<Value>& tops, Wanted wanted) {
  std::vector<Value> result;
  for (size_t i = 0; i < tops.size(); ++i)
    result.push_back(wanted(depth.stations[i]) ? tops[i] : Value());
  return result;
}

}  // namespace

Chart depth_chart(const Depth& depth) {
  Chart chart;
  chart.look = "depth";
  chart.x_title = "tensors in order of computation";
  chart.bands = phases_of(depth);
  std::vector<Value> errors, known;
  std::vector<double> lefts;
  for (size_t i = 0; i < depth.stations.size(); ++i) {
    const Station& station = depth.stations[i];
    known.push_back(is_number(station) ? station.relative : Value());
    errors.push_back(station.relative.value_or(0));
    lefts.push_back(place_of(i, depth));
  }
  const GapScale scale = scale_of(errors);
  const std::vector<Value> tops = places_of(errors, scale);
  chart.y_ticks = labels_of(scale);
  chart.paths = {
      {"line error", line_through(lefts, places_of(known, scale))},
      {"dots same", dots_at(lefts, only(depth, tops, [](const Station& s) { return !s.differs; }))},
      {"dots error",
       dots_at(lefts, only(depth, tops, [](const Station& s) { return s.differs && is_number(s); }))},
      {"dots lost",
       dots_at(lefts, only(depth, tops, [](const Station& s) { return s.differs && !is_number(s); }))}};
  for (size_t i = 0; i < tops.size(); ++i)
    if (depth.stations[i].alone && tops[i])
      chart.rings.push_back({lefts[i], *tops[i]});
  if (depth.first)
    chart.marks.push_back({"first", "first that differs", place_of(*depth.first, depth)});
  if (depth.amplifier && depth.amplifier != depth.first)
    chart.marks.push_back({"grown", "grows most", place_of(*depth.amplifier, depth)});
  chart.words = "Relative error of " + count(depth.stations.size(), "tensor") + " in order of computation. " +
                depth_sentence(depth);
  return chart;
}

std::string depth_sentence(const Depth& depth) {
  if (!depth.first)
    return "";
  std::string text = "The first that differs is " + describe_station(depth.stations[*depth.first]);
  if (depth.amplifier && depth.amplifier != depth.first)
    text += "; the error grows most at " + describe_station(depth.stations[*depth.amplifier]);
  const auto alone = static_cast<size_t>(std::ranges::count_if(
      depth.stations, [](const Station& station) { return station.alone.has_value(); }));
  if (alone > 0)
    text += "; " + count(alone, "tensor") + ", ringed, " + (alone == 1 ? "is" : "are") + " wrong by " +
            (alone == 1 ? "itself" : "themselves");
  return text + ".";
}

}  // namespace parity::reports
