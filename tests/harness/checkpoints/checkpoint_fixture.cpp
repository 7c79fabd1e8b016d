// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/harness/checkpoints/checkpoint_fixture.hpp"

#include <random>

#include "harness/tensor/conversions.hpp"

namespace parity::checkpoints {
namespace {

constexpr int64_t hidden = 32, head = 8, key_rows = 16, inner = 48, vocabulary = 20;

std::string block(int64_t number, const std::string& part) {
  return "model.layers." + std::to_string(number) + "." + part + ".weight";
}

size_t row_size(const Weight& matrix) {
  return matrix.values.size() / static_cast<size_t>(matrix.shape.at(0));
}

}  // namespace

Weight drawn(const Shape& shape, unsigned seed) {
  std::mt19937 random(seed);
  Weight weight{shape, std::vector<float>(static_cast<size_t>(element_count(shape)))};
  for (float& value : weight.values)
    value = static_cast<float>(random()) / 4e9F - 0.5F;
  return weight;
}

Weight constant(const Shape& shape, float value) {
  return {shape, std::vector<float>(static_cast<size_t>(element_count(shape)), value)};
}

Weight transposed(const Weight& matrix) {
  Weight result{{matrix.shape[1], matrix.shape[0]}, matrix.values};
  const auto rows = static_cast<size_t>(matrix.shape[0]), columns = static_cast<size_t>(matrix.shape[1]);
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < columns; ++j)
      result.values[j * rows + i] = matrix.values[i * columns + j];
  return result;
}

Weight rows(const Weight& matrix, int64_t first, int64_t count) {
  Shape shape = matrix.shape;
  shape[0] = count;
  const auto size = static_cast<std::ptrdiff_t>(row_size(matrix));
  return {shape, {matrix.values.begin() + first * size, matrix.values.begin() + (first + count) * size}};
}

Weight concatenated(const std::vector<Weight>& parts) {
  Weight all = parts.front();
  for (size_t i = 1; i < parts.size(); ++i) {
    all.shape[0] += parts[i].shape[0];
    all.values.insert(all.values.end(), parts[i].values.begin(), parts[i].values.end());
  }
  return all;
}

Weight stacked(const std::vector<Weight>& parts) {
  Weight all = concatenated(parts);
  all.shape[0] = parts.front().shape[0];
  all.shape.insert(all.shape.begin(), static_cast<int64_t>(parts.size()));
  return all;
}

Weight in_pairs(const Weight& matrix, int64_t size) {
  std::vector<Weight> parts;
  for (int64_t first = 0; first < matrix.shape[0]; first += size)
    for (int64_t i = 0; i < size / 2; ++i)
      for (const int64_t row : {i, size / 2 + i})
        parts.push_back(rows(matrix, first + row, 1));
  return concatenated(parts);
}

Weights llama() {
  Weights weights = {{"model.embed_tokens.weight", drawn({vocabulary, hidden}, 1)},
                     {"model.norm.weight", constant({hidden}, 1)},
                     {"lm_head.weight", drawn({vocabulary, hidden}, 2)}};
  unsigned seed = 3;
  for (int64_t i = 0; i < 2; ++i) {
    for (const char* part : {"input_layernorm", "post_attention_layernorm"})
      weights[block(i, part)] = constant({hidden}, 1);
    for (const char* part : {"self_attn.q_proj", "self_attn.o_proj"})
      weights[block(i, part)] = drawn({hidden, hidden}, seed++);
    for (const char* part : {"self_attn.k_proj", "self_attn.v_proj"})
      weights[block(i, part)] = drawn({key_rows, hidden}, seed++);
    for (const char* part : {"mlp.gate_proj", "mlp.up_proj"})
      weights[block(i, part)] = drawn({inner, hidden}, seed++);
    weights[block(i, "mlp.down_proj")] = drawn({hidden, inner}, seed++);
  }
  return weights;
}

void move(Weights& weights, const std::string& from, const std::string& to) {
  weights[to] = weights.at(from);
  weights.erase(from);
}

