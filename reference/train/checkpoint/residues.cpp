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

std::string residue_name(const std::string& name) {
  return "residue/" + name;
}

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

void insert_residues(Entries& entries, const std::string& name, const torch::Tensor& value,
                     const TensorLayout& layout, const Parallel& parallel) {
  if (exact::is_active())
    insert_whole(entries, residue_name(name), exact::residues_of(value), layout, parallel);
}

void insert_draw(Entries& entries) {
  if (exact::is_active())
    entries.insert(draw_name, text_tensor(describe_residues().dump()));
}

LoadedResidues::LoadedResidues(const Entries& entries, int64_t update, const std::filesystem::path& file)
    : entries_(entries) {
  if (!exact::is_active())
    return;
  const auto draw = entries.find(draw_name);
  has_residues_ = draw != entries.end();
  if (!has_residues_) {
    begin_residues_after(update);
    return;
  }
  const Json saved = Json::parse(draw_text(draw->value()));
  if (without_begin(saved) != without_begin(describe_residues()))
    throw UserError("cannot resume from " + file.string() +
                    " (its residues are of another draw); give the PARITY_EXACT_KEY that saved it");
  begin_residues_after(saved.value(begin_after, int64_t{0}));
}

void LoadedResidues::give(const torch::Tensor& target, const TensorLayout& layout,
                          const std::string& name) const {
  if (!exact::is_active())
    return;
  if (!has_residues_)
    return exact::draw(target, "loaded/" + name, places_in_whole(target, layout));
  const auto found = entries_.find(residue_name(name));
  if (found == entries_.end())
    throw UserError("the checkpoint has no residues of " + name + " (it is damaged); save it again");
  exact::restore(target, part_of_logical(found->value(), layout));
}

}  // namespace parity::reference
