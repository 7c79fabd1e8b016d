// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/devices/foreign_device.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <string_view>

#include <sys/mman.h>

#include <ATen/EmptyTensor.h>
#include <ATen/Tensor.h>
#include <ATen/core/op_registration/adaption.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/set_native.h>
#include <ATen/ops/view_as_complex_native.h>
#include <ATen/ops/view_as_real_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/Allocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/library.h>

#include "harness/base/error.hpp"
#include "reference/comm/gloo.hpp"
#include "tests/support/devices/foreign_measure.hpp"

namespace parity::reference {
namespace {

constexpr c10::DeviceType foreign = c10::DeviceType::PrivateUse1;
int64_t operators = 0;
int64_t collectives = 0;
int64_t bytes_to_host = 0;

size_t pages(size_t bytes) {
  constexpr size_t page = 4096;
  return (bytes + page - 1) / page * page;
}

struct Memory {
  void* address;
  size_t length;
};

void release(void* context) {
  auto* memory = static_cast<Memory*>(context);
  ::munmap(memory->address, memory->length);
  delete memory;
}

/// Pages that nobody may read or write.
struct ClosedMemory final : c10::Allocator {
  c10::DataPtr allocate(size_t bytes) override {
    const c10::Device device(foreign, 0);
    if (bytes == 0)
      return {nullptr, device};
    void* const address =
        ::mmap(nullptr, pages(bytes), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    require(address != MAP_FAILED, "no memory for a foreign tensor");
    return {address, new Memory{address, pages(bytes)}, &release, device};
  }
  c10::DeleterFnPtr raw_deleter() const override { return nullptr; }
  void copy_data(void* /*to*/, const void* /*from*/, size_t /*bytes*/) const override {
    throw InternalError("foreign memory is not copied by the host");
  }
};

ClosedMemory allocator;
REGISTER_ALLOCATOR(foreign, &allocator)

/// Makes a tensor's memory accessible to the host for the lifetime of this object.
class Opened {
 public:
  explicit Opened(const at::Tensor& x) {
    if (x.device().type() != foreign || x.storage().nbytes() == 0)
      return;
    address_ = x.storage().mutable_data();
    length_ = pages(x.storage().nbytes());
    ::mprotect(address_, length_, PROT_READ | PROT_WRITE);
  }
  ~Opened() {
    if (address_ != nullptr)
      ::mprotect(address_, length_, PROT_NONE);
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

 private:
  void* address_ = nullptr;
  size_t length_ = 0;
};

/// Returns the same memory as a tensor of the CPU, for use while it is accessible.
at::Tensor on_host(const at::Tensor& x) {
  if (x.device().type() != foreign)
    return x;
  if (x.storage().nbytes() == 0)
    return at::empty_strided(x.sizes(), x.strides(), x.options().device(at::kCPU));
  const at::Tensor bytes =
      at::from_blob(x.storage().mutable_data(), {static_cast<int64_t>(x.storage().nbytes())}, at::kByte);
  at::Tensor result = at::empty({0}, x.options().device(at::kCPU).requires_grad(false));
  result.set_(bytes.storage(), x.storage_offset(), x.sizes(), x.strides());
  result._set_conj(x.is_conj());
  result._set_neg(x.is_neg());
  return result;
}

c10::DispatchKeySet keys() {
  return c10::DispatchKeySet(c10::DispatchKey::PrivateUse1);
}

at::Tensor empty_foreign(at::IntArrayRef size, std::optional<at::ScalarType> dtype,
                         std::optional<at::Layout> /*layout*/, std::optional<at::Device> /*device*/,
                         std::optional<bool> /*pin*/, std::optional<at::MemoryFormat> format) {
  return at::detail::empty_generic(size, &allocator, keys(), c10::dtype_or_default(dtype), format);
}

at::Tensor empty_strided_foreign(at::IntArrayRef size, at::IntArrayRef stride,
                                 std::optional<at::ScalarType> dtype, std::optional<at::Layout> /*layout*/,
                                 std::optional<at::Device> /*device*/, std::optional<bool> /*pin*/) {
  return at::detail::empty_strided_generic(size, stride, &allocator, keys(), c10::dtype_or_default(dtype));
}

at::Tensor copy_from(const at::Tensor& from, const at::Tensor& to, bool /*non_blocking*/) {
  const Opened source(from), target(to);
  const at::NoGradGuard no_grad;
  if (to.is_cpu())
    bytes_to_host += static_cast<int64_t>(from.nbytes());
  on_host(to).copy_(on_host(from));
  return to;
}

at::Scalar local_scalar(const at::Tensor& x) {
  const Opened open(x);
  return on_host(x).item();
}

at::Tensor& set_source(at::Tensor& x, at::Storage source, int64_t offset, at::IntArrayRef size,
                       at::IntArrayRef stride) {
  x.unsafeGetTensorImpl()->set_storage_keep_dtype(std::move(source));
  x.unsafeGetTensorImpl()->set_sizes_and_strides(size, stride, offset);
  return x;
}

at::Tensor copy_from_and_resize(const at::Tensor& from, const at::Tensor& to) {
  if (from.sizes() != to.sizes()) {
    const at::Tensor fresh = empty_foreign(from.sizes(), to.scalar_type(), {}, {}, {}, {});
    at::Tensor resized = to;
    set_source(resized, fresh.storage(), 0, fresh.sizes(), fresh.strides());
  }
  return copy_from(from, to, false);
}

int64_t math_attention(const at::Tensor& /*q*/, const at::Tensor& /*k*/, const at::Tensor& /*v*/,
                       const std::optional<at::Tensor>& /*mask*/, double /*dropout*/, bool /*causal*/,
                       std::optional<double> /*scale*/, bool /*gqa*/) {
  return 0;  // sdp::SDPBackend::math
}

/// Does what a GPU does with a CPU tensor among its own: it throws, except for scalars in element-wise
/// operators.
void refuse_both_places(const c10::OperatorHandle& op, const torch::jit::Stack& stack) {
  bool here = false, there = false;
  const bool takes_scalars = op.operator_name().name.find("foreach") == std::string::npos;
  const auto look = [&](const at::Tensor& x) {
    if (!x.defined())
      return;
    there = there || x.device().type() == foreign;
    here = here || (x.is_cpu() && !(takes_scalars && x.dim() == 0));
  };
  const size_t count = op.schema().arguments().size();
  for (size_t i = stack.size() - count; i < stack.size(); ++i) {
    if (stack[i].isTensor())
      look(stack[i].toTensor());
    if (stack[i].isTensorList())
      for (const at::Tensor& x : stack[i].toTensorVector())
        look(x);
  }
  TORCH_CHECK(!(here && there), c10::toString(op.operator_name()),
              " is given tensors of the CPU and of the foreign device");
}

void run_there(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  refuse_both_places(op, *stack);
  ++operators;
  at::native::cpu_fallback(op, stack, /*error_on_views=*/true);
}

struct ForeignGuard final : c10::impl::NoOpDeviceGuardImpl<foreign> {
  c10::Device exchangeDevice(c10::Device /*device*/) const override { return getDevice(); }
  c10::Device getDevice() const override { return {foreign, 0}; }
  c10::Stream getStream(c10::Device /*device*/) const noexcept override {
    return c10::Stream(c10::Stream::DEFAULT, getDevice());
  }
  c10::Stream exchangeStream(c10::Stream stream) const noexcept override { return stream; }
};

struct ForeignHooks final : at::PrivateUse1HooksInterface {
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  bool hasPrimaryContext(c10::DeviceIndex /*index*/) const override { return true; }
};

/// Work that has ended; Gloo's own must not be waited for twice.
struct Done final : c10d::Work {
  bool wait(std::chrono::milliseconds /*timeout*/) override { return true; }
};

/// Gloo on copies. Messages are sent in order, whatever their tags.
class ForeignBackend final : public c10d::Backend {
 public:
  ForeignBackend(c10::intrusive_ptr<c10d::Backend> gloo, int rank, int size)
      : Backend(rank, size), gloo_(std::move(gloo)) {}
  const std::string getBackendName() const override { return "foreign"; }

