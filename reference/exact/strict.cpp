// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/exact/strict.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

#include <ATen/ATen.h>

#include "harness/base/error.hpp"
#include "reference/exact/shadow.hpp"

namespace parity::reference::exact {
namespace {

std::atomic<bool> strict = false;

std::vector<at::Tensor> numbers_of(const Call& call) {
  std::vector<at::Tensor> result;
  const auto append = [&](const at::Tensor& x) {
    if (is_numeric(x) && x.numel() > 0 && known_of(x) == Known::numbers)
      result.push_back(x);
  };
  for (const c10::IValue& each : call.arguments())
    if (each.isTensor())
      append(each.toTensor());
    else if (each.isTensorList())
      std::ranges::for_each(each.toTensorVector(), append);
  return result;
}

void check_decision(const Call& call) {
  for (const at::Tensor& x : numbers_of(call)) {
    const at::Tensor bad = at::isnan(x).logical_or(at::isposinf(x.is_complex() ? at::real(x) : x));
    if (bad.any().item<bool>())
      throw UserError("it decides by values that are NaN or infinite, so that residues prove nothing");
  }
}

/// Returns whether a call makes integers of numbers. Truth values are decisions.
bool casts_to_integers(const Call& call) {
  const std::string base = base_name(call.op().schema());
  if (base == "copy")
    return at::isIntegralType(call.tensor(0).scalar_type(), /*includeBool=*/false);
  return base == "_to_copy" && call.has(1) &&
         at::isIntegralType(call.argument(1).toScalarType(), /*includeBool=*/false);
}

}  // namespace

void refuse_strictly(bool strictly) {
  strict = strictly;
}

bool chooses(const std::string& base) {
  static const Rules choices = [] {
    Rules result;
    add_choices(result);
    return result;
  }();
  return choices.contains(base);
}

void check_strictly(const Call& call, Use use) {
  if (!strict)
    return;
  const std::string& name = call.op().schema().name();
  if ((use == Use::constant || use == Use::decision) && call.op().hasTag(at::Tag::nondeterministic_seeded))
    throw UserError("it draws random numbers, which a proof cannot take from one seed");
  if (name == "aten::_local_scalar_dense" && !numbers_of(call).empty())
    throw UserError("it reads a number out of a tensor; what the program does with it has no residue");
  if (name == "aten::view" && call.op().schema().overload_name() == "dtype" && !numbers_of(call).empty())
    throw UserError("it reads the bits of numbers");
  if (casts_to_integers(call) && !numbers_of(call).empty())
    throw UserError("it casts numbers to integers; what the program does with them has no residue");
  if (use == Use::decision)
    check_decision(call);
}

}  // namespace parity::reference::exact
