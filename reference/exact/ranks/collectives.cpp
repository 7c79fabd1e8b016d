// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/exact/ranks/collectives.hpp"

#include <utility>

#include <ATen/ATen.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include "harness/base/error.hpp"
#include "reference/exact/dispatch_key.hpp"
#include "reference/exact/ranks/packed.hpp"
#include "reference/exact/shadow.hpp"

namespace parity::reference::exact {
namespace {

struct TakenNumbers : Mirror::Taken {
  Numbers numbers;
  at::Tensor values;  ///< flat
  bool is_constant = false;
};

class Following : public Mirror {
 public:
  std::unique_ptr<Taken> take(const torch::Tensor& tensor) override {
    const c10::impl::ExcludeDispatchKeyGuard without_residues(dispatch_key);
    auto taken = std::make_unique<TakenNumbers>();
    taken->is_constant = known_of(tensor) == Known::constants;
    taken->values = tensor.detach().flatten().to(at::kDouble, false, /*copy=*/true);
    taken->numbers = moved({read(tensor)}, [&](const std::vector<at::Tensor>& planes, int64_t) {
      return planes[0].expand(tensor.sizes()).flatten().clone();
    });
    return taken;
  }

  void all_reduced(const Group& group, const torch::Tensor& result, const Taken& before,
                   Reduction reduction) override {
    const c10::impl::ExcludeDispatchKeyGuard without_residues(dispatch_key);
    const auto& taken = static_cast<const TakenNumbers&>(before);
    if (is_constant_everywhere(group, taken.is_constant))
      return mark_constant(result);
    const int64_t n = group.size(), count = result.numel();
    const at::Tensor all = group.all_gather(packed(taken.numbers, {count}));
    Numbers flat;
    if (reduction == Reduction::sum) {
      flat = sum_of_parts(all, n);
    } else {
      const at::Tensor values =
          group.all_gather(taken.values.view(at::kLong)).view(at::kDouble).view({n, count});
      const at::Tensor rank = reduction == Reduction::max ? values.argmax(0, true) : values.argmin(0, true);
      flat = moved({unpacked(all)}, [&](const std::vector<at::Tensor>& planes, int64_t) {
        return planes[0].view({n, count}).gather(0, rank).squeeze(0);
      });
    }
    write(result, moved({flat}, [&](const std::vector<at::Tensor>& planes, int64_t) {
            return planes[0].reshape(result.sizes());
          }));
  }

  void all_gathered(const Group& group, const torch::Tensor& mine, const torch::Tensor& all) override {
    const c10::impl::ExcludeDispatchKeyGuard without_residues(dispatch_key);
    write(all, unpacked(group.all_gather(packed(mine))));
  }

  void reduce_scattered(const Group& group, const torch::Tensor& whole, const torch::Tensor& part) override {
    const c10::impl::ExcludeDispatchKeyGuard without_residues(dispatch_key);
    const std::vector<int64_t> rows(static_cast<size_t>(group.size()), part.size(0));
    write(part, sum_of_parts(group.all_to_all(packed(whole), rows, rows), group.size()));
  }

  void exchanged(const Group& group, const torch::Tensor& sent, const torch::Tensor& received,
                 const std::vector<int64_t>& send_rows, const std::vector<int64_t>& receive_rows) override {
    const c10::impl::ExcludeDispatchKeyGuard without_residues(dispatch_key);
    write(received, unpacked(group.all_to_all(packed(sent), send_rows, receive_rows)));
  }

  void broadcast(const Group& group, const torch::Tensor& tensor, int64_t root) override {
    const c10::impl::ExcludeDispatchKeyGuard without_residues(dispatch_key);
    const bool is_root = group.rank() == root;
    const at::Tensor planes = is_root ? packed(flat_of(tensor), {tensor.numel()}) : buffer_for(tensor);
    group.broadcast(planes, root);
    if (!is_root)
      write(tensor, shaped_as(unpacked(planes), tensor));
  }

  PendingSend send(const Group& group, const torch::Tensor& tensor, int64_t to, int64_t tag) override {
    const c10::impl::ExcludeDispatchKeyGuard without_residues(dispatch_key);
    return group.start_send(packed(flat_of(tensor), {tensor.numel()}), to, tag);
  }

  void receive(const Group& group, const torch::Tensor& tensor, int64_t from, int64_t tag) override {
    const c10::impl::ExcludeDispatchKeyGuard without_residues(dispatch_key);
    const at::Tensor planes = buffer_for(tensor);
    group.receive(planes, from, tag);
    write(tensor, shaped_as(unpacked(planes), tensor));
  }

 private:
  /// Returns whether every rank has constants, such as counts of tokens. What depends on them alone is a
  /// constant, as the program rounded it, so the layout must not decide whether it has residues.
  static bool is_constant_everywhere(const Group& group, bool is_constant) {
    const at::Tensor mine = at::full({1}, int64_t{is_constant ? 1 : 0}, at::kLong);
    return group.all_gather(mine).all().item<bool>();
  }
  static Numbers flat_of(const at::Tensor& tensor) {
    return moved({read(tensor)},
                 [](const std::vector<at::Tensor>& planes, int64_t) { return planes[0].flatten(); });
  }
  static Numbers shaped_as(const Numbers& flat, const at::Tensor& tensor) {
    return moved({flat}, [&](const std::vector<at::Tensor>& planes, int64_t) {
      return planes[0].reshape(tensor.sizes());
    });
  }
  static at::Tensor buffer_for(const at::Tensor& tensor) {
    return at::empty({tensor.numel(), tower().levels() + 2}, at::kLong);
  }
};

}  // namespace

std::shared_ptr<Mirror> follow_collectives() {
  return std::make_shared<Following>();
}

}  // namespace parity::reference::exact
