// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/results.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include "harness/base/error.hpp"
#include "harness/base/file.hpp"
#include "reports/json_node.hpp"
#include "reports/verdicts.hpp"

namespace parity::reports {
namespace {

using Node = JsonNode;

std::string text_or(const Node& parent, const char* name, const std::string& fallback = "") {
  const auto node = parent.find(name);
  return node ? node->text() : fallback;
}

bool flag_or(const Node& parent, const char* name, bool fallback) {
  const auto node = parent.find(name);
  return node ? node->flag() : fallback;
}

int64_t integer_or(const Node& parent, const char* name, int64_t fallback) {
  const auto node = parent.find(name);
  return node ? node->integer() : fallback;
}

double number_or(const Node& parent, const char* name, double fallback) {
  const auto node = parent.find(name);
  return node ? node->number() : fallback;
}

Json object_or_empty(const Node& parent, const char* name) {
  const auto node = parent.find(name);
  return node ? node->object() : Json::object();
}

Json scalars_or_empty(const Node& parent, const char* name) {
  const auto node = parent.find(name);
  return node ? node->scalars() : Json::object();
}

/// Each item of an optional list through `parse`.
template <class Parse>
auto list(const Node& parent, const char* name, Parse parse) {
  std::vector<decltype(parse(parent))> result;
  if (const auto node = parent.find(name))
    for (const Node& item : node->items())
      result.push_back(parse(item));
  return result;
}

std::vector<std::string> texts(const Node& parent, const char* name) {
  return list(parent, name, [](const Node& item) { return item.text(); });
}

std::string verdict(const Node& parent) {
  const Node node = parent.at("verdict");
  const std::string name = node.text();
  node.expect(find_verdict(name) != nullptr, "a verdict: '" + name + "' (known: " + verdict_names() + ")");
  return name;
}

Value value(const Node& node) {
  if (node.json().is_null())
    return std::nullopt;
  return node.number();
}

std::vector<Value> values(const Node& node, size_t steps) {
  std::vector<Value> result;
  for (const Node& item : node.items())
    result.push_back(value(item));
  node.expect(result.size() == steps, "as long as its curve's steps (" + std::to_string(result.size()) +
                                          " values for " + std::to_string(steps) + " steps)");
  return result;
}

/// arm -> values, in the order of the case's arms.
std::vector<Series> series(const Node& curve, const char* name, const std::vector<Arm>& arms, size_t steps) {
  std::vector<Series> result;
  const auto node = curve.find(name);
  if (!node)
    return result;
  for (const auto& [key, unused] : node->object().items())
    node->at(key).expect(std::ranges::any_of(arms, [&, k = key](const Arm& arm) { return arm.name == k; }),
                         "the series of an arm of this case");
  for (const Arm& arm : arms)
    if (const auto found = node->find(arm.name))
      result.push_back({arm.name, values(*found, steps)});
  return result;
}

Curve curve(const Node& node, const std::vector<Arm>& arms) {
  Curve result;
  result.channel = node.at("channel").text();
  for (const Node& step : node.at("steps").items())
    result.steps.push_back(step.integer());
  const size_t steps = result.steps.size();
  node.at("series");
  result.series = series(node, "series", arms, steps);
  result.gap = series(node, "gap", arms, steps);
  result.golden = series(node, "golden", arms, steps);
  if (const auto floor = node.find("floor"))
    result.floor = values(*floor, steps);
  return result;
}

Arm arm(const Node& node) {
  Arm result;
  result.name = node.at("name").text();
  result.run = text_or(node, "run");
  result.trace = text_or(node, "trace");
  result.cached = flag_or(node, "cached", false);
  result.ranks = integer_or(node, "ranks", 1);
  result.seconds = number_or(node, "seconds", 0);
  result.steps = integer_or(node, "steps", 0);
  if (const auto rate = node.find("tokens_per_second"))
    result.tokens_per_second = rate->number();
  result.config = object_or_empty(node, "config");
  result.provenance = object_or_empty(node, "provenance");
  const Node status = node.at("status");
  result.complete = status.text() == "complete";
  result.skipped = status.text() == "skipped";
  status.expect(result.complete || result.skipped || status.text() == "failed",
                "\"complete\", \"failed\" or \"skipped\"");
  if (const auto failure = node.find("failure")) {
    result.failure_kind = text_or(*failure, "kind", "failed");
    result.failure = failure->at("message").text();
  }
  if (!result.complete && result.failure.empty())
    result.failure = "the run did not finish; it left no reason";
  result.stderr_tail = text_or(node, "stderr_tail");
  result.twin = text_or(node, "twin");
  return result;
}

ConfigDifference config_difference(const Node& node) {
  ConfigDifference result;
  result.key = node.at("key").text();
  for (const auto& [name, held] : node.at("values").object().items())
    result.values.emplace_back(name, held);
  return result;
}

Worst worst(const Node& node) {
  Worst result;
  result.step = integer_or(node, "step", 0);
  result.tensor = text_or(node, "tensor", text_or(node, "quantity"));
  result.index = list(node, "index", [](const Node& item) { return item.integer(); });
  for (const auto& [field, name] :
       {std::pair{&result.expected, "expected"}, std::pair{&result.actual, "actual"},
        std::pair{&result.value, "value"}, std::pair{&result.limit, "limit"}})
    if (const auto found = node.find(name)) {
      found->expect(found->json().is_primitive(), "a scalar");
      *field = found->json();
    }
  result.metric = text_or(node, "metric");
  return result;
}

TensorRow tensor_row(const Node& node) {
  TensorRow result;
  result.step = integer_or(node, "step", 0);
  result.phase = text_or(node, "phase");
  result.name = node.at("name").text();
  result.identical = flag_or(node, "identical", false);
  for (const auto& [name, held] : node.object().items())
    if (held.is_primitive() && !held.is_null() && name != "step" && name != "phase" && name != "name" &&
        name != "identical")
      result.measured[name] = held;
  return result;
}

Check check(const Node& node) {
  Check result;
  result.id = node.at("id").text();
  result.kind = text_or(node, "kind", "pair");
  result.quantity = node.at("quantity").text();
  result.arms = texts(node, "arms");
  result.against = text_or(node, "against", result.kind == "golden" ? "golden" : "arm");
  result.relation = node.at("relation").text();
  result.parameters = scalars_or_empty(node, "parameters");
  result.steps = text_or(node, "steps", "all");
  result.because = text_or(node, "because");
  result.passed = node.at("passed").flag();
  result.verdict = verdict(node);
  result.sentence = node.at("sentence").text();
  result.measured = scalars_or_empty(node, "measured");
  result.limit = scalars_or_empty(node, "limit");
  if (const auto place = node.find("worst"))
    result.worst = worst(*place);
  result.tensors = list(node, "tensors", tensor_row);
  if (const auto picture = node.find("picture"))
    result.picture = read_tensor_picture(*picture);
  result.command = text_or(node, "command");
  result.line = integer_or(node, "line", 0);
  return result;
}

Case case_(const Node& node) {
  Case result;
  result.name = node.at("name").text();
  result.file = text_or(node, "file");
  result.title = text_or(node, "title", result.name);
  result.question = text_or(node, "question");
  result.source = text_or(node, "source");
  result.tags = texts(node, "tags");
  result.passed = node.at("passed").flag();
  result.skipped = text_or(node, "skipped");
  result.verdict = verdict(node);
  result.sentence = text_or(node, "sentence");
  result.seconds = number_or(node, "seconds", 0);
  result.notes = texts(node, "notes");
  node.at("arms");
  result.arms = list(node, "arms", arm);
  result.reference = text_or(node, "reference", result.arms.empty() ? "" : result.arms.front().name);
  result.config_difference = list(node, "config_difference", config_difference);
  result.curves = list(node, "curves", [&](const Node& item) { return curve(item, result.arms); });
  result.masks = list(node, "masks", read_mask_picture);
  for (const MaskPicture& mask : result.masks)
    for (const std::string& name : mask.arms)
      if (std::ranges::find(result.arms, name, &Arm::name) == result.arms.end())
        Node::fail(node.path() + ".masks names an arm '" + name + "' that the case has not");
  node.at("checks");
  result.checks = list(node, "checks", check);
  result.reproduce = text_or(node, "reproduce");
  if (result.passed && result.checks_failed() > 0)
    Node::fail(node.path() + ".passed is true, but a check of " + result.name +
               " failed (a report must not hide it)");
  const bool any_failed = std::ranges::any_of(result.arms, &Arm::failed);
  if (!result.skipped.empty() && (result.passed || !result.checks.empty() || any_failed))
    Node::fail(node.path() + ".skipped is set, but " + result.name +
               (result.passed ? " passed"
                : any_failed  ? " has an arm that failed"
                              : " has checks") +
               " (a case that was judged is not skipped)");
  if (result.skipped.empty() && std::ranges::any_of(result.arms, &Arm::skipped))
    Node::fail(node.path() + " has an arm that was skipped, and does not say why it is skipped itself");
  return result;
}

void expect_schema(const Node& root) {
  const std::string schema = root.at("schema").text();
  const std::string known = "parity.results/1";
  if (schema != known && !schema.starts_with(known + "."))
    throw UserError("schema is '" + schema + "' (this version reads " + known +
                    "); render the report with the version of parity that wrote the file");
}

/// Turns each case into ours as soon as its text has been read, so that only one is held as JSON.
class CaseReader {
 public:
  /// What Json::parse calls. \return whether the value is kept
  bool operator()(int depth, Json::parse_event_t event, const Json& parsed) {
    if (depth == 1 && event == Json::parse_event_t::key)
      in_cases_ = parsed == "cases";
    const bool ends = event == Json::parse_event_t::object_end || event == Json::parse_event_t::array_end ||
                      event == Json::parse_event_t::value;
    if (!in_cases_ || depth != 2 || !ends)
      return true;
    if (!problem_)
      read(parsed);
    return false;
  }

