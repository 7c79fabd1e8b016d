// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/json/json.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity::compare {

/// The choices of one router that differ, over the steps that were compared.
struct RouterDifference {
  std::string router;  ///< "layers.0.moe"
  int64_t choices = 0;
  int64_t differing = 0;
};

/// How far two runs send the same tokens to the same experts. A choice is the set of experts of one token in
/// one layer at one step. It agrees if both sets are equal and not empty.
struct RouteAgreement {
  int64_t choices = 0;
  int64_t differing = 0;
  int64_t tokens = 0;                     ///< of all steps
  int64_t touched = 0;                    ///< tokens with a choice that differs in some layer
  std::vector<RouterDifference> routers;  ///< in the order of the pairs
  /// Where choices differ first, and how many do there.
  struct First {
    int64_t step = 0;
    std::string router;
    int64_t differing = 0;
    int64_t choices = 0;
  };
  std::optional<First> first = {};
  /// Why no choice of some tensors can agree: "8 experts against 4"; "" if shapes and numbers fit.
  std::string mismatch = {};

  /// Returns {"routes_compared", "routes_differing", "tokens_compared", "tokens_touched"}.
  Json measured() const;
  /// Returns "3.1 % of 256 tokens meet other experts in some layer ...", in one clause.
  std::string text() const;
};

using RoutePair = std::pair<trace::TensorKey, trace::TensorKey>;

/// Returns why routes with equal bits agree in nothing: some tokens have no expert.
/// \param first_is_set  agreement.first has a value
/// \param whose  the two sides, for the sentence
std::string without_expert(const RouteAgreement& agreement, const std::string& whose);

/// Compares recorded routes (trace/format/routes.hpp), token by token.
/// \param pairs  in order of steps; both traces have their values
/// \throws UserError if a tensor cannot be read
RouteAgreement measure_routes(const trace::Trace& a, const trace::Trace& b,
                              const std::vector<RoutePair>& pairs);

}  // namespace parity::compare
