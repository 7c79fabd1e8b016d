// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/read/logical_tensors.hpp"

#include <algorithm>
#include <bit>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/tensor/conversions.hpp"
#include "harness/trace/format/settings.hpp"
#include "harness/trace/format/sketch_row.hpp"
#include "harness/trace/read/tensor_proof.hpp"

namespace parity::trace {
namespace {

/// What one rank recorded of a tensor.
struct Claim {
  const TraceContent* file;
  const SketchRow* row;
  int64_t layout = -1;  ///< index in the file's layouts; -1: the tensor is whole

  const PartCover* cover() const { return layout < 0 ? nullptr : &file->covers[static_cast<size_t>(layout)]; }
  const Shape& shape() const {
    return layout < 0 ? row->shape : file->layouts[static_cast<size_t>(layout)].global_shape;
  }
};

std::string describe(const TensorKey& key) {
  return fmt::format("{} {} of step {}", name_of(key.phase), key.name, key.step);
}

std::string ranks_of(const std::vector<Claim>& claims) {
  std::string text;
  for (const Claim& claim : claims)
    text += (text.empty() ? "" : ", ") + std::to_string(claim.file->rank);
  return text;
}

[[noreturn]] void refuse(const TensorKey& key, const std::string& why) {
  throw UserError(
      fmt::format("cannot join the shards of {} ({}); let each rank record what it holds, with its layout",
                  describe(key), why));
}

void check_alike(const TensorKey& key, const Claim& a, const Claim& b) {
  const auto facts = [](const Claim& claim) {
    return fmt::format("rank {} has {} of shape {}, {}", claim.file->rank,
                       claim.layout < 0 ? "all" : "a shard", to_string(claim.shape()),
                       name_of(claim.row->dtype));
  };
  if (a.shape() != b.shape() || a.row->dtype != b.row->dtype || (a.layout < 0) != (b.layout < 0))
    refuse(key, facts(a) + "; " + facts(b));
}

/// Returns how many terms each element is the sum of, and whether it is their mean.
std::pair<int64_t, bool> terms_of(const Claim& claim) {
  int64_t terms = 1;
  bool mean = false;
  if (claim.layout >= 0)
    for (const Placement& placement : claim.file->layouts[static_cast<size_t>(claim.layout)].placements)
      if (const auto* partial = std::get_if<Partial>(&placement.kind)) {
        terms *= placement.size;
        mean = mean || partial->reduction == Partial::Reduction::avg;
      }
  return {terms, mean};
}

/// Checks that the parts cover every element once per term.
void check_complete(const TensorKey& key, const std::vector<Claim>& distinct,
                    const std::vector<Claim>& claims) {
  int64_t elements = 0;
  std::vector<const PartCover*> covers;
  for (const Claim& claim : distinct) {
    elements += element_count(claim.row->shape);
    covers.push_back(claim.cover());
  }
  if (distinct.size() > 1)
    if (const auto both = find_overlap(covers))
      refuse(key, fmt::format("those of ranks {} and {} overlap and differ", distinct[both->first].file->rank,
                              distinct[both->second].file->rank));
  const int64_t terms = terms_of(claims.front()).first;
  const int64_t wanted = element_count(claims.front().shape()) * terms;
  if (elements != wanted)
    refuse(key,
           fmt::format("those of rank {} have {} of {}", ranks_of(claims), elements,
                       terms > 1 ? fmt::format("the {} elements of its {} terms: a rank's term is missing",
                                               wanted, terms)
                                 : fmt::format("its {} elements", wanted)));
}

const TensorPlace* place_of(const Claim& claim) {
  const auto found = claim.file->tensors.find(claim.row->key);
  if (found == claim.file->tensors.end() || found->second.layout.value_or(-1) != claim.layout)
    return nullptr;
  return &found->second;
}

/// Joins the parts of tensors, one at a time, and adds them to the result.
class Joiner {
 public:
  explicit Joiner(LogicalTensors& result) : result_(result) {}

  void add(const TensorKey& key, const std::vector<Claim>& claims) {
    for (const Claim& claim : claims)
      check_alike(key, claims.front(), claim);
    const std::vector<Claim> distinct = without_replicas(key, claims);
    if (distinct.front().layout >= 0)
      check_complete(key, distinct, claims);
    add_row(distinct);
    add_values(key, distinct);
  }

