// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/exact/ranks/exchange.hpp"

#include <string>
#include <utility>

#include <ATen/ATen.h>

#include "harness/base/error.hpp"
#include "reference/exact/ranks/packed.hpp"
#include "reference/exact/shadow.hpp"

namespace parity::reference::exact {
namespace {

using Tensors = std::vector<at::Tensor>;

constexpr int64_t unreadable = -5;  ///< in every plane of a tensor without residues

}  // namespace

at::Tensor real_view(const at::Tensor& x) {
  const at::Tensor here = x.detach();
  return here.is_complex() ? at::view_as_real(here) : here;
}

at::Tensor rows_for(const at::Tensor& x) {
  return at::full({real_view(x).numel(), tower().levels() + 2}, unreadable, at::kLong);
}

at::Tensor rows_of(const at::Tensor& x) {
  const at::Tensor reals = real_view(x);
  try {
    const Numbers flat = moved({read(reals)}, [&](const Tensors& planes, int64_t) {
      return planes[0].expand(reals.sizes()).flatten();
    });
    return packed(flat, {reals.numel()});
  } catch (const UserError&) {
    return rows_for(x);
  }
}

void write_rows(const at::Tensor& x, const Numbers& flat) {
  const at::Tensor reals = real_view(x);
  write(reals,
        moved({flat}, [&](const Tensors& planes, int64_t) { return planes[0].reshape(reals.sizes()); }));
}

at::Tensor readable(at::Tensor rows, int64_t rank) {
  if (rows.eq(unreadable).any().item<bool>())
    throw UserError("the tensor of rank " + std::to_string(rank) + " has no residues");
  return rows;
}

const c10::IValue& named(const Call& call, const char* name) {
  const auto& declared = call.op().schema().arguments();
  for (size_t i = 0; i < declared.size(); ++i)
    if (declared[i].name() == name)
      return call.argument(i);
  throw UserError(call.op().schema().name() + " has no argument " + name + " in this version of PyTorch");
}

Tensors tensors_of(const Call& call, const char* name) {
  const c10::IValue& value = named(call, name);
  return value.isTensor() ? Tensors{value.toTensor()} : value.toTensorVector();
}

std::vector<Tensors> lists_of(const Call& call, const char* name) {
  std::vector<Tensors> result;
  for (const c10::IValue& each : named(call, name).toListRef())
    result.push_back(each.toTensorVector());
  return result;
}

Tensors Ranks::gathered(const at::Tensor& mine) const {
  Tensors in = {mine.contiguous()};
  std::vector<Tensors> out(1);
  for (int64_t i = 0; i < size(); ++i)
    out[0].push_back(at::empty_like(in[0]));
  group_->allgather(out, in)->wait();
  return out[0];
}

at::Tensor Ranks::exchanged(at::Tensor mine, int64_t rows, std::vector<int64_t> to,
                            std::vector<int64_t> from) const {
  at::Tensor result = at::empty({rows, mine.size(1)}, mine.options());
  group_->alltoall_base(result, mine, from, to)->wait();
  return result;
}

void Ranks::broadcast(at::Tensor rows, int64_t root) const {
  Tensors tensors = {std::move(rows)};
  c10d::BroadcastOptions options;
  options.rootRank = root;
  group_->broadcast(tensors, options)->wait();
}

}  // namespace parity::reference::exact
