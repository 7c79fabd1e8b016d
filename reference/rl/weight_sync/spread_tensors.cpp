// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/rl/weight_sync/spread_tensors.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <c10/core/ScalarType.h>

#include "harness/base/error.hpp"
#include "harness/base/json/json.hpp"
#include "reference/comm/texts.hpp"
#include "reference/rl/weight_sync/together.hpp"

namespace parity::reference {
namespace {

DType dtype_of(torch::ScalarType type) {
  return parse_enum<DType>(c10::getDtypeNames(type).first);
}

Json ranges_to_json(const PartCover& part) {
  Json dims = Json::array();
  for (const auto& ranges : part.ranges) {
    dims.push_back(Json::array());
    for (const IndexRange& range : ranges)
      dims.back().push_back({range.first, range.end});
  }
  return dims;
}

PartCover part_from_json(const Json& dims) {
  PartCover part;
  for (const Json& ranges : dims) {
    part.ranges.emplace_back();
    for (const Json& range : ranges)
      part.ranges.back().push_back({range.at(0), range.at(1)});
  }
  return part;
}

Json describe(const Parameter& tensor, bool is_buffer) {
  TensorLayout layout = tensor.layout;
  const Shape size = tensor.value.sizes().vec();
  if (layout.global_shape.empty())
    layout.global_shape = size;
  const PartCover part = cover_of(layout);
  if (!part.term.empty() || shape_of(part) != size)
    throw UserError(tensor.name + " of shape " + to_string(size) + " is placed as " +
                    to_string(shape_of(part)) + (part.term.empty() ? "" : ", a term of a sum,") + " in " +
                    to_string(layout.global_shape) + "; give the layout that the rank has");
  return {{"name", tensor.name},
          {"dtype", name_of(dtype_of(tensor.value.scalar_type()))},
          {"buffer", is_buffer},
          {"shape", layout.global_shape},
          {"part", ranges_to_json(part)}};
}

Json describe(const ModelTensors& model) {
  Json all = Json::array();
  std::set<std::string> names;
  for (const auto* tensors : {&model.parameters, &model.buffers})
    for (const Parameter& tensor : *tensors) {
      if (!names.insert(tensor.name).second)
        throw UserError(tensor.name + " is given twice; give each tensor once");
      all.push_back(describe(tensor, tensors == &model.buffers));
    }
  return all;
}

/// Collects the descriptions that the ranks send, and the problems with them.
class Directory {
 public:
  Directory(const std::vector<Json>& stated) : ranks_(stated) {
    for (size_t rank = 0; rank < ranks_.size(); ++rank) {
      require_same_terms(rank);
      for (const char* side : {"trained", "served"})
        for (const Json& tensor : ranks_[rank].at(side))
          add(tensor, rank, side);
    }
  }

  std::vector<SpreadTensor> take() && {
    for (const SpreadTensor& tensor : tensors_)
      require_both_sides(tensor);
    if (!differences_.empty())
      throw UserError("the generator has another shape than the trained model (" + listed(differences_) +
                      "); build both from the same model and architecture");
    require_dtypes();
    return std::move(tensors_);
  }

 private:
  static std::string listed(const std::vector<std::string>& lines) {
    constexpr size_t most = 4;
    std::string text;
    for (size_t i = 0; i < std::min(lines.size(), most); ++i)
      text += (i == 0 ? "" : ", ") + lines[i];
    return lines.size() > most ? text + " and " + std::to_string(lines.size() - most) + " more" : text;
  }

  void require_same_terms(size_t rank) const {
    for (const auto& [key, value] : ranks_.front().at("terms").items())
      if (const Json& other = ranks_[rank].at("terms").at(key); other != value)
        throw UserError("rank " + std::to_string(rank) + " pushes with " + key + " " + other.dump() +
                        " and rank 0 with " + value.dump() + "; give every rank the same");
  }

