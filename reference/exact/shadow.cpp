// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/exact/shadow.hpp"

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include <ATen/ATen.h>
#include <c10/core/StorageImpl.h>

#include "harness/base/error.hpp"
#include "reference/exact/arithmetic/planes.hpp"

namespace parity::reference::exact {
namespace {

/// What is known of a storage. Planes are flat, with one element for each real number of the memory.
struct Entry {
  c10::weak_intrusive_ptr<c10::StorageImpl> storage;
  const void* data = nullptr;
  size_t bytes = 0;
  Known known = Known::unwritten;
  bool lifts = false;
  uint64_t content = 0;    ///< hash of the memory when the residues were written
  int64_t real_bytes = 0;  ///< of the numbers that were written
  Numbers numbers = {};
};

std::mutex mutex;
std::unordered_map<c10::StorageImpl*, Entry> entries;
size_t made_since_sweep = 0;  ///< bytes of memory whose entries were made
constexpr size_t sweep_after = size_t{4} << 20U;

/// Frees the residues of memory that was freed.
void sweep(size_t bytes) {
  made_since_sweep += bytes + 64;  // a small tensor costs an entry too
  if (made_since_sweep < sweep_after)
    return;
  std::erase_if(entries, [](const auto& each) { return each.second.storage.expired(); });
  made_since_sweep = 0;
}

uint64_t content_of(const c10::StorageImpl& storage) {
  const auto* words = static_cast<const uint64_t*>(storage.data());
  uint64_t hash = storage.nbytes();
  for (size_t i = 0; i < storage.nbytes() / sizeof(uint64_t); ++i)
    hash = (hash ^ words[i]) * 0x9E3779B97F4A7C15U;
  const auto* bytes = static_cast<const unsigned char*>(storage.data());
  for (size_t i = storage.nbytes() / sizeof(uint64_t) * sizeof(uint64_t); i < storage.nbytes(); ++i)
    hash = (hash ^ bytes[i]) * 0x9E3779B97F4A7C15U;
  return hash;
}

int64_t reals_of(const at::Tensor& x) {
  return x.is_complex() ? 2 : 1;
}

int64_t size_of_real(const at::Tensor& x) {
  return x.element_size() / reals_of(x);
}

void note_content(Entry& entry, const at::Tensor& x) {
  entry.content = content_of(*x.storage().unsafeGetStorageImpl());
  entry.real_bytes = size_of_real(x);
}

/// Throws if memory changed since its residues were written. Hashing takes time, so a small part is not
/// checked.
/// \param wholly  check it in any case
void check_content(const Entry& entry, const at::Tensor& x, bool wholly) {
  constexpr size_t small = 4;  // a view of less than a quarter
  if (entry.real_bytes != size_of_real(x))
    throw UserError("a tensor is read in another dtype than it was written in, so it has no residues");
  const c10::StorageImpl& storage = *x.storage().unsafeGetStorageImpl();
  if ((wholly || small * x.nbytes() >= storage.nbytes()) && content_of(storage) != entry.content)
    throw UserError(
        "the memory of a tensor changed outside of operators, so its residues are no longer its own");
}

/// Returns the entry of a tensor's storage. Memory that was exchanged is unwritten again.
Entry* find(const at::Tensor& x) {
  c10::StorageImpl* const storage = x.storage().unsafeGetStorageImpl();
  const auto found = entries.find(storage);
  if (found == entries.end())
    return nullptr;
  Entry& entry = found->second;
  if (entry.storage.expired()) {
    entries.erase(found);
    return nullptr;
  }
  if (entry.data != storage->data() || entry.bytes != storage->nbytes()) {
    const bool lifts = entry.lifts;
    entry = {std::move(entry.storage), storage->data(), storage->nbytes()};
    entry.lifts = lifts;
  }
  return &entry;
}

Entry& make(const at::Tensor& x) {
  if (Entry* const entry = find(x))
    return *entry;
  c10::StorageImpl* const storage = x.storage().unsafeGetStorageImpl();
  sweep(storage->nbytes());
  Entry entry = {c10::weak_intrusive_ptr<c10::StorageImpl>(x.storage().getWeakStorageImpl()), storage->data(),
                 storage->nbytes()};
  return entries.insert_or_assign(storage, std::move(entry)).first->second;
}

bool is_whole(const at::Tensor& x) {
  return x.is_non_overlapping_and_dense() && x.nbytes() == x.storage().nbytes();
}

/// Returns a flat plane in the shape of a tensor.
at::Tensor shaped(const at::Tensor& plane, const at::Tensor& x) {
  const int64_t reals = reals_of(x);
  std::vector<int64_t> sizes = x.sizes().vec(), strides = x.strides().vec();
  for (int64_t& stride : strides)
    stride *= reals;
  if (reals == 2) {
    sizes.push_back(2);
    strides.push_back(1);
  }
  return plane.as_strided(sizes, strides, x.storage_offset() * reals);
}

/// Returns the shape of a tensor's planes.
std::vector<int64_t> plane_shape(const at::Tensor& x) {
  std::vector<int64_t> sizes = x.sizes().vec();
  if (x.is_complex())
    sizes.push_back(2);
  return sizes;
}

/// Returns the values of a tensor as real numbers, in the shape of its planes.
at::Tensor real_values(const at::Tensor& x) {
  const at::Tensor here = x.detach().resolve_conj().resolve_neg();
  return here.is_complex() ? at::view_as_real(here) : here;
}

/// Returns all values of a storage, flat.
at::Tensor all_values(const at::Tensor& x) {
  const auto count = static_cast<int64_t>(x.storage().nbytes()) / size_of_real(x);
  at::Tensor reals =
      at::empty({0}, x.options().dtype(c10::toRealValueType(x.scalar_type())).requires_grad(false));
  return reals.set_(x.storage(), 0, {count}, {1});
}

/// Returns flat numbers for memory without residues.
Numbers flat_numbers(const Entry& entry, const at::Tensor& x) {
  if (entry.known == Known::constants) {
    Numbers numbers = constants(all_values(x));
    numbers.constant = at::Tensor();
    return numbers;
  }
  const auto count = static_cast<int64_t>(x.storage().nbytes()) / size_of_real(x);
  Numbers numbers;
  for (int64_t level = 0; level < tower().levels(); ++level)
    numbers.levels.push_back(at::full({count}, unknown, at::kLong));
  return numbers;
}

template <class Function>
void for_planes(Numbers& numbers, const Function& function) {
  for (at::Tensor& level : numbers.levels)
    function(level);
  for (at::Tensor* plane : {&numbers.power, &numbers.factor, &numbers.square})
    if (plane->defined())
      function(*plane);
}

/// Conjugates or negates where the tensor is a view that says so.
Numbers with_signs(Numbers numbers, const at::Tensor& x) {
  if (x.is_neg())
    return neg(numbers);
  if (!x.is_conj())
    return numbers;
  const at::Tensor sign = at::tensor({1.0, -1.0}, at::kDouble);
  return mul(numbers, constants(sign));
}

void write_part(Entry& entry, const at::Tensor& x, const Numbers& numbers) {
  if (entry.known != Known::numbers)
    entry.numbers = flat_numbers(entry, x);
  Numbers from = numbers;
  if (entry.numbers.has_log() || from.has_log()) {
    const bool as_logs = can_have_log(entry.numbers) && can_have_log(from) && !entry.lifts;
    entry.numbers = as_logs ? with_log(entry.numbers) : plain(entry.numbers);
    from = as_logs ? with_log(from) : plain(from);
  }
  entry.numbers.square = at::Tensor();
  if (!from.factor.defined())
    entry.numbers.factor = at::Tensor();
  for (const auto& [to, plane] :
       {std::pair(&entry.numbers.power, from.power), std::pair(&entry.numbers.factor, from.factor)})
    if (to->defined())
      shaped(*to, x).copy_(plane);
  entry.numbers.levels.resize(
      std::max<size_t>(1, std::min(entry.numbers.levels.size(), entry.lifts ? 1 : from.levels.size())));
  for (size_t i = 0; i < entry.numbers.levels.size(); ++i)
    shaped(entry.numbers.levels[i], x).copy_(from.levels[i]);
}

/// Returns whether a tensor is a number of the program, which PyTorch wrapped without an operator.
bool is_literal(const at::Tensor& x) {
  return x.unsafeGetTensorImpl()->is_wrapped_number();
}

}  // namespace

bool is_numeric(const at::Tensor& x) {
  return x.defined() && (x.is_floating_point() || x.is_complex()) && !x.is_meta() &&
         !x.key_set().has(c10::DispatchKey::Python);
}

Known known_of(const at::Tensor& x) {
  const std::lock_guard guard(mutex);
  const Entry* const entry = find(x);
  if (entry == nullptr)
    return is_literal(x) ? Known::constants : Known::nothing;
  return entry->known;
}

Numbers read(const at::Tensor& x) {
  if (!is_numeric(x)) {
    if (x.is_floating_point() || x.is_complex())
      throw UserError("a tensor without memory of its own (a subclass in Python) has no residues");
    return constants(x);
  }
  const std::lock_guard guard(mutex);
  const Entry* const entry = find(x);
  if (x.numel() == 0)
    return constants(at::empty(plane_shape(x), at::kDouble));
  if (entry == nullptr && is_literal(x))
    return constants(real_values(x));
  if (entry == nullptr || entry->known == Known::nothing)
    throw UserError("the memory of a tensor was written outside of operators, so it has no residues");
  if (entry->known == Known::unwritten)
    throw UserError("a tensor is read that no operator has written, so it has no residues");
  check_content(*entry, x, /*wholly=*/false);
  if (entry->known == Known::constants)
    return constants(real_values(x));
  Numbers numbers = entry->numbers;
  for_planes(numbers, [&](at::Tensor& plane) { plane = shaped(plane, x); });
  return with_signs(entry->lifts ? lifted(numbers) : std::move(numbers), x);
}

void check_unchanged(const at::Tensor& x) {
  const std::lock_guard guard(mutex);
  if (const Entry* const entry = find(x); entry != nullptr && x.numel() > 0)
    check_content(*entry, x, /*wholly=*/true);
}

void write(const at::Tensor& x, const Numbers& numbers) {
  if (x.numel() == 0)
    return mark_constant(x);
  const std::lock_guard guard(mutex);
  Entry& entry = make(x);
  if (is_whole(x) && numbers.constant.defined() && !entry.lifts) {
    entry.known = Known::constants;
    entry.numbers = {};
    note_content(entry, x);
    return;
  }
  if (is_whole(x)) {
    Numbers flat = numbers;
    flat.constant = at::Tensor();
    if (entry.lifts)
      flat = {{flat.first()}};
    const auto count = static_cast<int64_t>(x.storage().nbytes()) / size_of_real(x);
    for_planes(flat, [&](at::Tensor& plane) {
      const at::Tensor from = std::exchange(plane, at::empty({count}, at::kLong));
      shaped(plane, x).copy_(from);
    });
    entry.numbers = std::move(flat);
  } else {
    write_part(entry, x, numbers);
  }
  entry.known = Known::numbers;
  note_content(entry, x);
}

void mark_unwritten(const at::Tensor& x) {
  const std::lock_guard guard(mutex);
  Entry& entry = make(x);
  entry.known = Known::unwritten;
  entry.numbers = {};
}

void mark_constant(const at::Tensor& x) {
  {
    const std::lock_guard guard(mutex);
    Entry& entry = make(x);
    if (is_whole(x) || entry.known == Known::constants || x.numel() == 0) {
      entry.known = Known::constants;
      entry.numbers = {};
      note_content(entry, x);
      return;
    }
  }
  write(x, constants(real_values(x)));
}

void limit_levels(const at::Tensor& x, size_t count) {
  const std::lock_guard guard(mutex);
  Entry* const entry = find(x);
  if (entry == nullptr || entry->known != Known::numbers || entry->numbers.levels.size() <= count)
    return;
  if (count == 1)
    entry->numbers = {{entry->numbers.first()}, {}, {}, entry->numbers.square};
  else
    entry->numbers.levels.resize(count);
}

void forget_all() {
  const std::lock_guard guard(mutex);
  entries.clear();
}

void lift_always(const at::Tensor& x) {
  const std::lock_guard guard(mutex);
  Entry& entry = make(x);
  entry.lifts = true;
  if (entry.known == Known::numbers)
    entry.numbers = {{entry.numbers.first()}};
}

}  // namespace parity::reference::exact
