// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/tensors/routes.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "harness/tensor/shape.hpp"
#include "harness/trace/format/routes.hpp"

namespace parity::compare {
namespace {

int64_t experts_in(const TensorView& routes) {
  return routes.shape.empty() ? 0 : routes.shape.back();
}

int64_t tokens_in(const TensorView& routes) {
  return experts_in(routes) == 0 ? 0 : routes.size() / experts_in(routes);
}

/// Returns why two routes cannot agree in any choice; "" if they can.
std::string mismatch_of(const TensorView& a, const TensorView& b) {
  if (a.dtype != DType::bool8 || b.dtype != DType::bool8)
    return fmt::format("{} against {}, where routes are bool", name_of(a.dtype), name_of(b.dtype));
  if (experts_in(a) != experts_in(b))
    return fmt::format("{} experts against {}", experts_in(a), experts_in(b));
  return a.shape == b.shape ? ""
                            : fmt::format("tokens {} against {}", to_string(a.shape), to_string(b.shape));
}

/// Returns for each token whether its choices differ, [tokens]. A choice of no expert agrees with nothing.
std::vector<bool> differing_tokens(const TensorView& a, const TensorView& b, std::string& mismatch) {
  std::vector<bool> differs(static_cast<size_t>(std::max(tokens_in(a), tokens_in(b))), true);
  if (const std::string why = mismatch_of(a, b); !why.empty()) {
    mismatch = why;
    return differs;
  }
  const auto experts = static_cast<size_t>(experts_in(a));
  const auto *one = static_cast<const uint8_t*>(a.data), *other = static_cast<const uint8_t*>(b.data);
  for (size_t token = 0; token < differs.size(); ++token, one += experts, other += experts) {
    const auto chosen = std::count_if(one, one + experts, [](uint8_t x) { return x != 0; });
    const auto others = std::count_if(other, other + experts, [](uint8_t x) { return x != 0; });
    differs[token] = chosen == 0 || !std::equal(one, one + experts, other,
                                                [](uint8_t x, uint8_t y) { return (x != 0) == (y != 0); });
    if (chosen != others)
      mismatch = fmt::format("{} experts of a token against {}", chosen, others);
  }
  return differs;
}

/// Returns "1.2 %"; "less than 0.01 %" where that is all.
std::string percent(int64_t part, int64_t whole) {
  const double share = whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  return share > 0 && share < 0.01 ? "less than 0.01 %" : fmt::format("{:.3g} %", share);
}

std::string router_of(const trace::TensorKey& key) {
  return key.name.substr(0, key.name.size() - trace::routes_suffix.size());
}

RouterDifference& of_router(std::vector<RouterDifference>& routers, const std::string& name) {
  const auto found = std::ranges::find(routers, name, &RouterDifference::router);
  return found != routers.end() ? *found : routers.emplace_back(RouterDifference{name, 0, 0});
}

}  // namespace

RouteAgreement measure_routes(const trace::Trace& a, const trace::Trace& b,
                              const std::vector<RoutePair>& pairs) {
  RouteAgreement found;
  std::map<int64_t, std::vector<bool>> touched;  // by step
  for (const auto& [expected, actual] : pairs) {
    const std::vector<bool> differs = differing_tokens(a.tensor(expected), b.tensor(actual), found.mismatch);
    const int64_t count = std::ranges::count(differs, true);
    const auto choices = static_cast<int64_t>(differs.size());
    RouterDifference& router = of_router(found.routers, router_of(expected));
    router.choices += choices;
    router.differing += count;
    found.choices += choices;
    found.differing += count;
    if (count > 0 && !found.first)
      found.first = {expected.step, router.router, count, choices};
    std::vector<bool>& here = touched[expected.step];
    here.resize(std::max(here.size(), differs.size()));
    for (size_t token = 0; token < differs.size(); ++token)
      here[token] = here[token] || differs[token];
  }
  for (const auto& [step, tokens] : touched) {
    found.tokens += static_cast<int64_t>(tokens.size());
    found.touched += std::ranges::count(tokens, true);
  }
  return found;
}

Json RouteAgreement::measured() const {
  return {{"routes_compared", choices},
          {"routes_differing", differing},
          {"tokens_compared", tokens},
          {"tokens_touched", touched}};
}

std::string RouteAgreement::text() const {
  if (!first)
    return fmt::format("the same experts for all {} tokens in {} layer{}", tokens, routers.size(),
                       routers.size() == 1 ? "" : "s");
  const RouterDifference& most = *std::ranges::max_element(routers, {}, [](const RouterDifference& each) {
    return static_cast<double>(each.differing) / static_cast<double>(std::max<int64_t>(1, each.choices));
  });
  return fmt::format(
      "{} of {} choices of experts differ, which touch {} of {} tokens in some layer; most in {}, for {} of "
      "its tokens; first in {} at step {}, for {} of {} tokens{}",
      percent(differing, choices), choices, percent(touched, tokens), tokens, most.router,
      percent(most.differing, most.choices), first->router, first->step, first->differing, first->choices,
      mismatch.empty() ? "" : "; " + mismatch);
}

std::string without_expert(const RouteAgreement& agreement, const std::string& whose) {
  if (!agreement.mismatch.empty())
    return fmt::format("routes of {} cannot agree: {}", whose, agreement.mismatch);
  return fmt::format(
      "tokens of {} have no expert in {} at step {} (their scores are not finite), which agrees with nothing",
      whose, agreement.first->router, agreement.first->step);
}

}  // namespace parity::compare
