// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/cli/options/repeated.hpp"
#include "harness/cli/options/runs.hpp"
#include "harness/cli/verbs/verbs.hpp"
#include "harness/reveal/arm.hpp"
#include "harness/reveal/describe.hpp"
#include "harness/reveal/draw.hpp"
#include "harness/suite/cases/named_case.hpp"
#include "harness/suite/derived/extra_arms.hpp"
#include "harness/suite/results/orders.hpp"

namespace parity::cli {
namespace {

struct RevealOptions {
  std::string target, root = "cases", picture;
  std::vector<std::string> sizes;
  reveal::SumQuestion question;
  RunOptions run;
};

/// Reads "k=64". \throws UserError
std::pair<std::string, int64_t> parse_size(const std::string& text) {
  const size_t equals = text.find('=');
  int64_t size = 0;
  if (equals != std::string::npos && equals > 0) {
    const char* end = text.data() + text.size();
    const auto [last, error] = std::from_chars(text.data() + equals + 1, end, size);
    if (error == std::errc() && last == end && size > 0)
      return {text.substr(0, equals), size};
  }
  throw UserError(fmt::format("invalid --at '{}' (expected SYMBOL=SIZE, such as k=64)", text));
}

void print_sum(const reveal::RevealedSum& sum) {
  fmt::print("{} of {} at {}\n", sum.over, sum.arm, sum.point);
  fmt::print("  order       {}\n", reveal::describe_order(sum.found.tree));
  fmt::print("  arithmetic  {}\n",
             reveal::describe_arithmetic(sum.found.tree, sum.arithmetic, sum.multiplies));
  fmt::print(
      "  predicted   {} of {} random results, bit for bit{}\n", sum.prediction.right, sum.prediction.tried,
      sum.prediction.right == sum.prediction.tried ? "" : "; the others are added or rounded in another way");
  if (const std::string drawing = reveal::draw(sum.found.tree); !drawing.empty())
    fmt::print("\n{}\n", drawing);
}

/// Returns the arms that a target names: one, or all arms with a function.
std::vector<std::string> arms_of(const suite::Case& source, const std::string& arm) {
  std::vector<std::string> arms;
  for (const suite::Arm& each : source.arms)
    if (arm.empty() ? each.name != "exact" : each.name == arm)
      arms.push_back(each.name);
  if (arms.empty())
    throw UserError(fmt::format("case {} has no arm '{}'", source.name, arm));
  return arms;
}

/// What the arms of a case answered.
struct Answers {
  std::vector<reveal::RevealedSum> sums;
  std::map<std::string, std::string> refused = {};  ///< arm, why its order cannot be revealed
};

/// Asks each arm, and stores the answers for reports of these very runs.
Answers reveal_arms(const RevealOptions& options, const suite::Case& source,
                    const std::vector<std::string>& arms) {
  reveal::SumQuestion question = options.question;
  for (const std::string& size : options.sizes)
    question.sizes.insert(parse_size(size));
  const bool usual = question.over.empty() && question.sizes.empty() && question.dtype.empty();
  const suite::SuiteOptions suite = options.run.suite_options();
  const suite::PlannedCase planned = suite::plan_arms(source, suite);
  Progress progress(stderr);
  Answers answers;
  suite::RevealedOrders orders;
  for (const std::string& arm : arms) {
    const std::string& run = planned.arm(arm).run;
    try {
      const auto& sum = answers.sums.emplace_back(reveal::reveal_arm(source, arm, question, suite, progress));
      orders[arm] = {run, sum.sentence(), sum.point, sum.prediction.right, sum.prediction.tried};
    } catch (const reveal::NotRevealed& problem) {
      answers.refused[arm] = problem.what();
      if (usual)  // another question may have an answer
        orders[arm] = {run, "", "", 0, 0};
    }
  }
  suite::keep_orders(source, suite.out, orders);
  return answers;
}

Json answers_json(const suite::Case& source, const Answers& answers) {
  Json json = {{"case", source.name}, {"sums", Json::array()}, {"sentences", Json::array()}};
  for (const reveal::RevealedSum& sum : answers.sums) {
    json["sums"].push_back(sum.to_json());
    if (&sum != &answers.sums.front())
      json["sentences"].push_back(reveal::compare(answers.sums.front(), sum));
  }
  json["refused"] = answers.refused;
  return json;
}

ExitCode run_reveal(const RevealOptions& options) {
  const size_t colon = options.target.rfind(':');
  const suite::Case source = suite::named_case(options.target.substr(0, colon), options.root);
  if (!source.problem)
    throw UserError(
        fmt::format("case {} has no table [operator]; only operators have an order to reveal", source.name));
  const Answers answers = reveal_arms(
      options, source, arms_of(source, colon == std::string::npos ? "" : options.target.substr(colon + 1)));
  const std::vector<reveal::RevealedSum>& sums = answers.sums;
  const Json json = answers_json(source, answers);
  if (!options.picture.empty() && !sums.empty())
    write_file(options.picture, reveal::draw_svg(sums.front().found.tree));
  if (options.run.json) {
    fmt::print("{}\n", json_text(json, 1));
  } else {
    for (const reveal::RevealedSum& sum : sums)
      print_sum(sum);
    for (const Json& sentence : json["sentences"])
      fmt::print("{}\n", sentence.get<std::string>());
  }
  if (!answers.refused.empty())
    throw UserError(
        fmt::format("arm {}: {}", answers.refused.begin()->first, answers.refused.begin()->second));
  const bool alike = std::ranges::all_of(
      sums, [&](const reveal::RevealedSum& sum) { return reveal::adds_alike(sums.front(), sum); });
  const bool predicted = std::ranges::all_of(
      sums, [](const reveal::RevealedSum& sum) { return sum.prediction.right == sum.prediction.tried; });
  return !predicted ? ExitCode::missing : alike ? ExitCode::agree : ExitCode::differ;
}

}  // namespace

void add_reveal(CLI::App& app, Action& action) {
  auto options = std::make_shared<RevealOptions>();
  app.add_option("CASE", options->target, "Operator case, or CASE:ARM for one of its arms")
      ->type_name("CASE")
      ->required();
  app.add_option("--cases", options->root, "Folder of the cases")->type_name("DIR")->capture_default_str();
  app.add_option("--over", options->question.over,
                 "Symbol of the dimension that is summed (default: the one that two inputs share)")
      ->type_name("SYMBOL");
  add_repeated(app, "--at", options->sizes, "Size of a dimension, in place of the sweep's; may be repeated",
               "SYMBOL=SIZE");
  app.add_option("--dtype", options->question.dtype, "dtype of the inputs (default: the first of the case)")
      ->type_name("DTYPE");
  app.add_option("--svg", options->picture, "Write a picture of the first arm's order")->type_name("FILE");
  options->run.add_search_options(app, "");
  app.footer(
      "Finds, from outside, in which order an operator adds, and how it rounds. The order predicts 200 "
      "random\n"
      "results, and the number that agree bit for bit is printed. Sums of squares and exact sums are "
      "refused.\n"
      "Examples:\n"
      "  parity reveal operators/matmul\n"
      "  parity reveal operators/matmul:aten --over k --at k=64 --svg order.svg\n"
      "Exit status 0: every result was predicted, and all arms add alike. 1: arms add in different ways. 3: "
      "some\n"
      "results were not predicted, so the order is not the whole truth.");
  app.callback([options, &action] { action = [options] { return run_reveal(*options); }; });
}

}  // namespace parity::cli
