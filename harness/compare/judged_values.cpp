// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/judged_values.hpp"

#include "harness/base/error.hpp"
#include "harness/compare/content_bytes.hpp"
#include "harness/compare/sides/quantity.hpp"
#include "harness/compare/sides/side.hpp"
#include "harness/compare/tensors/gap.hpp"
#include "harness/compare/twins/gap.hpp"

namespace parity::compare {
namespace {

void add(ContentBytes& bytes, const std::vector<std::string>& words) {
  bytes.number(static_cast<uint64_t>(words.size()));
  for (const std::string& word : words)
    bytes.text(word);
}

void add(ContentBytes& bytes, const std::string& name, const Series& series) {
  bytes.text(name);
  bytes.list(series.steps);
  bytes.number(static_cast<uint64_t>(series.values.index()));
  std::visit([&](const auto& values) { bytes.list(values); }, series.values);
}

/// Adds a tensor; the bytes are the same whether its values or only its sketch were kept.
void add(ContentBytes& bytes, const TensorSource& source) {
  bytes.number(source.key.step);
  bytes.text(std::string(name_of(source.key.phase)));
  bytes.text(source.key.name);
  const auto add_facts = [&](DType dtype, const Shape& shape, const measure::Digest& digest) {
    bytes.text(std::string(name_of(dtype)));
    bytes.list(shape);
    bytes.text(measure::to_string(digest));
  };
  if (source.whole()) {
    const TensorView view = source.trace->tensor(source.key);
    add_facts(view.dtype, view.shape, measure::digest_of(view));
  } else {
    add_facts(source.sketch->dtype, source.sketch->shape, source.sketch->digest);
  }
}

/// Returns all thresholds by which float64 twins are judged.
std::vector<double> thresholds() {
  const CollapseRule collapse;
  const RoundingSizeRule size;
  std::vector<double> all = {
      collapse.needed_log2, collapse.multiple, collapse.resolution, distinct_floors, size.near,
      size.explained,       size.alike};
  for (const DType dtype :
       {DType::float32, DType::bfloat16, DType::float16, DType::float8_e4m3fn, DType::float8_e5m2}) {
    const RoundingModel model = rounding_model(dtype);
    all.insert(all.end(), {model.roundoff, model.usual, model.most, model.in_common});
  }
  return all;
}

/// Returns one digest per side.
std::vector<std::string> digests_of(const Check& check, const std::vector<Side>& sides) {
  std::vector<ContentBytes> bytes(sides.size());
  for (size_t i = 0; i < sides.size(); ++i) {
    bytes[i].number(sides[i].warmup_steps);
    bytes[i].number(sides[i].sixteen_bits);
  }
  if (check.of_tensors()) {
    for (const TensorPair& pair : pair_tensors(check, sides.at(0), sides.at(1))) {
      add(bytes[0], tensor_source(*sides[0].trace, pair.expected));
      add(bytes[1], tensor_source(*sides[1].trace, pair.actual));
    }
  } else {
    const std::vector<int64_t> steps = steps_in(resolve(check.steps, sides), sides);
    for (const std::string& name : match_channels(check.channels, sides))
      for (size_t i = 0; i < sides.size(); ++i)
        add(bytes[i], name, channel_at(sides[i], name, steps));
  }
  std::vector<std::string> digests;
  for (const ContentBytes& each : bytes)
    digests.push_back(each.digest());
  return digests;
}

}  // namespace

std::string channels_digest(const trace::Trace& trace) {
  ContentBytes bytes;
  bytes.list(trace.steps());
  for (const auto& [name, channel] : trace.channels()) {
    if (channel.kind != trace::ChannelKind::numeric)
      continue;
    bytes.text(name);
    bytes.number(static_cast<uint64_t>(channel.values.index()));
    std::visit([&](const auto& values) { bytes.list(values); }, channel.values);
  }
  return bytes.digest();
}

std::string check_digest(const Check& check) {
  ContentBytes bytes;
  bytes.text(std::string(name_of(check.relation)));
  add(bytes, check.channels);
  bytes.text(check.tensor);
  bytes.text(std::string(name_of(check.phase)));
  add(bytes, check.all_arms());
  bytes.text(std::string(name_of(check.against)));
  bytes.number(check.lag);
  bytes.number(check.tolerance.has_value());
  bytes.number(check.tolerance.value_or(0));
  bytes.text(check.tolerance_because);
  bytes.number(check.sibling ? check.sibling->times : 0.0);
  if (check.sibling && (check.sibling->each || check.sibling->rejected))
    bytes.number((check.sibling->each ? 1.0 : 0.0) + (check.sibling->rejected ? 2.0 : 0.0));
  bytes.text(std::string(name_of(check.steps.kind)));
  bytes.number(check.steps.first);
  bytes.number(check.steps.last);
  bytes.text(check.because);
  bytes.text(check.precision ? std::string(name_of(*check.precision)) : "");
  bytes.number(check.imprecision.value_or(1));
  bytes.text(check.imprecision_because);
  if (check.relation == Relation::lawful) {
    add(bytes, check.laws);
    add(bytes, check.departs);
    bytes.text(check.before);
  }
  if (check.relation == Relation::repeats) {
    bytes.number(check.times);
    bytes.text(std::string(name_of(check.under)));
  }
  for (const double threshold : thresholds())
    bytes.number(threshold);
  return bytes.digest();
}

std::optional<std::vector<std::string>> judged_digests(const Check& check,
                                                       const std::map<std::string, ArmEvidence>& arms) {
  std::vector<Side> sides;
  for (const std::string& name : check.all_arms()) {
    const auto found = arms.find(name);
    if (found == arms.end() || found->second.crashed || !found->second.trace)
      return std::nullopt;
    sides.push_back(side_of(name, found->second));
  }
  if (sides.size() != 2)
    return std::nullopt;
  try {
    return digests_of(check, sides);
  } catch (const MissingEvidence&) {
    return std::nullopt;
  } catch (const UserError&) {  // a part of a trace that cannot be read
    return std::nullopt;
  }
}

}  // namespace parity::compare
