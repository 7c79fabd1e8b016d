// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/checkpoint/residues.hpp"

#include <cstdint>
#include <vector>

#include <torch/torch.h>

#include "harness/base/error.hpp"
#include "harness/base/json/json.hpp"
#include "reference/exact/exact.hpp"
#include "reference/parallel/core/layout.hpp"
#include "reference/train/numerics/exact_twin.hpp"

namespace parity::reference {
namespace {

constexpr const char* draw_name = "residue_draw";
constexpr const char* begin_after = "begin_after_update";

torch::Tensor text_tensor(const std::string& text) {
  return torch::tensor(std::vector<uint8_t>(text.begin(), text.end()), torch::kUInt8);
}

std::string draw_text(const torch::Tensor& bytes) {
  const torch::Tensor here = bytes.contiguous();
  return {reinterpret_cast<const char*>(here.const_data_ptr<uint8_t>()), static_cast<size_t>(here.numel())};
}

/// Returns a draw without what may differ between the process that saved and the one that loads.
Json without_begin(Json draw) {
  draw.erase(begin_after);
  return draw;
}

/// Returns the place of each element that a rank holds in the whole tensor.
torch::Tensor places_in_whole(const torch::Tensor& held, const TensorLayout& layout) {
  const at::IntArrayRef shape = layout.global_shape.empty() ? held.sizes() : layout.global_shape;
  return part_of_logical(torch::arange(c10::multiply_integers(shape), torch::kInt64).view(shape), layout);
}

}  // namespace

std::string residue_name(const std::string& name) {
  return std::string(residue_prefix) + "/" + name;
}

void insert_draw(Entries& entries) {
  if (exact::is_active())
    entries.insert(draw_name, text_tensor(describe_residues().dump()));
}

LoadedResidues::LoadedResidues(const SavedValues& saved, int64_t update) : saved_(saved) {
  if (!exact::is_active())
    return;
  has_residues_ = saved.contains(draw_name);
  if (!has_residues_) {
    begin_residues_after(update);
    return;
  }
  const Json draw = Json::parse(draw_text(saved.read(draw_name)));
  if (without_begin(draw) != without_begin(describe_residues()))
    throw UserError("cannot resume from " + saved.path().string() +
                    " (its residues are of another draw); give the PARITY_EXACT_KEY that saved it");
  begin_residues_after(draw.value(begin_after, int64_t{0}));
}

void LoadedResidues::give(const torch::Tensor& target, const TensorLayout& layout,
                          const std::string& name) const {
  if (!exact::is_active())
    return;
  if (!has_residues_)
    return exact::draw(target, "loaded/" + name, places_in_whole(target, layout));
  if (!saved_.contains(residue_name(name)))
    throw UserError("the checkpoint has no residues of " + name + " (it is damaged); save it again");
  exact::restore(target, saved_.read(residue_name(name), layout));
}

}  // namespace parity::reference