 private:
  /// Returns the lowest rank's claim of each part, and compares the replicas.
  std::vector<Claim> without_replicas(const TensorKey& key, const std::vector<Claim>& claims) {
    const auto comes_before = [](const Claim& a, const Claim& b) {
      return a.layout >= 0 && b.layout >= 0 && *a.cover() < *b.cover();
    };
    std::vector<Claim> distinct;
    std::set<Claim, decltype(comes_before)> parts(comes_before);
    for (const Claim& claim : claims) {
      const auto [same, is_new] = parts.insert(claim);
      if (is_new) {
        distinct.push_back(claim);
        continue;
      }
      if (key.phase == Phase::grad_local)
        continue;  // not reduced yet, along any mesh dimension
      ++result_.replicas;
      if (same->row->digest != claim.row->digest)
        result_.differences.push_back({key.step, key.phase, key.name, same->file->rank, claim.file->rank});
    }
    return distinct;
  }

  void add_row(const std::vector<Claim>& distinct) {
    if (terms_of(distinct.front()).first != 1)
      return;  // a sum's digest and norm do not follow from its terms'
    SketchRow sum = *distinct.front().row;
    sum.shape = distinct.front().shape();
    for (size_t i = 1; i < distinct.size(); ++i)
      add_part(sum, *distinct[i].row);
    result_.sketches.push_back(std::move(sum));
  }

  void add_values(const TensorKey& key, const std::vector<Claim>& distinct) {
    LogicalTensor tensor;
    tensor.order = distinct.front().row->order;
    tensor.shape = distinct.front().shape();
    std::tie(tensor.terms, tensor.mean) = terms_of(distinct.front());
    for (const Claim& claim : distinct) {
      const TensorPlace* place = place_of(claim);
      if (!place)
        return;
      tensor.parts.push_back({claim.file, place, claim.cover()});
    }
    result_.tensors.emplace(key, std::move(tensor));
  }

