// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/results/orders.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/json/fields.hpp"
#include "harness/base/processes/process.hpp"
#include "harness/base/text/glob.hpp"
#include "harness/suite/runs/run_settings.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

constexpr const char* orders_schema = "parity.reveal/1";
constexpr uint64_t largest_file = 1 << 20;
constexpr int64_t most_terms = 256;  ///< for which the command is named: it then takes seconds

/// Returns the name of the first output, whose sums are revealed; "" if the trace has none.
std::string first_output(const operators::Problem& problem, const trace::Trace& trace) {
  for (const std::string& name :
       {operators::output_name(problem, 0, 1), operators::output_name(problem, 0, 2)})
    if (trace.find_sketch({1, trace::Phase::forward, name}) != nullptr)
      return name;
  return "";
}

/// Returns whether a check is about the rounding of the first output.
bool is_of_rounding(const JudgedCheck& judged, const operators::Problem& problem, const trace::Trace* trace) {
  const auto& claim = judged.claim.of_operator;
  if (judged.kind != results::CheckKind::pair || !claim || trace == nullptr ||
      judged.result.verdict != compare::Verdict::rounding)
    return false;
  const std::string output = first_output(problem, *trace);
  return !output.empty() && glob_match(judged.claim.tensor, output) &&
         std::ranges::find(claim->phases, trace::Phase::forward) != claim->phases.end();
}

/// Returns the sizes of a point without those of one symbol.
std::map<std::string, int64_t> other_sizes(const operators::Point& point, const std::string& symbol) {
  std::map<std::string, int64_t> sizes = point.sizes;
  sizes.erase(symbol);
  return sizes;
}

/// Returns whether an operator seems to sum: two points that differ in one dimension have outputs of one
/// shape.
bool seems_to_sum(const operators::Problem& problem, const trace::Trace& trace) {
  const std::string symbol = operators::summed_symbol(problem), output = first_output(problem, trace);
  if (symbol.empty())
    return false;
  const auto terms = [&](size_t point) { return problem.points[point].sizes.at(symbol); };
  const auto shape = [&](size_t point) {
    const auto* row = trace.find_sketch({static_cast<int64_t>(point + 1), trace::Phase::forward, output});
    return row == nullptr ? Shape{-1} : row->shape;
  };
  bool small = false, sums = false;
  for (size_t a = 0; a < problem.points.size(); ++a) {
    small = small || terms(a) <= most_terms;
    for (size_t b = a + 1; b < problem.points.size() && !sums; ++b)
      sums = terms(a) != terms(b) && shape(a) == shape(b) &&
             other_sizes(problem.points[a], symbol) == other_sizes(problem.points[b], symbol);
  }
  return small && sums;
}

/// Returns the order of an arm that was found for the run that was judged; null if there is none.
const RevealedOrder* order_of(const RevealedOrders& orders, const PlannedCase& planned,
                              const std::string& arm) {
  const auto found = orders.find(arm);
  return found != orders.end() && found->second.run == planned.arm(arm).run ? &found->second : nullptr;
}

std::string text_of(const RevealedOrder& order) {
  return fmt::format("{} (at {}; this order predicts {} of {} random results)", order.sentence, order.point,
                     order.predicted, order.tried);
}

std::string reveal_command(const Case& source, const fs::path& out) {
  std::vector<std::string> words = {"parity", "reveal", source.file.generic_string()};
  add_out_option(words, out);
  return shell_quote(words);
}

}  // namespace

fs::path orders_file(const Case& source, const fs::path& out) {
  return out / "reveal" / (source.name + ".json");
}

void keep_orders(const Case& source, const fs::path& out, const RevealedOrders& orders) {
  RevealedOrders all = stored_orders(source, out);
  for (const auto& [arm, order] : orders)
    all[arm] = order;
  Json rows = Json::object();
  for (const auto& [arm, order] : all)
    rows[arm] = {{"run", order.run},
                 {"sentence", order.sentence},
                 {"point", order.point},
                 {"predicted", order.predicted},
                 {"tried", order.tried}};
  const Json file = {{"schema", orders_schema}, {"case", source.name}, {"arms", rows}};
  write_file(orders_file(source, out), json_text(file, 1) + "\n");
}

RevealedOrders stored_orders(const Case& source, const fs::path& out) {
  const fs::path path = orders_file(source, out);
  std::error_code error;
  if (!fs::is_regular_file(path, error))
    return {};
  try {
    const Json file = read_json(read_file(path, largest_file));
    if (text_or(file, "schema") != orders_schema || text_or(file, "case") != source.name)
      return {};
    RevealedOrders orders;
    for (const auto& [arm, row] : file.at("arms").items())
      orders[arm] = {row.at("run"), row.at("sentence"), row.at("point"), row.at("predicted"),
                     row.at("tried")};
    return orders;
  } catch (const UserError&) {
    return {};
  } catch (const Json::exception&) {
    return {};
  }
}

void add_orders(results::Case& item, const std::vector<JudgedCheck>& judged, const PlannedCase& planned,
                const Evidence& evidence, const fs::path& out) {
  if (!planned.source.problem)
    return;
  const operators::Problem& problem = *planned.source.problem;
  const RevealedOrders orders = stored_orders(planned.source, out);
  for (size_t i = 0; i < judged.size(); ++i) {
    const std::vector<std::string>& arms = judged[i].claim.arms;
    const trace::Trace* trace = arms.empty() ? nullptr : evidence.trace(arms.front());
    if (!is_of_rounding(judged[i], problem, trace))
      continue;
    std::vector<std::string> texts;
    bool known = true;
    for (const std::string& arm : arms) {
      const RevealedOrder* order = order_of(orders, planned, arm);
      known = known && order != nullptr;
      if (order != nullptr && !order->sentence.empty())
        texts.push_back(text_of(*order));
    }
    results::Finding& finding = item.checks[i].finding;
    if (texts.size() == arms.size())
      finding.more.insert(finding.more.end(), texts.begin(), texts.end());
    else if (!known && finding.cause.empty() && seems_to_sum(problem, *trace))
      finding.cause = reveal_command(planned.source, out);
  }
}

}  // namespace parity::suite