Weights titan_llama() {
  Weights weights = llama();
  move(weights, "model.embed_tokens.weight", "tok_embeddings.weight");
  move(weights, "model.norm.weight", "norm.weight");
  move(weights, "lm_head.weight", "output.weight");
  for (int64_t i = 0; i < 2; ++i) {
    const std::string to = "layers." + std::to_string(i) + ".";
    const auto moved = [&](const char* part, const char* own) {
      move(weights, block(i, part), to + own + ".weight");
    };
    for (const char* part : {"self_attn.q_proj", "self_attn.k_proj"})
      weights[block(i, part)] = in_pairs(weights[block(i, part)], head);
    moved("self_attn.q_proj", "attention.wq");
    moved("self_attn.k_proj", "attention.wk");
    moved("self_attn.v_proj", "attention.wv");
    moved("self_attn.o_proj", "attention.wo");
    moved("mlp.gate_proj", "feed_forward.w1");
    moved("mlp.up_proj", "feed_forward.w3");
    moved("mlp.down_proj", "feed_forward.w2");
    moved("input_layernorm", "attention_norm");
    moved("post_attention_layernorm", "ffn_norm");
  }
  return weights;
}

Weights megatron_llama() {
  Weights weights = llama();
  move(weights, "model.embed_tokens.weight", "embedding.word_embeddings.weight");
  move(weights, "model.norm.weight", "decoder.final_layernorm.weight");
  move(weights, "lm_head.weight", "output_layer.weight");
  for (int64_t i = 0; i < 2; ++i) {
    const std::string to = "decoder.layers." + std::to_string(i) + ".";
    const auto taken = [&](const char* part) {
      const Weight weight = weights.at(block(i, part));
      weights.erase(block(i, part));
      return weight;
    };
    const Weight q = taken("self_attn.q_proj"), k = taken("self_attn.k_proj"), v = taken("self_attn.v_proj");
    weights[to + "self_attention.linear_qkv.weight"] =
        concatenated({rows(q, 0, 2 * head), rows(k, 0, head), rows(v, 0, head), rows(q, 2 * head, 2 * head),
                      rows(k, head, head), rows(v, head, head)});
    const Weight gate = taken("mlp.gate_proj");
    weights[to + "mlp.linear_fc1.weight"] = concatenated({gate, taken("mlp.up_proj")});
    weights[to + "mlp.linear_fc2.weight"] = taken("mlp.down_proj");
    weights[to + "self_attention.linear_proj.weight"] = taken("self_attn.o_proj");
    weights[to + "self_attention.linear_qkv.layer_norm_weight"] = taken("input_layernorm");
    weights[to + "mlp.linear_fc1.layer_norm_weight"] = taken("post_attention_layernorm");
  }
  return weights;
}

std::string CheckpointTest::write(const std::string& name, const Weights& weights, DType dtype) const {
  std::vector<TensorToWrite> tensors;
  for (const auto& [key, weight] : weights)
    tensors.push_back({key, dtype, weight.shape, [&weight = weight, dtype](const auto& take) {
                         std::vector<uint16_t> rounded;
                         for (const float value : weight.values)
                           rounded.push_back(dtype == DType::float16 ? float_to_float16(value)
                                                                     : float_to_bfloat16(value));
                         if (dtype == DType::float32)
                           take(weight.values.data(), weight.values.size() * sizeof(float));
                         else
                           take(rounded.data(), rounded.size() * sizeof(uint16_t));
                       }});
  const std::filesystem::path path = folder / name;
  write_safetensors(path, std::move(tensors));
  return path.string();
}

CheckpointDifference CheckpointTest::compare(const Weights& expected, const Weights& actual,
                                             const ComparisonOptions& options) const {
  const Checkpoint first = open_checkpoint(write("a.safetensors", expected));
  const Checkpoint second = open_checkpoint(write("b.safetensors", actual));
  return compare_checkpoints(first, second, options);
}

CheckpointDifference CheckpointTest::compare_rounded(const Weights& weights, DType narrow) const {
  return compare_checkpoints(open_checkpoint(write("wide.safetensors", weights)),
                             open_checkpoint(write("narrow.safetensors", weights, narrow)), {});
}

const Finding& CheckpointTest::finding(const CheckpointDifference& difference, const std::string& name) {
  for (const Finding& finding : difference.findings)
    for (const std::vector<Item>* side : {&finding.expected, &finding.actual})
      for (const Item& item : *side)
        if (item.name == name)
          return finding;
  throw InternalError("no finding of " + name);
}

}  // namespace parity::checkpoints
