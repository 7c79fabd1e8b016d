// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "harness/laws/schedules/curve.hpp"

namespace parity::laws {
namespace {

using std::numbers::pi;

/// Points [begin, end) with their tolerance.
struct Piece {
  const Points& points;
  size_t begin = 0, end = 0;
  double tolerance = 0;

  size_t size() const { return end - begin; }
  double x(size_t i) const { return static_cast<double>(points.c[begin + i]); }
  double y(size_t i) const { return points.y[begin + i]; }
  bool follows(const std::function<double(double)>& f) const {
    for (size_t i = 0; i < size(); ++i)
      if (!(std::abs(f(x(i)) - y(i)) <= tolerance))
        return false;
    return true;
  }
};

struct Found {
  std::string text;
  std::function<double(double)> f;
};

/// Returns the line through the first and the last point, if all lie on it.
std::optional<Found> find_line(const Piece& piece) {
  if (piece.size() < 2)
    return std::nullopt;
  const size_t last = piece.size() - 1;
  const double slope = (piece.y(last) - piece.y(0)) / (piece.x(last) - piece.x(0)), x0 = piece.x(0),
               y0 = piece.y(0);
  Found found{"", [=](double x) { return y0 + slope * (x - x0); }};
  if (!piece.follows(found.f))
    return std::nullopt;
  const double zero = x0 - y0 / slope;
  found.text = fmt::format("linear by {:.4g} an update", slope);
  if (slope < 0)
    found.text += fmt::format(", to 0 at update {:.6g}", zero + 1);
  return found;
}

double cosine_shape(double p) {
  return 0.5 * (1 + std::cos(pi * p));
}
double root_shape(double p) {
  return 1 - std::sqrt(std::max(0.0, p));
}

/// Searches start s and length of a decay from `top` whose shape goes from 1 to 0; fits the lowest value.
/// The length of a root says nothing without the lowest value, so the text leaves both out.
std::optional<Found> find_shape(const Piece& piece, double top, const char* name, double (*shape)(double)) {
  if (piece.size() < 3)
    return std::nullopt;
  const double first = piece.x(0), last = piece.x(piece.size() - 1);
  for (double start = first - 2; start <= first; ++start) {
    const double longest = (last - start) * (piece.size() <= 1000 ? 20 : 4) + 100;
    for (double length = last - start; length <= longest; ++length) {
      const auto share = [&](double x) { return shape(std::min(1.0, (x - start) / length)); };
      double down = 0, weight = 0;
      for (const size_t i : {piece.size() - 1, piece.size() / 2}) {
        const double rest = 1 - share(piece.x(i));
        down += rest * (piece.y(i) - top * share(piece.x(i)));
        weight += rest * rest;
      }
      const double low = weight > 0 ? down / weight : 0;
      const auto f = [=](double x) {
        const double s = shape(std::min(1.0, (x - start) / length));
        return low + (top - low) * s;
      };
      const auto misses = [&](size_t i) {
        return !(std::abs(f(piece.x(i)) - piece.y(i)) <= piece.tolerance);
      };
      if (misses(piece.size() / 2) || misses(piece.size() - 1))
        continue;  // a wrong length shows there first
      if (piece.follows(f))
        return Found{shape == root_shape
                         ? fmt::format("{} from update {:.6g}", name, start + 1)
                         : fmt::format("{} over {:.6g} updates from update {:.6g}, down to {:.4g}", name,
                                       length, start + 1, std::abs(low) < piece.tolerance ? 0 : low),
                     f};
    }
  }
  return std::nullopt;
}

std::optional<Found> find_power(const Piece& piece) {
  if (piece.size() < 3)
    return std::nullopt;
  const double x0 = piece.x(0), y0 = piece.y(0), x1 = piece.x(1), y1 = piece.y(1);
  if (!(y0 > 0) || !(y1 > 0))
    return std::nullopt;
  const double ratio = std::pow(y1 / y0, 1 / (x1 - x0));
  Found found{fmt::format("exponential by {:.6g} an update", ratio),
              [=](double x) { return y0 * std::pow(ratio, x - x0); }};
  if (piece.follows(found.f))
    return found;
  const size_t last = piece.size() - 1;
  const double a = 1 / (y0 * y0), b = (1 / (piece.y(last) * piece.y(last)) - a) / (piece.x(last) - x0);
  found = {"inverse root", [=](double x) { return 1 / std::sqrt(a + b * (x - x0)); }};
  return piece.follows(found.f) ? std::optional(found) : std::nullopt;
}

std::optional<Found> find_decay(const Piece& piece, double top) {
  if (auto found = find_line(piece))
    return found;
  if (auto found = find_shape(piece, top, "cosine", cosine_shape))
    return found;
  if (auto found = find_shape(piece, top, "1 - root", root_shape))
    return found;
  return find_power(piece);
}

std::string warmup_text(const Piece& piece, double top) {
  const double first = piece.y(0), slope = piece.size() > 1 ? (piece.y(1) - first) / (piece.x(1) - piece.x(0))
                                           : first > 0      ? first
                                                            : top;
  if (slope == 0)
    return fmt::format("{:.6g} for {} update{}", first, piece.size(), piece.size() == 1 ? "" : "s");
  const double steps = top / slope;
  if (std::abs(first - slope * piece.x(0)) <= piece.tolerance)
    return fmt::format("linear warmup over {:.6g} updates, 0-indexed", steps);
  if (std::abs(first - slope * (piece.x(0) + 1)) <= piece.tolerance)
    return fmt::format("linear warmup over {:.6g} updates, 1-indexed", steps);
  return fmt::format("linear warmup by {:.4g} an update from {:.4g}", slope, first);
}

/// The pieces of a schedule: [0, top) rises, [top, down) stays, [down, flat) falls, [flat, n) stays.
struct Cuts {
  size_t top = 0, down = 0, flat = 0;
};

Cuts cut(const Points& points, double most, double tolerance) {
  const size_t n = points.size();
  const auto same = [&](double a, double b) { return std::abs(a - b) <= tolerance; };
  Cuts cuts;
  while (cuts.top < n && !same(points.y[cuts.top], most))
    ++cuts.top;
  cuts.down = cuts.top;
  while (cuts.down < n && same(points.y[cuts.down], most))
    ++cuts.down;
  cuts.flat = n;
  while (cuts.flat > cuts.down + 1 && same(points.y[cuts.flat - 2], points.y[n - 1]))
    --cuts.flat;
  return cuts;
}

}  // namespace

double tolerance_of(const Points& points) {
  double most = 0;
  bool narrow = true;
  for (const double y : points.y) {
    most = std::max(most, std::abs(y));
    narrow = narrow && static_cast<double>(static_cast<float>(y)) == y;
  }
  return (narrow ? 1e-7 : 1e-9) * most;
}

std::optional<Curve> find_curve(const Points& points) {
  const size_t n = points.size();
  if (n == 0 || !std::ranges::all_of(points.y, [](double y) { return std::isfinite(y); }))
    return std::nullopt;
  const double most = *std::ranges::max_element(points.y), tolerance = tolerance_of(points);
  const Cuts cuts = cut(points, most, tolerance);
  const Piece rise{points, 0, cuts.top, tolerance}, fall{points, cuts.down, cuts.flat, tolerance};
  std::vector<std::string> texts;
  std::function<double(double)> up, fallen;
  if (rise.size() > 0) {
    // The last warmup value is the highest: it must lie on the line too if the schedule is 1-indexed.
    std::optional<Found> line =
        rise.size() == 1 ? Found{"", [y = rise.y(0)](double) { return y; }} : find_line(rise);
    const bool returns = cuts.down < n && std::abs(rise.y(0) - points.y[n - 1]) <= tolerance &&
                         std::abs(rise.y(0) - rise.y(rise.size() - 1)) <= tolerance;
    if (!line || (rise.size() > 1 && returns))  // a schedule does not come back to the constant it left
      return std::nullopt;
    up = line->f;
    texts.push_back(warmup_text(rise, most));
  }
  if (cuts.down > cuts.top + 1 || cuts.down == n) {
    // The last value of a 1-indexed warmup is the peak.
    const bool warms_to_peak = !texts.empty() && texts.back().ends_with("1-indexed");
    const size_t count = cuts.down - cuts.top - (warms_to_peak ? 1 : 0);
    if (count > 0)
      texts.push_back(fmt::format("{:.6g} for {} update{}", most, count, count == 1 ? "" : "s"));
  }
  if (fall.size() > 0) {
    if (fall.y(fall.size() - 1) > fall.y(0) + tolerance)
      return std::nullopt;
    std::optional<Found> decay =
        fall.size() == 1 ? Found{"a fall", [y = fall.y(0)](double) { return y; }} : find_decay(fall, most);
    if (!decay)
      return std::nullopt;
    fallen = decay->f;
    texts.push_back(decay->text);
    if (cuts.flat < n)
      texts.push_back(fmt::format("{:.6g} until the end", points.y[n - 1]));
  }
  std::string text;
  for (const std::string& each : texts)
    text += (text.empty() ? "" : ", then ") + each;
  const double top = cuts.top < n ? static_cast<double>(points.c[cuts.top]) : HUGE_VAL;
  const double down = cuts.down < n ? static_cast<double>(points.c[cuts.down]) : HUGE_VAL;
  const double flat = cuts.flat < n ? static_cast<double>(points.c[cuts.flat]) : HUGE_VAL;
  return Curve{text, [=, end = points.y[n - 1]](int64_t c) {
                 const auto x = static_cast<double>(c);
                 return x < top ? up(x) : x < down ? most : x < flat ? fallen(x) : end;
               }};
}

}  // namespace parity::laws