  /// \throws UserError for the first case that is not one
  std::vector<Case> take() {
    if (problem_)
      throw UserError(*problem_);
    return std::move(cases_);
  }

 private:
  void read(const Json& json) {
    try {
      cases_.push_back(case_(Node(json, "cases[" + std::to_string(cases_.size()) + "]")));
    } catch (const UserError& error) {  // kept: whether the file is ours at all is the first question
      problem_ = error;
    }
  }

  bool in_cases_ = false;
  std::vector<Case> cases_;
  std::optional<UserError> problem_;
};

}  // namespace

size_t Case::checks_failed() const {
  return static_cast<size_t>(std::ranges::count_if(checks, [](const Check& item) { return !item.passed; }));
}

size_t Results::cases_failed() const {
  return static_cast<size_t>(std::ranges::count_if(cases, &Case::failed));
}

size_t Results::cases_skipped() const {
  return static_cast<size_t>(
      std::ranges::count_if(cases, [](const Case& item) { return !item.skipped.empty(); }));
}

size_t Results::checks() const {
  size_t sum = 0;
  for (const Case& item : cases)
    sum += item.checks.size();
  return sum;
}

size_t Results::checks_failed() const {
  size_t sum = 0;
  for (const Case& item : cases)
    sum += item.checks_failed();
  return sum;
}

Results parse_results(const std::string& text, const std::string& origin) try {
  if (json_depth(text) > deepest_json)
    throw UserError("nested too deeply for results of ours; run the suite again");
  CaseReader cases;
  const Json json = Json::parse(text, std::ref(cases));
  const Node root(json, "");
  expect_schema(root);
  Results result;
  if (const auto producer = root.find("producer")) {
    result.version = text_or(*producer, "version");
    result.commit = text_or(*producer, "commit");
    result.dirty = flag_or(*producer, "dirty", false);
  }
  result.command = texts(root, "command");
  result.started = text_or(root, "started");
  result.seconds = number_or(root, "seconds", 0);
  result.environment = object_or_empty(root, "environment");
  static_cast<void>(root.at("cases").items());
  result.cases = cases.take();
  result.interrupted = flag_or(root, "interrupted", false);
  result.unfinished = texts(root, "unfinished");
  result.missing_shards = list(root, "missing_shards", [](const Node& item) { return item.integer(); });
  if (const auto summary = root.find("summary")) {
    result.runs = integer_or(*summary, "runs", 0);
    result.runs_cached = integer_or(*summary, "runs_cached", 0);
  }
  return result;
} catch (const Json::exception& error) {
  throw UserError(origin + ": not JSON (" + error.what() +
                  "); the run that wrote it may have been interrupted: run the suite again");
} catch (const UserError& error) {
  throw UserError(origin + ": " + error.what(), error.code());
}

Results load_results(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file))
    throw UserError(
        "no results at " + file.string() + " (no suite has finished there); run `parity run` first",
        ExitCode::missing);
  return parse_results(read_file(file), file.string());
}

}  // namespace parity::reports