  c10::intrusive_ptr<c10d::Work> allreduce(std::vector<at::Tensor>& x,
                                           const c10d::AllreduceOptions& options) override {
    return on_copy(x.at(0), [&](std::vector<at::Tensor>& copy) { return gloo_->allreduce(copy, options); });
  }
  c10::intrusive_ptr<c10d::Work> broadcast(std::vector<at::Tensor>& x,
                                           const c10d::BroadcastOptions& options) override {
    return on_copy(x.at(0), [&](std::vector<at::Tensor>& copy) { return gloo_->broadcast(copy, options); });
  }
  c10::intrusive_ptr<c10d::Work> _allgather_base(at::Tensor& all, at::Tensor& mine,
                                                 const c10d::AllgatherOptions& options) override {
    at::Tensor own = foreign_to_cpu(mine);
    return on_copy(
        all, [&](std::vector<at::Tensor>& copy) { return gloo_->_allgather_base(copy[0], own, options); });
  }
  c10::intrusive_ptr<c10d::Work> _reduce_scatter_base(at::Tensor& part, at::Tensor& whole,
                                                      const c10d::ReduceScatterOptions& options) override {
    at::Tensor own = foreign_to_cpu(whole);
    return on_copy(part, [&](std::vector<at::Tensor>& copy) {
      return gloo_->_reduce_scatter_base(copy[0], own, options);
    });
  }
  c10::intrusive_ptr<c10d::Work> alltoall_base(at::Tensor& received, at::Tensor& sent,
                                               std::vector<int64_t>& out, std::vector<int64_t>& in,
                                               const c10d::AllToAllOptions& options) override {
    at::Tensor own = foreign_to_cpu(sent);
    return on_copy(received, [&](std::vector<at::Tensor>& copy) {
      return gloo_->alltoall_base(copy[0], own, out, in, options);
    });
  }
  c10::intrusive_ptr<c10d::Work> send(std::vector<at::Tensor>& x, int to, int /*tag*/) override {
    std::vector<at::Tensor> copy = {foreign_to_cpu(x.at(0))};
    return gloo_->send(copy, to, 0);
  }
  c10::intrusive_ptr<c10d::Work> recv(std::vector<at::Tensor>& x, int from, int /*tag*/) override {
    return on_copy(x.at(0), [&](std::vector<at::Tensor>& copy) { return gloo_->recv(copy, from, 0); });
  }
  void abort() override {}