  void add(const Json& stated, size_t rank, const std::string& side) {
    const std::string name = stated.at("name");
    const Shape shape = stated.at("shape");
    const auto dtype = parse_enum<DType>(stated.at("dtype").get<std::string>());
    const auto [place, is_new] = index_.emplace(name, tensors_.size());
    if (is_new) {
      tensors_.push_back({name, shape, dtype, dtype});
      tensors_.back().held.resize(ranks_.size());
      tensors_.back().needed.resize(ranks_.size());
    }
    SpreadTensor& tensor = tensors_[place->second];
    if (shape != tensor.shape && different_.insert(name).second)
      differences_.push_back(name + " is " + to_string(shape) + " where " + side + " on rank " +
                             std::to_string(rank) + " and " + to_string(tensor.shape) + " elsewhere");
    (side == "trained" ? tensor.held : tensor.needed)[rank] = part_from_json(stated.at("part"));
    dtypes_[side][name].push_back({rank, dtype, stated.at("buffer")});
  }

  void require_both_sides(const SpreadTensor& tensor) {
    const bool is_trained = dtypes_["trained"].contains(tensor.name);
    if (is_trained != dtypes_["served"].contains(tensor.name))
      differences_.push_back(tensor.name + " of shape " + to_string(tensor.shape) + " is only " +
                             (is_trained ? "trained" : "served"));
  }

  void require_dtypes() {
    const auto transfer = parse_enum<DType>(ranks_.front().at("terms").at("dtype").get<std::string>());
    for (SpreadTensor& tensor : tensors_) {
      const std::vector<Kind>& trained = dtypes_["trained"][tensor.name];
      tensor.trained_dtype = trained.front().dtype;
      tensor.moved_dtype = trained.front().is_buffer ? tensor.trained_dtype : transfer;
      for (const Kind& kind : trained)
        require_dtype(tensor, kind, tensor.trained_dtype, "trained", "trained on another rank");
      for (const Kind& kind : dtypes_["served"][tensor.name])
        require_dtype(tensor, kind, tensor.moved_dtype, "served", "transferred");
    }
  }

  struct Kind {
    size_t rank;
    DType dtype;
    bool is_buffer;
  };
  static void require_dtype(const SpreadTensor& tensor, const Kind& kind, DType expected,
                            const std::string& here, const std::string& there) {
    const auto text = [](DType dtype) { return std::string(name_of(dtype)); };
    if (kind.dtype != expected)
      throw UserError(tensor.name + " is " + text(kind.dtype) + " where " + here + " on rank " +
                      std::to_string(kind.rank) + " and " + text(expected) + " where " + there +
                      " (parameters move in one dtype, the generator's, and buffers in their own); give "
                      "both sides the same dtype");
  }

  std::vector<Json> ranks_;
  std::vector<SpreadTensor> tensors_;
  std::map<std::string, size_t> index_;                                     ///< in tensors_
  std::map<std::string, std::map<std::string, std::vector<Kind>>> dtypes_;  ///< by side and name
  std::set<std::string> different_;
  std::vector<std::string> differences_;
};

}  // namespace

std::vector<SpreadTensor> spread_tensors(const ModelTensors& trained, const ModelTensors& served,
                                         const PushTerms& terms, const Group& world) {
  Json stated;
  try {
    together(world, [&] {
      stated = {{"terms",
                 {{"method", name_of(terms.method)},
                  {"dtype", name_of(dtype_of(terms.dtype))},
                  {"bucket_bytes", terms.bucket_bytes}}},
                {"trained", describe(trained)},
                {"served", describe(served)}};
    });
  } catch (const RankFailed& failed) {
    throw UserError(failed.what());
  }
  std::vector<Json> all;
  for (const std::string& text : gather_texts(stated.dump(), world))
    all.push_back(Json::parse(text));
  return Directory(all).take();
}

torch::ScalarType scalar_type_of(DType dtype) {
  return c10::getStringToDtypeMap().at(std::string(name_of(dtype)));
}

}  // namespace parity::reference
