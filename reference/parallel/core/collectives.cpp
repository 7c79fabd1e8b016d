// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/parallel/core/collectives.hpp"

#include <ATen/core/ivalue.h>
#include <torch/csrc/autograd/custom_function.h>

#include "reference/model/fixed_order.hpp"
#include "reference/parallel/core/parts.hpp"

namespace parity::reference {
namespace {

/// A move between ranks, of a tensor along a dimension.
using Move = torch::Tensor (*)(const torch::Tensor& x, int64_t dim, int64_t count, const Group& group);

torch::Tensor identity(const torch::Tensor& x, int64_t /*dim*/, int64_t /*count*/, const Group& /*group*/) {
  return x;
}

torch::Tensor all_reduced(const torch::Tensor& x, int64_t /*dim*/, int64_t /*count*/, const Group& group) {
  torch::Tensor sum = x.clone(at::MemoryFormat::Contiguous);
  group.all_reduce(sum);
  return sum;
}

torch::Tensor reduced_as_tree(const torch::Tensor& x, int64_t /*dim*/, int64_t /*count*/,
                              const Group& group) {
  return fixed_order::tree_sum(group.all_gather(x.contiguous()).chunk(group.size()));
}

torch::Tensor part_of_whole(const torch::Tensor& x, int64_t dim, int64_t /*count*/, const Group& group) {
  return own_part(x, dim, group).contiguous();
}

torch::Tensor scattered(const torch::Tensor& x, int64_t dim, int64_t /*count*/, const Group& group) {
  return reduce_scatter_parts(x, dim, group);
}

torch::Tensor scattered_as_tree(const torch::Tensor& x, int64_t dim, int64_t count, const Group& group) {
  return own_part(reduced_as_tree(x, dim, count, group), dim, group).contiguous();
}

/// The data that backward needs; the graph keeps it.
struct Backward : torch::CustomClassHolder {
  Backward(Move move_back, int64_t along, int64_t length, GroupPointer ranks)
      : move(move_back), dim(along), count(length), group(std::move(ranks)) {}

  Move move;
  int64_t dim;
  int64_t count;
  GroupPointer group;
};

struct Collective : torch::autograd::Function<Collective> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x, Move move,
                               const c10::intrusive_ptr<Backward>& backward) {
    context->saved_data["backward"] = c10::IValue::make_capsule(backward);
    torch::Tensor result = move(x, backward->dim, backward->count, *backward->group);
    // Autograd treats an input that a function returns unchanged as a change in place.
    return result.is_same(x) ? x.view_as(x) : result;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const auto held = context->saved_data["backward"].toCapsule();
    const auto& back = static_cast<const Backward&>(*held);
    return {back.move(gradients[0], back.dim, back.count, *back.group), {}, {}};
  }
};

torch::Tensor apply(const torch::Tensor& x, int64_t dim, int64_t count, const GroupPointer& group,
                    Move forward, Move backward) {
  if (group->size() == 1)
    return x;
  return Collective::apply(x, forward, c10::make_intrusive<Backward>(backward, dim, count, group));
}

/// The data that an exchange's backward needs; the graph keeps it.
struct RowCounts : torch::CustomClassHolder {
  RowCounts(std::vector<int64_t> sent, std::vector<int64_t> received, GroupPointer ranks)
      : send_rows(std::move(sent)), receive_rows(std::move(received)), group(std::move(ranks)) {}

  std::vector<int64_t> send_rows;
  std::vector<int64_t> receive_rows;
  GroupPointer group;
};

struct Exchange : torch::autograd::Function<Exchange> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x,
                               const c10::intrusive_ptr<RowCounts>& counts) {
    context->saved_data["counts"] = c10::IValue::make_capsule(counts);
    return counts->group->all_to_all(x.contiguous(), counts->send_rows, counts->receive_rows);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const auto held = context->saved_data["counts"].toCapsule();
    const auto& counts = static_cast<const RowCounts&>(*held);
    return {counts.group->all_to_all(gradients[0].contiguous(), counts.receive_rows, counts.send_rows), {}};
  }
};

}  // namespace

torch::Tensor exchange_rows(const torch::Tensor& x, const std::vector<int64_t>& send_rows,
                            const std::vector<int64_t>& receive_rows, const GroupPointer& group) {
  return Exchange::apply(x, c10::make_intrusive<RowCounts>(send_rows, receive_rows, group));
}

torch::Tensor enter_ranks(const torch::Tensor& x, const GroupPointer& group) {
  return apply(x, 0, 0, group, identity, all_reduced);
}

torch::Tensor sum_over_ranks(const torch::Tensor& x, const GroupPointer& group) {
  return apply(x, 0, 0, group, all_reduced, identity);
}

torch::Tensor split(const torch::Tensor& x, int64_t dim, const GroupPointer& group) {
  return apply(x, dim, x.size(dim), group, part_of_whole, gather_parts);
}

torch::Tensor gather(const torch::Tensor& x, int64_t dim, int64_t count, const GroupPointer& group) {
  return apply(x, dim, count, group, gather_parts, part_of_whole);
}

torch::Tensor gather_for_ranks(const torch::Tensor& x, int64_t dim, int64_t count,
                               const GroupPointer& group) {
  return apply(x, dim, count, group, gather_parts, scattered);
}

torch::Tensor reduce_scatter(const torch::Tensor& x, int64_t dim, const GroupPointer& group) {
  return apply(x, dim, x.size(dim), group, scattered, gather_parts);
}

torch::Tensor sum_over_ranks_as_tree(const torch::Tensor& x, const GroupPointer& group) {
  return apply(x, 0, 0, group, reduced_as_tree, identity);
}

torch::Tensor reduce_scatter_as_tree(const torch::Tensor& x, int64_t dim, const GroupPointer& group) {
  return apply(x, dim, x.size(dim), group, scattered_as_tree, gather_parts);
}

}  // namespace parity::reference