 private:
  static at::Tensor foreign_to_cpu(const at::Tensor& x) {
    TORCH_CHECK(x.device().type() == foreign, "a tensor of the CPU in a collective of the foreign device");
    ++collectives;
    return x.cpu();
  }
  template <class Act>
  static c10::intrusive_ptr<c10d::Work> on_copy(const at::Tensor& x, const Act& act) {
    std::vector<at::Tensor> copy = {foreign_to_cpu(x)};
    act(copy)->wait();
    at::Tensor(x).copy_(copy[0]);
    return c10::make_intrusive<Done>();
  }

  c10::intrusive_ptr<c10d::Backend> gloo_;
};

constexpr DevicePlugin plugin = {
    DevicePlugin::current_version,
    [](std::string&) { return 1; },
    [](int) -> DeviceFacts { return {"a foreign device", "1.0", 1 << 20, "1.0", "2.0", "3.0.0", "4.0.0"}; },
    [](int) {},
    [](int) {},
    [](int) -> int64_t { return 17; },
    [](const c10::intrusive_ptr<c10d::Store>& store, int rank, int size, int /*device*/,
       std::chrono::milliseconds timeout) -> c10::intrusive_ptr<c10d::Backend> {
      return c10::make_intrusive<ForeignBackend>(make_gloo(store, rank, size, true, timeout), rank, size);
    },
    &foreign_measure};

}  // namespace

C10_REGISTER_GUARD_IMPL(PrivateUse1, ForeignGuard)

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("empty.memory_format", &empty_foreign);
  m.impl("empty_strided", &empty_strided_foreign);
  m.impl("as_strided", &at::native::as_strided_tensorimpl);
  m.impl("view", &at::native::view);
  m.impl("_reshape_alias", &at::native::_reshape_alias);
  m.impl("view_as_real", &at::native::view_as_real);
  m.impl("view_as_complex", &at::native::view_as_complex);
  m.impl("set_.source_Storage_storage_offset", &set_source);
  m.impl("_copy_from", &copy_from);
  m.impl("_copy_from_and_resize", &copy_from_and_resize);
  m.impl("_local_scalar_dense", &local_scalar);
  m.impl("_fused_sdp_choice", &math_attention);
  // Elsewhere composed of other operators, which round differently from the CPU's kernel.
  m.impl("silu_backward", torch::CppFunction::makeFromBoxedFunction<&run_there>());
}

// A copy takes conjugates unchanged; resolving them would need a copy.
TORCH_LIBRARY_IMPL(aten, Conjugate, m) {
  m.impl("_copy_from", torch::CppFunction::makeFallthrough());
}
TORCH_LIBRARY_IMPL(aten, Negative, m) {
  m.impl("_copy_from", torch::CppFunction::makeFallthrough());
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&run_there>());
}

Device foreign_device() {
  static std::once_flag once;
  std::call_once(once, [] {
    c10::register_privateuse1_backend("foreign");
    at::RegisterPrivateUse1HooksInterface(new ForeignHooks);
  });
  return {c10::Device(foreign, 0), &plugin};
}

int64_t foreign_operators() {
  return operators;
}

int64_t foreign_collectives() {
  return collectives;
}

int64_t foreign_bytes_to_host() {
  return bytes_to_host;
}

}  // namespace parity::reference
