// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/logs/read/builder.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/compare/text/wording.hpp"

namespace parity::logs {
namespace {

constexpr size_t most_channels = 4096;
constexpr size_t most_values = 256U << 20U;
constexpr size_t longest_name = 200;

/// Returns why no channel can have this name; "" if one can.
std::string name_problem(const std::string& name) {
  if (name.empty() || name.size() > longest_name)
    return fmt::format("a name of {} bytes, expected 1 to {}", name.size(), longest_name);
  if (std::ranges::any_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }) ||
      !is_utf8(name))
    return fmt::format("the name {} has control characters or is not UTF-8", parity::quoted(name));
  const std::string padded = "/" + name + "/";
  if (padded.find("/../") != std::string::npos || padded.find("/./") != std::string::npos)
    return fmt::format("the name {} has a part '.' or '..'", parity::quoted(name));
  return "";
}

/// Sorts a column by step. Of equal steps, keeps the value that came last. Appends the repeated steps.
void sort_rows(std::vector<int64_t>& steps, std::vector<double>& values, std::vector<int64_t>& repeated) {
  std::vector<size_t> order(steps.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return steps[i]; });
  std::vector<int64_t> sorted_steps;
  std::vector<double> sorted_values;
  for (const size_t i : order) {
    if (!sorted_steps.empty() && sorted_steps.back() == steps[i]) {
      sorted_values.back() = values[i];
      repeated.push_back(steps[i]);
    } else {
      sorted_steps.push_back(steps[i]);
      sorted_values.push_back(values[i]);
    }
  }
  steps = std::move(sorted_steps);
  values = std::move(sorted_values);
}

/// Sorts steps and removes those that are there already.
void sort_once(std::vector<int64_t>& steps) {
  std::ranges::sort(steps);
  steps.erase(std::ranges::unique(steps).begin(), steps.end());
}

std::string are_text(const std::vector<int64_t>& steps) {
  return compare::count_text(steps.size(), "step") + (steps.size() == 1 ? " is" : " are");
}

/// Notes steps that were logged again, and those that a resumed run has not reached again.
/// \param dropped  steps of values that a resume replaced, ascending
void note_repeated(Log& log, std::vector<int64_t> repeated, const std::vector<int64_t>& dropped) {
  std::vector<int64_t> lost;
  const std::vector<int64_t> steps = log.steps();
  std::ranges::set_difference(dropped, steps, std::back_inserter(lost));
  std::ranges::set_intersection(dropped, steps, std::back_inserter(repeated));
  sort_once(repeated);
  if (!repeated.empty())
    log.notes.push_back(fmt::format("{} repeated, first {}; the last value of each counts",
                                    are_text(repeated), repeated.front()));
  if (!lost.empty())
    log.notes.push_back(
        fmt::format("{} left out, first {}: the run went back to a step before and did not log {} again; "
                    "sort a file whose rows are in no order",
                    are_text(lost), lost.front(), lost.size() == 1 ? "it" : "them"));
}

}  // namespace

size_t Builder::column(const std::string& name) {
  if (const auto found = index_.find(name); found != index_.end())
    return found->second;
  if (const std::string problem = name_problem(name); !problem.empty())
    place_.refuse(problem, "rename the value in the log");
  if (columns_.size() == most_channels)
    place_.refuse(fmt::format("more than {} names", most_channels), "leave some out of the log");
  columns_.push_back({name, name_channel(name, map_), {}, {}, {}});
  return index_[name] = columns_.size() - 1;
}

void Builder::add(int64_t step, size_t column, double value) {
  if (++values_ > most_values)
    place_.refuse(fmt::format("more than {} values", most_values), "give a part of the log");
  Column& to = columns_[column];
  attempts_.take(column, to.begins, to.steps, step);
  to.ascending = to.ascending && (to.steps.empty() || to.steps.back() < step);
  to.steps.push_back(step);
  to.values.push_back(value);
}