  LogicalTensors& result_;
};

uint64_t bits_of(const Channel& channel, size_t i) {
  return std::visit([i](const auto& values) { return std::bit_cast<uint64_t>(values[i]); }, channel.values);
}

/// Compares channels that should be the same on every rank.
void compare_channels(LogicalTensors& result, const TraceContent& first, const TraceContent& other) {
  for (const auto& [name, channel] : other.channels) {
    const auto found = first.channels.find(name);
    if (channel.kind != ChannelKind::numeric || found == first.channels.end())
      continue;
    ++result.replicas;
    result.replica_settings += is_setting(name);
    const std::vector<double> a = found->second.as_double(), b = channel.as_double();
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
      if (bits_of(found->second, i) != bits_of(channel, i)) {
        result.differences.push_back(
            {first.steps[i], std::nullopt, name, first.rank, other.rank, {}, a[i], b[i]});
        break;
      }
  }
}

template <class T>
std::vector<std::byte> sum_of_terms(const LogicalTensor& tensor) {
  std::vector<double> sums(static_cast<size_t>(element_count(tensor.shape)), 0.0);
  for (const PartSource& part : tensor.parts) {
    const auto* values = static_cast<const T*>(part.file->view(*part.place).data);
    for_each_run(*part.cover, tensor.shape, [&](const PartRun& run) {
      for (int64_t i = 0; i < run.count; ++i)
        sums[static_cast<size_t>(run.global + i)] += static_cast<double>(values[run.local + i]);
    });
  }
  std::vector<std::byte> bytes(sums.size() * sizeof(T));
  for (size_t i = 0; i < sums.size(); ++i) {
    const T value = static_cast<T>(tensor.mean ? sums[i] / static_cast<double>(tensor.terms) : sums[i]);
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
  return bytes;
}

std::vector<std::byte> joined_parts(const LogicalTensor& tensor, size_t element) {
  std::vector<std::byte> bytes(static_cast<size_t>(element_count(tensor.shape)) * element);
  for (const PartSource& part : tensor.parts) {
    const auto* values = static_cast<const std::byte*>(part.file->view(*part.place).data);
    for_each_run(*part.cover, tensor.shape, [&](const PartRun& run) {
      std::memcpy(bytes.data() + static_cast<size_t>(run.global) * element,
                  values + static_cast<size_t>(run.local) * element,
                  static_cast<size_t>(run.count) * element);
    });
  }
  return bytes;
}

/// Finds the first element that differs, if both ranks kept the values.
void find_element(ReplicaDifference& difference, const std::vector<const TraceContent*>& files) {
  if (!difference.phase)
    return;
  const TensorKey key{difference.step, *difference.phase, difference.name};
  const auto view_on = [&](int64_t rank) -> std::optional<TensorView> {
    const TraceContent& file = **std::find_if(
        files.begin(), files.end(), [rank](const TraceContent* each) { return each->rank == rank; });
    const auto found = file.tensors.find(key);
    if (found == file.tensors.end() || (found->second.in_parts && !found->second.layout))
      return std::nullopt;
    return file.view(found->second);
  };
  const auto a = view_on(difference.rank), b = view_on(difference.other);
  if (!a || !b || a->bytes() != b->bytes())
    return;
  const size_t element = size_of(a->dtype);
  const auto unequal = std::mismatch(a->raw().begin(), a->raw().end(), b->raw().begin()).first;
  const auto at = static_cast<size_t>(unequal - a->raw().begin()) / element;
  if (at >= static_cast<size_t>(a->size()))
    return;
  difference.index = coordinates(a->shape, static_cast<int64_t>(at));
  difference.value = widen(a->dtype, a->raw().data() + at * element);
  difference.other_value = widen(b->dtype, b->raw().data() + at * element);
}

}  // namespace

void LogicalTensor::prove(const TensorKey& key) {
  if (proved)
    return;
  for (const PartSource& part : parts)
    if (part.place->digest)
      check_digest(*part.file, *part.place, key,
                   digest_of_values(*part.file, *part.place, part.cover, shape));
  proved = true;
}

void LogicalTensor::prove(const TensorKey& key, const measure::Digest& found) {
  require(is_whole(), "one digest of a sharded tensor");
  check_digest(*parts.front().file, *parts.front().place, key, found);
  proved = true;
}

TensorView LogicalTensor::view(const TensorKey& key) {
  const PartSource& first = parts.front();
  if (!first.cover)
    return first.file->view(*first.place);
  const DType dtype = first.place->dtype;
  prove(key);
  if (joined.empty()) {
    if (terms == 1)
      joined = joined_parts(*this, size_of(dtype));
    else if (dtype == DType::float32)
      joined = sum_of_terms<float>(*this);
    else if (dtype == DType::float64)
      joined = sum_of_terms<double>(*this);
    else
      refuse(key, fmt::format("they are terms of a sum in {}; only float32 and float64 can be added",
                              name_of(dtype)));
  }
  return {dtype, shape, joined.data()};
}

LogicalTensors join_ranks(const std::vector<const TraceContent*>& files, PartsWanted wanted) {
  std::map<TensorKey, std::vector<Claim>> claims;
  for (const TraceContent* file : files) {
    for (const SketchRow& row : file->sketches)
      claims[row.key].push_back({file, &row});
    for (const PartRow& part : file->part_sketches)
      claims[part.row.key].push_back({file, &part.row, part.layout});
  }
  LogicalTensors result;
  Joiner joiner(result);
  for (const auto& [key, list] : claims)
    try {
      joiner.add(key, list);
    } catch (const UserError&) {
      if (wanted == PartsWanted::all)
        throw;
      result.tensors.emplace(key,
                             LogicalTensor{list.front().row->order, list.front().shape(), {}, 1, false, {}});
    }
  std::stable_sort(result.sketches.begin(), result.sketches.end(),
                   [](const SketchRow& a, const SketchRow& b) {
                     return std::tie(a.key.step, a.order) < std::tie(b.key.step, b.order);
                   });
  for (size_t i = 1; i < files.size(); ++i)
    compare_channels(result, *files.front(), *files[i]);
  std::stable_sort(result.differences.begin(), result.differences.end(),
                   [](const ReplicaDifference& a, const ReplicaDifference& b) { return a.step < b.step; });
  if (!result.differences.empty())
    find_element(result.differences.front(), files);
  return result;
}

}  // namespace parity::trace
