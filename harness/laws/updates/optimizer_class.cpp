// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/updates/optimizer_class.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace parity::laws {
namespace {

/// Classes of PyTorch and of common packages, in lower case.
constexpr std::array other_rules = {
    "adabelief", "adabound", "adadelta", "adagrad", "adahessian", "adamax",     "adamp",
    "adan",      "ademamix", "adopt",    "apollo",  "asgd",       "came",       "galoreadam",
    "lamb",      "laprop",   "lars",     "lbfgs",   "lion",       "madgrad",    "nadam",
    "novograd",  "prodigy",  "qhadam",   "radam",   "ranger",     "rmsprop",    "rprop",
    "sgdp",      "shampoo",  "soap",     "sophia",  "sparseadam", "stableadam", "yogi"};

/// Endings of classes that compute such a rule in another form.
constexpr std::array forms = {"", "w", "8bit", "32bit", "w8bit", "g", "21"};

/// Words that name who computes a rule, not the rule.
constexpr std::array makers = {"fused", "paged", "foreach", "onebit", "deepspeedcpu", "cpu"};

/// Keys of states: of NAdam; of RMSprop, also centred; of ASGD; of Rprop; of Adamax; of Adan.
constexpr std::array other_states = {"mu_product", "square_avg", "grad_avg",    "ax",
                                     "prev",       "exp_inf",    "exp_avg_diff"};

std::string lower(std::string_view word) {
  std::string result(word);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

/// Returns the name of a class without its makers: "lamb" for "FusedLAMB".
std::string rule_of(std::string_view optimizer) {
  std::string word = lower(optimizer);
  for (const std::string_view maker : makers)
    if (word.starts_with(maker))
      word.erase(0, maker.size());
  return word;
}

}  // namespace

bool has_other_rule(std::string_view optimizer) {
  const std::string word = rule_of(optimizer);
  return word.ends_with("schedulefree") || std::ranges::any_of(other_rules, [&](std::string_view rule) {
           return word.starts_with(rule) && std::ranges::find(forms, word.substr(rule.size())) != forms.end();
         });
}

bool has_other_state(const RecordedRun& run, int64_t step, const std::string& name) {
  const std::vector<std::string>& names = run.names(step, trace::Phase::optim);
  return std::ranges::any_of(other_states, [&](const char* key) {
    return std::ranges::binary_search(names, std::string(key) + "/" + name);
  });
}

bool names_muon(std::string_view optimizer) {
  return lower(optimizer).find("muon") != std::string::npos;
}

bool names_sgd(std::string_view optimizer) {
  const std::string word = rule_of(optimizer);
  return word.starts_with("sgd") && !has_other_rule(optimizer);
}

}  // namespace parity::laws