void Builder::count_by(const std::string& name) {
  if (name == step_name_)
    return;
  if (!step_name_.empty() && !(map_.contains(name) && map_.contains(step_name_)))
    place_.refuse(fmt::format("the step is {}, and {} in rows before", parity::quoted(name),
                              parity::quoted(step_name_)),
                  fmt::format("--map step=NAME for both says that they count alike"));
  step_name_ = name;
}

std::vector<Builder::Column*> Builder::in_order_of_names() {
  std::vector<Column*> order;
  for (const auto& [name, at] : index_)
    order.push_back(&columns_[at]);
  std::ranges::stable_sort(order, {}, [this](const Column* column) {
    return map_.contains(column->name) ? 0 : name_rank(column->name) + 1;
  });
  return order;
}

void Builder::insert(Log& log, Column& column) const {
  const std::string& name = column.name;
  std::string as = column.named.channel;
  if (log.channels.contains(as) && as != name && !map_.contains(name)) {
    log.notes.push_back(fmt::format("{} keeps its name, since {} is the channel {}", parity::quoted(name),
                                    parity::quoted(log.channels[as].source), parity::quoted(as)));
    as = name;
  }
  if (log.channels.contains(as) && map_.contains(log.channels[as].source) && !map_.contains(name)) {
    log.notes.push_back(fmt::format("{} is left out, since --map makes {} the channel {}",
                                    parity::quoted(name), parity::quoted(log.channels[as].source),
                                    parity::quoted(as)));
    return;
  }
  LogChannel channel{column.named.kind, std::move(column.steps), std::move(column.values), name};
  if (!log.channels.emplace(as, std::move(channel)).second)
    throw UserError(fmt::format(
        "cannot read {} (its names {} and {} are both the channel {}); name one of them by --map OTHER=NAME",
        escape_to_line(place_.file()), parity::quoted(log.channels[as].source), parity::quoted(name),
        parity::quoted(as)));
}

std::vector<int64_t> Builder::drop_replaced() {
  std::vector<int64_t> dropped;
  if (attempts_.empty())
    return dropped;
  for (size_t i = 0; i < columns_.size(); ++i)
    attempts_.judge(i, columns_[i].begins, columns_[i].steps);
  const std::vector<int64_t> replaced_from = attempts_.replaced_from();
  for (Column& column : columns_) {
    size_t kept = 0, attempt = 0;
    for (size_t i = 0; i < column.steps.size(); ++i) {
      while (attempt + 1 < column.begins.size() && column.begins[attempt + 1].at <= i)
        ++attempt;
      if (column.steps[i] >= replaced_from[column.begins[attempt].attempt]) {
        dropped.push_back(column.steps[i]);
        continue;
      }
      column.steps[kept] = column.steps[i];
      column.values[kept++] = column.values[i];
    }
    column.steps.resize(kept);
    column.values.resize(kept);
  }
  sort_once(dropped);
  return dropped;
}

Log Builder::finish() {
  Log log{place_.file(), format_, {}, std::move(notes_)};
  std::vector<int64_t> repeated;
  const std::vector<int64_t> dropped = drop_replaced();
  for (Column* column : in_order_of_names()) {
    if (!column->ascending)
      sort_rows(column->steps, column->values, repeated);
    if (!column->steps.empty())
      insert(log, *column);
  }
  for (const auto& [name, channel] : map_)
    if (!index_.contains(name) && channel != "step")
      log.notes.push_back(fmt::format("no value is called {} (--map)", parity::quoted(name)));
  if (log.channels.empty())
    throw UserError("cannot read " + escape_to_line(place_.file()) + " (" + format_ +
                    " without a number at any step); give a log with a step number and numbers");
  for (std::string& text : left_out_.notes())
    log.notes.push_back(std::move(text));
  note_repeated(log, std::move(repeated), dropped);
  return log;
}

}  // namespace parity::logs
