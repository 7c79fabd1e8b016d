// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/exact/ranks/process_groups.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include <ATen/ATen.h>

#include "harness/base/error.hpp"
#include "reference/exact/ranks/exchange.hpp"
#include "reference/exact/ranks/packed.hpp"
#include "reference/exact/shadow.hpp"

namespace parity::reference::exact {
namespace {

using Tensors = std::vector<at::Tensor>;
using c10d::ReduceOp;

/// The handle of a collective that has ended. The backend's own may move values when somebody waits again.
class Ended : public c10d::Work {
 public:
  explicit Ended(c10::intrusive_ptr<c10d::Work> work) : work_(std::move(work)) {}

  bool isCompleted() override { return true; }
  bool isSuccess() const override { return true; }
  bool wait(std::chrono::milliseconds /*timeout*/) override { return true; }
  std::vector<at::Tensor> result() override { return work_->result(); }
  c10::intrusive_ptr<c10::ivalue::Future> getFuture() override { return work_->getFuture(); }

 private:
  c10::intrusive_ptr<c10d::Work> work_;
};

/// Runs the collective itself, to its end.
void run(Call& call) {
  call.run();
  for (size_t i = 0; i < call.results().size(); ++i)
    if (call.results()[i].isObject()) {
      const auto work = call.results()[i].toCustomClass<c10d::Work>();
      work->wait();
      call.replace_result(i, c10::intrusive_ptr<c10d::Work>(c10::make_intrusive<Ended>(work)));
    }
}

/// Returns the sum, mean or choice among the rows that the ranks gave.
/// \param values  of the ranks, where the reduction chooses
Numbers reduced(const Tensors& rows, const Tensors& values, ReduceOp::RedOpType reduction) {
  Tensors all;
  for (size_t i = 0; i < rows.size(); ++i)
    all.push_back(readable(rows[i], static_cast<int64_t>(i)));
  const auto n = static_cast<int64_t>(rows.size());
  const at::Tensor joined = at::cat(all);
  if (reduction == ReduceOp::SUM)
    return sum_of_parts(joined, n);
  if (reduction == ReduceOp::AVG)
    return mul(sum_of_parts(joined, n), reciprocal(constant(static_cast<double>(n))));
  const at::Tensor choices = at::stack(values);
  const at::Tensor chosen = reduction == ReduceOp::MAX ? choices.argmax(0, true) : choices.argmin(0, true);
  return moved({unpacked(joined)}, [&](const Tensors& planes, int64_t) {
    return planes[0].view({n, -1}).gather(0, chosen).squeeze(0);
  });
}

ReduceOp::RedOpType reduction_of(const Call& call) {
  const ReduceOp::RedOpType result = named(call, "reduce_op").toCustomClass<ReduceOp>()->op_;
  if (result != ReduceOp::SUM && result != ReduceOp::AVG && result != ReduceOp::MAX &&
      result != ReduceOp::MIN)
    throw UserError("a reduction other than sum, mean, max and min has no exact form");
  return result;
}

at::Tensor values_of(const at::Tensor& x) {
  return real_view(x).flatten().to(at::kDouble, /*non_blocking=*/false, /*copy=*/true);
}

/// allreduce_: each tensor becomes the reduction over the ranks.
void all_reduce(Call& call) {
  const Ranks ranks(call);
  const ReduceOp::RedOpType reduction = reduction_of(call);
  const Tensors tensors = tensors_of(call, "tensors");
  Tensors rows, values;
  for (const at::Tensor& each : tensors) {
    rows.push_back(rows_of(each));
    values.push_back(values_of(each));
  }
  run(call);
  for (size_t i = 0; i < tensors.size(); ++i) {
    const bool chooses = reduction == ReduceOp::MAX || reduction == ReduceOp::MIN;
    const Tensors all = ranks.gathered(rows[i]);
    write_rows(tensors[i], reduced(all, chooses ? ranks.gathered(values[i]) : Tensors(), reduction));
  }
}

/// reduce_: the root's tensor becomes the reduction; those of others hold intermediate values.
void reduce(Call& call) {
  const Ranks ranks(call);
  const ReduceOp::RedOpType reduction = reduction_of(call);
  if (reduction != ReduceOp::SUM && reduction != ReduceOp::AVG)
    throw UserError("a reduction other than sum and mean has no exact form here");
  const at::Tensor tensor = tensors_of(call, "tensors").at(0), rows = rows_of(tensor);
  run(call);
  const Numbers sum = reduced(ranks.gathered(rows), {}, reduction);
  if (ranks.rank() == named(call, "root_rank").toInt())
    write_rows(tensor, sum);
  else
    mark_unwritten(tensor);
}

/// gather_: the root gets the tensors of all ranks.
void gather(Call& call) {
  const Ranks ranks(call);
  const std::vector<Tensors> to = lists_of(call, "output_tensors");
  const at::Tensor rows = rows_of(tensors_of(call, "input_tensors").at(0));
  run(call);
  const Tensors all = ranks.gathered(rows);
  if (ranks.rank() == named(call, "root_rank").toInt())
    for (size_t rank = 0; rank < all.size(); ++rank)
      write_rows(to.at(0).at(rank), unpacked(readable(all[rank], static_cast<int64_t>(rank))));
}

/// scatter_: the root gives each rank a tensor.
void scatter(Call& call) {
  const Ranks ranks(call);
  const int64_t root = named(call, "root_rank").toInt();
  const at::Tensor to = tensors_of(call, "output_tensors").at(0);
  Tensors rows(static_cast<size_t>(ranks.size()), rows_for(to));
  if (ranks.rank() == root)
    std::ranges::transform(lists_of(call, "input_tensors").at(0), rows.begin(), rows_of);
  run(call);
  const at::Tensor all = at::stack(rows);
  ranks.broadcast(all, root);
  write_rows(to, unpacked(readable(all.select(0, ranks.rank()), root)));
}

void broadcast(Call& call) {
  const Ranks ranks(call);
  const int64_t root = named(call, "root_rank").toInt();
  const Tensors tensors = tensors_of(call, "tensors");
  Tensors rows;
  for (const at::Tensor& each : tensors)
    rows.push_back(rows_of(each));
  run(call);
  for (size_t i = 0; i < tensors.size(); ++i)
    write_rows(tensors[i], unpacked(readable(ranks.gathered(rows[i])[static_cast<size_t>(root)], root)));
}

/// Gathers inputs and hands those of each input to `place`.
void all_gather(Call& call, const char* inputs,
                const std::function<void(size_t i, const Tensors& rows)>& place) {
  const Ranks ranks(call);
  Tensors rows;
  for (const at::Tensor& each : tensors_of(call, inputs))
    rows.push_back(rows_of(each));
  run(call);
  for (size_t i = 0; i < rows.size(); ++i) {
    Tensors all = ranks.gathered(rows[i]);
    for (size_t rank = 0; rank < all.size(); ++rank)
      all[rank] = readable(all[rank], static_cast<int64_t>(rank));
    place(i, all);
  }
}

/// allgather_: one tensor for each rank.
void all_gather_lists(Call& call, const char* outputs, const char* inputs) {
  const std::vector<Tensors> to = lists_of(call, outputs);
  all_gather(call, inputs, [&](size_t i, const Tensors& rows) {
    for (size_t rank = 0; rank < rows.size(); ++rank)
      write_rows(to.at(i).at(rank), unpacked(rows[rank]));
  });
}

/// _allgather_base_: one tensor for all ranks.
void all_gather_joined(Call& call, const char* outputs, const char* inputs) {
  const Tensors to = tensors_of(call, outputs);
  all_gather(call, inputs,
             [&](size_t i, const Tensors& rows) { write_rows(to.at(i), unpacked(at::cat(rows))); });
}

/// Gives each rank the reduction of its part.
/// \param parts  [i][rank]: what this rank gives for output i of a rank
void reduce_scatter(Call& call, const Tensors& outputs, const std::vector<Tensors>& parts) {
  const Ranks ranks(call);
  const ReduceOp::RedOpType reduction = reduction_of(call);
  if (reduction != ReduceOp::SUM && reduction != ReduceOp::AVG)
    throw UserError("a reduction other than sum and mean has no exact form here");
  Tensors rows;
  for (const Tensors& each : parts) {
    Tensors flat;
    for (const at::Tensor& part : each)
      flat.push_back(rows_of(part));
    rows.push_back(at::stack(flat));
  }
  run(call);
  for (size_t i = 0; i < outputs.size(); ++i) {
    Tensors mine;
    for (const at::Tensor& each : ranks.gathered(rows[i]))
      mine.push_back(each.select(0, ranks.rank()));
    write_rows(outputs[i], reduced(mine, {}, reduction));
  }
}

void reduce_scatter_lists(Call& call) {
  reduce_scatter(call, tensors_of(call, "output_tensors"), lists_of(call, "input_tensors"));
}

void reduce_scatter_joined(Call& call, const char* outputs, const char* inputs) {
  std::vector<Tensors> parts;
  for (const at::Tensor& each : tensors_of(call, inputs))
    parts.push_back(each.detach().flatten().chunk(Ranks(call).size()));
  reduce_scatter(call, tensors_of(call, outputs), parts);
}

/// Returns how many elements lie in each rank's rows. \param rows  none: equally many for each rank
std::vector<int64_t> elements_of(const at::Tensor& x, const std::vector<int64_t>& rows, int64_t ranks) {
  if (rows.empty())
    return std::vector<int64_t>(static_cast<size_t>(ranks), x.numel() / ranks);
  std::vector<int64_t> result;
  const int64_t row = x.size(0) == 0 ? 0 : x.numel() / x.size(0);
  for (const int64_t each : rows)
    result.push_back(each * row);
  return result;
}

void all_to_all(Call& call) {
  const Ranks ranks(call);
  const at::Tensor input = real_view(named(call, "input").toTensor()),
                   output = real_view(named(call, "output").toTensor());
  const std::vector<int64_t> to =
      elements_of(input, named(call, "input_split_sizes").toIntVector(), ranks.size());
  const std::vector<int64_t> from =
      elements_of(output, named(call, "output_split_sizes").toIntVector(), ranks.size());
  const at::Tensor rows = rows_of(input);
  run(call);
  const at::Tensor received = ranks.exchanged(rows, output.numel(), to, from);
  int64_t begin = 0;
  for (size_t rank = 0; rank < from.size(); begin += from[rank], ++rank)
    readable(received.narrow(0, begin, from[rank]), static_cast<int64_t>(rank));
  write_rows(output, unpacked(received));
}

using Collectives = std::map<std::string, std::function<void(Call&)>, std::less<>>;

const Collectives& all_collectives() {
  static const Collectives collectives = {
      {"c10d::allreduce_", all_reduce},
      {"c10d::allreduce_coalesced_", all_reduce},
      {"c10d::broadcast_", broadcast},
      {"c10d::allgather_", [](Call& call) { all_gather_lists(call, "output_tensors", "input_tensors"); }},
      {"c10d::allgather_coalesced_",
       [](Call& call) { all_gather_lists(call, "output_lists", "input_list"); }},
      {"c10d::_allgather_base_",
       [](Call& call) { all_gather_joined(call, "output_tensor", "input_tensor"); }},
      {"c10d::allgather_into_tensor_coalesced_",
       [](Call& call) { all_gather_joined(call, "outputs", "inputs"); }},
      {"c10d::reduce_scatter_", reduce_scatter_lists},
      {"c10d::_reduce_scatter_base_",
       [](Call& call) { reduce_scatter_joined(call, "output_tensor", "input_tensor"); }},
      {"c10d::reduce_scatter_tensor_coalesced_",
       [](Call& call) { reduce_scatter_joined(call, "outputs", "inputs"); }},
      {"c10d::alltoall_base_", all_to_all},
      {"c10d::reduce_", reduce},
      {"c10d::gather_", gather},
      {"c10d::scatter_", scatter},
  };
  return collectives;
}

bool any_numeric(const c10::IValue& value) {
  if (value.isTensor())
    return is_numeric(value.toTensor());
  return value.isList() && std::ranges::any_of(value.toListRef(), any_numeric);
}

}  // namespace

bool is_collective(const c10::FunctionSchema& schema) {
  return schema.name().starts_with("c10d::");
}

void run_collective(Call& call) {
  const std::string& name = call.op().schema().name();
  if (name.ends_with("barrier") || name.ends_with("barrier_") ||
      std::ranges::none_of(call.arguments(), any_numeric))
    return call.run();
  const auto found = all_collectives().find(name);
  if (found == all_collectives().end())
    throw UserError(name + " has no exact form");
  found->second(call);
}

}  // namespace parity::reference::exact
