// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/exact/exact.hpp"

#include <utility>

#include <ATen/ATen.h>
#include <ATen/record_function.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/autograd/custom_function.h>

#include "harness/base/hash.hpp"
#include "reference/exact/arithmetic/planes.hpp"
#include "reference/exact/call.hpp"
#include "reference/exact/dispatch_key.hpp"
#include "reference/exact/shadow.hpp"

namespace parity::reference::exact {
namespace {

bool active = false;

bool is_square(const Field& field, uint64_t x) {
  return field.power(x, (field.prime() - 1) / 2) == 1;
}

/// The norm whose input is renewed.
struct Norm {
  double eps;
  bool centered;  ///< it subtracts the mean
};

/// Replaces the elements of a row [D] by hashes of themselves, so that mean(x^2) + eps, or the variance +
/// eps, is a square.
void renew_row(const uint64_t* from, uint64_t* to, int64_t D, int64_t level, const Norm& norm) {
  const Field& field = tower().field(level);
  const uint64_t share = field.inverse(static_cast<uint64_t>(D)), rest = tower().constant(level, norm.eps);
  for (uint64_t draw = 0;; ++draw) {
    const Hash hash = tower().hash(level, splitmix64(draw ^ fnv1a("renewed")));
    uint64_t squares = 0, sum = 0;
    for (int64_t i = 0; i < D; ++i) {
      to[i] = hash(from[i]);
      squares = field.add(squares, field.mul(to[i], to[i]));
      sum = field.add(sum, to[i]);
    }
    const uint64_t mean = norm.centered ? field.mul(sum, share) : 0;
    const uint64_t variance = field.sub(field.mul(squares, share), field.mul(mean, mean));
    if (is_square(field, field.add(variance, rest)))
      return;
  }
}

Numbers renewed_numbers(const at::Tensor& first, const Norm& norm) {
  const at::Tensor from = first.contiguous();
  const int64_t D = from.size(-1), rows = from.numel() / std::max<int64_t>(1, D);
  Numbers result;
  for (int64_t level = 0; level < tower().levels(); ++level) {
    at::Tensor to = at::empty_like(from);
    const auto* in = reinterpret_cast<const uint64_t*>(from.const_data_ptr<int64_t>());
    auto* out = reinterpret_cast<uint64_t*>(to.mutable_data_ptr<int64_t>());
    at::parallel_for(0, rows, 1, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row)
        renew_row(in + row * D, out + row * D, D, level, norm);
    });
    result.levels.push_back(to.masked_fill_(from.lt(0), unknown));
  }
  return result;
}

struct Renewed : torch::autograd::Function<Renewed> {
  static at::Tensor forward(torch::autograd::AutogradContext* /*context*/, const at::Tensor& x, double eps,
                            bool centered) {
    const at::DisableRecordFunctionGuard unseen;
    at::Tensor result = x.clone(at::MemoryFormat::Contiguous);
    const c10::impl::ExcludeDispatchKeyGuard without_residues(dispatch_key);
    if (known_of(x) == Known::numbers && x.numel() > 0)
      write(result, renewed_numbers(read(x).first().expand(x.sizes()), {eps, centered}));
    return result;
  }
  /// The gradient needs no upper levels: no exponential of a gradient follows.
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* /*context*/,
                                                 const torch::autograd::variable_list& gradients) {
    limit_levels(gradients[0], 1);
    return {gradients[0], {}, {}};
  }
};

/// Returns the bits of each element as a whole number.
at::Tensor bits_of(const at::Tensor& x) {
  const at::Tensor here = x.detach();
  switch (here.element_size()) {
    case 8:
      return here.view(at::kLong);
    case 4:
      return here.view(at::kInt).to(at::kLong);
    default:
      return here.view(at::kShort).to(at::kLong);
  }
}

}  // namespace

void begin(Tower tower) {
  forget_all();
  set_tower(std::move(tower));
  active = true;
  c10::impl::tls_set_dispatch_key_included(dispatch_key, true);
}

bool is_active() {
  return active && !c10::impl::tls_is_dispatch_key_excluded(dispatch_key);
}

void end() {
  c10::impl::tls_set_dispatch_key_included(dispatch_key, false);
  active = false;
  forget_all();
}

void draw(const at::Tensor& x, const std::string& name) {
  const c10::impl::ExcludeDispatchKeyGuard without_residues(dispatch_key);
  draw(x, name, at::arange(x.numel(), at::kLong).view(x.sizes()));
}

void draw(const at::Tensor& x, const std::string& name, const at::Tensor& places) {
  const c10::impl::ExcludeDispatchKeyGuard without_residues(dispatch_key);
  write(x, lifted({{drawn(name, places)}}));
}

at::Tensor drawn(const std::string& name, const at::Tensor& places) {
  const c10::impl::ExcludeDispatchKeyGuard without_residues(dispatch_key);
  return map(places, tower().hash(0, fnv1a(name)));
}

void restore(const at::Tensor& x, const at::Tensor& residues) {
  const c10::impl::ExcludeDispatchKeyGuard without_residues(dispatch_key);
  write(x, lifted({{residues}}));
}

void follow_change(const at::Tensor& x, const std::function<void()>& change) {
  const c10::impl::ExcludeDispatchKeyGuard without_residues(dispatch_key);
  check_unchanged(x);
  const at::Tensor before = bits_of(x).clone();
  Numbers numbers = plain(read(x));
  change();
  const at::Tensor after = bits_of(x), has_changed = after.ne(before);
  if (!has_changed.any().item<bool>())
    return;
  numbers.square = at::Tensor();
  const at::Tensor first = numbers.first();
  for (int64_t level = 0; level < static_cast<int64_t>(numbers.levels.size()); ++level) {
    at::Tensor& plane = numbers.levels[static_cast<size_t>(level)];
    const at::Tensor others =
        map_all(first, after, [hash = tower().hash(level, fnv1a("changed"))](int64_t residue, int64_t bits) {
          return static_cast<int64_t>(
              hash(splitmix64(static_cast<uint64_t>(residue)) ^ static_cast<uint64_t>(bits)));
        });
    plane = at::where(has_changed, others, plane);
  }
  write(x, numbers);
}

at::Tensor residues_of(const at::Tensor& x) {
  const c10::impl::ExcludeDispatchKeyGuard without_residues(dispatch_key);
  check_unchanged(x);
  return read(x.detach()).first().expand(x.sizes()).clone(at::MemoryFormat::Contiguous);
}

at::Tensor filled_with_constants(at::Tensor x) {
  if (is_active() && is_numeric(x))
    mark_constant(x);
  return x;
}

at::Tensor computed_as(at::Tensor result, const std::function<at::Tensor()>& function) {
  if (!is_active())
    return result;
  const at::DisableRecordFunctionGuard unseen;
  const c10::impl::ExcludeDispatchKeyGuard without_residues(dispatch_key);
  write(result, from_operators([&]() -> std::vector<at::Tensor> { return {function()}; }).front());
  return result;
}

at::Tensor renewed(const at::Tensor& x, double eps, bool centered) {
  return Renewed::apply(x, eps, centered);
}

}  // namespace parity::reference::exact
