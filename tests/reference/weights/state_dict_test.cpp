// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/weights/state_dict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "harness/base/error.hpp"
#include "harness/checkpoints/files/safetensors.hpp"
#include "tests/reference/tiny.hpp"
#include "tests/support/places.hpp"
#include "tests/support/scratch.hpp"

namespace parity::reference {
namespace {

using testing::HasSubstr;

/// Like Qwen3: per-head norms, rotate-half RoPE, a tied embedding.
ModelDimensions tiny_qwen3() {
  ModelDimensions dimensions = tiny_dimensions();
  dimensions.rope = Rope::rotate_half;
  dimensions.qk_norm = dimensions.tied = true;
  return dimensions;
}

Decoder drawn(const ModelDimensions& dimensions, uint64_t seed, torch::ScalarType dtype = torch::kFloat32) {
  Decoder model(dimensions, dtype);
  initialize(model, seed);
  return model;
}

std::vector<torch::Tensor> copies(const Decoder& model) {
  std::vector<torch::Tensor> result;
  for (const Parameter& weight : model.parameters())
    result.push_back(weight.value.detach().clone());
  return result;
}

void expect_weights(const Decoder& model, const std::vector<torch::Tensor>& expected) {
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_TRUE(torch::equal(model.parameters()[i].value, expected[i])) << model.parameters()[i].name;
}

class StateDictTest : public FolderTest {
 protected:
  const std::filesystem::path path = folder / "weights.safetensors";

  void save(const Decoder& model, WeightNames names, const std::string& name = "llama3.debug") const {
    Parameters all = model.parameters();
    for (const Parameter& bias : model.router_biases())
      all.push_back(bias);
    save_weights(path, names, name, model.dimensions(), all);
  }
  /// Writes the file again with other tensors.
  void rewrite(const std::function<void(std::map<std::string, TensorView>&)>& change) const {
    const std::filesystem::path source = folder / "source.safetensors";
    std::filesystem::rename(path, source);
    const checkpoints::SafetensorsFile file(source);
    std::map<std::string, TensorView> tensors(file.tensors().begin(), file.tensors().end());
    change(tensors);
    std::vector<checkpoints::TensorToWrite> all;
    for (const auto& [name, tensor] : tensors)
      all.push_back({name, tensor.dtype, tensor.shape,
                     [&tensor](const auto& take) { take(tensor.data, tensor.bytes()); }});
    checkpoints::write_safetensors(path, std::move(all));
  }
  /// Returns why the file is rejected for a model, which must stay unchanged.
  std::string refusal(const ModelDimensions& dimensions) const {
    Decoder model = drawn(dimensions, 9);
    const std::vector<torch::Tensor> before = copies(model);
    std::string why;
    try {
      load_weights(model, "llama3.debug", path);
    } catch (const UserError& error) {
      why = error.what();
    }
    expect_weights(model, before);
    return why;
  }
};

TEST_F(StateDictTest, EachNaming_IsRecognisedAndRestoresTheBits) {
  for (const ModelDimensions& dimensions : {tiny_dimensions(), tiny_qwen3()})
    for (const WeightNames names : {WeightNames::torchtitan, WeightNames::torchtitan_2026,
                                    WeightNames::torchtitan_2026_fused, WeightNames::hugging_face}) {
      SCOPED_TRACE(name_of(names));
      const Decoder model = drawn(dimensions, 1);
      save(model, names);
      Decoder other = drawn(dimensions, 2);
      EXPECT_EQ(load_weights(other, "llama3.debug", path), names);
      expect_weights(other, copies(model));
    }
}

TEST_F(StateDictTest, Index_WritesShardsThatAreReadBack) {
  const Decoder model = drawn(tiny_dimensions(), 1);
  const std::filesystem::path index = folder / "model.safetensors.index.json";
  save_weights(index, WeightNames::hugging_face, "llama3.debug", model.dimensions(), model.parameters());
  EXPECT_TRUE(std::filesystem::exists(folder / "model-00001-of-00001.safetensors"));
  for (const std::filesystem::path& named : {index, std::filesystem::path(folder)}) {
    Decoder other = drawn(tiny_dimensions(), 2);
    EXPECT_EQ(load_weights(other, "llama3.debug", named), WeightNames::hugging_face);
    expect_weights(other, copies(model));
  }
}

TEST_F(StateDictTest, OtherNames_AreFound) {
  const Decoder model = drawn(tiny_dimensions(), 1);
  save_weights(folder / "shards.safetensors.index.json", WeightNames::torchtitan, "llama3.debug",
               model.dimensions(), model.parameters());
  std::filesystem::rename(folder / "shards.safetensors.index.json", folder / "shards.fp32.index.json");
  const std::filesystem::path alone = folder / "alone";
  std::filesystem::create_directory(alone);
  save_weights(alone / "weights.safetensors", WeightNames::torchtitan, "llama3.debug", model.dimensions(),
               model.parameters());
  for (const std::filesystem::path& named : {folder / "shards.fp32.index.json", alone}) {
    Decoder other = drawn(tiny_dimensions(), 2);
    load_weights(other, "llama3.debug", named);
    expect_weights(other, copies(model));
  }
}

TEST_F(StateDictTest, FoldersOfPyTorch_AreRead) {
  if (!places::has_pytorch)
    GTEST_SKIP() << "needs PyTorch in Python";
  const Decoder model = drawn(tiny_dimensions(), 1);
  save(model, WeightNames::torchtitan);
  const CommandResult saved = run_python(folder, R"(
import json, os, struct, sys, torch, torch.distributed.checkpoint as dcp
data = open(sys.argv[1], 'rb').read()
size, = struct.unpack('<Q', data[:8])
state = {}
for name, entry in json.loads(data[8:8 + size]).items():
    if name != '__metadata__':
        begin, end = entry['data_offsets']
        whole = bytearray(data[8 + size + begin:8 + size + end])
        state[name] = torch.frombuffer(whole, dtype=torch.float32).view(entry['shape'])
dcp.save(state, checkpoint_id=sys.argv[1] + '.dcp', no_dist=True)
os.mkdir(sys.argv[1] + '.bin')
torch.save(state, sys.argv[1] + '.bin/pytorch_model.bin')
)",
                                         path.string());
  ASSERT_EQ(saved.status, 0) << saved.output;
  ::setenv("PARITY_PYTHON", places::python.c_str(), 1);
  for (const char* ending : {".bin", ".dcp"}) {
    Decoder other = drawn(tiny_dimensions(), 2);
    EXPECT_EQ(load_weights(other, "llama3.debug", path.string() + ending), WeightNames::torchtitan);
    expect_weights(other, copies(model));
  }
  Decoder other = drawn(tiny_dimensions(), 2);
  std::filesystem::remove(path.string() + ".dcp/.metadata");
  EXPECT_THROW(load_weights(other, "llama3.debug", path.string() + ".dcp"), UserError);
}

TEST_F(StateDictTest, FusedQkvMatrix_IsTheSameModelAsThree) {
  ModelDimensions fused = tiny_dimensions();
  fused.fused_qkv = true;
  const torch::Tensor tokens = torch::arange(24).view({2, 12});
  const Decoder apart = drawn(tiny_dimensions(), 1);
  for (const WeightNames names :
       {WeightNames::torchtitan, WeightNames::torchtitan_2026_fused, WeightNames::hugging_face}) {
    SCOPED_TRACE(name_of(names));
    save(apart, names);
    Decoder together = drawn(fused, 2);
    EXPECT_EQ(load_weights(together, "llama3.debug", path), names);
    EXPECT_TRUE(torch::allclose(together.forward(tokens), apart.forward(tokens), 1e-5, 1e-6));
    const std::string bytes = read_file(path);
    save(together, names);
    EXPECT_EQ(read_file(path), bytes);
  }
}

TEST_F(StateDictTest, LatentAttentionComesBackToo) {
  const std::string name = "deepseek_v3.debug";
  RunConfig config = tiny_config();
  config.model = name;
  config.moe.hidden = 8;
  config.architecture.q_lora_rank = 6;
  for (const WeightNames names :
       {WeightNames::torchtitan, WeightNames::torchtitan_2026, WeightNames::hugging_face}) {
    SCOPED_TRACE(name_of(names));
    const Decoder model = drawn(dimensions_of(config), 1);
    ASSERT_FALSE(model.router_biases().empty());
    model.router_biases().front().value.fill_(0.5);
    save(model, names, name);
    Decoder other = drawn(dimensions_of(config), 2);
    EXPECT_EQ(load_weights(other, name, path), names);
    expect_weights(other, copies(model));
    EXPECT_TRUE(torch::equal(other.router_biases().front().value, model.router_biases().front().value));
  }
}

TEST_F(StateDictTest, Gpt2_ComesBackFromEveryKindThatHasNames) {
  RunConfig config = tiny_config();
  config.model = "gpt2.debug";
  config.architecture.n_kv_heads = 0;
  for (const WeightNames names : {WeightNames::torchtitan, WeightNames::hugging_face, WeightNames::nanogpt}) {
    const Decoder model = drawn(dimensions_of(config), 1);
    save(model, names, config.model);
    Decoder other = drawn(dimensions_of(config), 2);
    EXPECT_EQ(load_weights(other, config.model, path), names) << "shapes tell matrices that are transposed";
    expect_weights(other, copies(model));
  }
  EXPECT_THROW(save(drawn(dimensions_of(config), 1), WeightNames::torchtitan_2026, config.model), UserError);
}

TEST_F(StateDictTest, Adapters_KeepTheirValuesAndAreNotSaved) {
  RunConfig config = tiny_config();
  const Decoder base = drawn(dimensions_of(config), 1);
  save(base, WeightNames::torchtitan, config.model);
  config.lora.rank = 2;
  Decoder adapted = drawn(dimensions_of(config), 2);
  const auto adapter = [](const Decoder& model) {
    for (const Parameter& parameter : model.parameters())
      if (parameter.name == "layers.0.attention.wq.lora_a.weight")
        return parameter.value.detach().clone();
    return torch::Tensor();
  };
  const torch::Tensor before = adapter(adapted);
  load_weights(adapted, config.model, path);
  EXPECT_TRUE(adapter(adapted).equal(before));
  EXPECT_TRUE(adapted.parameters()[0].value.equal(base.parameters()[0].value));
  EXPECT_THROW(save(adapted, WeightNames::torchtitan, config.model), UserError);
}

TEST_F(StateDictTest, ExpertsComeBackToo) {
  RunConfig config = tiny_config();
  config.moe.hidden = 8;
  for (const char* name : {"qwen3.debug_moe_8", "llama4.debug"})
    for (size_t i = 0; i < EnumNames<WeightNames>::names.size(); ++i) {
      const auto names = static_cast<WeightNames>(i);
      if (names == WeightNames::nanogpt)  // has names for GPT-2 only
        continue;
      SCOPED_TRACE(std::string(name) + " " + std::string(name_of(names)));
      config.model = name;
      const Decoder model = drawn(dimensions_of(config), 1);
      save(model, names, name);
      Decoder other = drawn(dimensions_of(config), 2);
      const bool has_text = config.model == "llama4.debug" || names != WeightNames::hugging_face_text;
      EXPECT_EQ(load_weights(other, name, path), has_text ? names : WeightNames::hugging_face);
      expect_weights(other, copies(model));
    }
}

TEST_F(StateDictTest, HuggingFaceRows_SameModelForEitherRope) {
  const Decoder pairs = drawn(tiny_dimensions(), 1);
  for (const Parameter& weight : pairs.parameters())
    if (weight.name.ends_with("attention.wq.weight"))
      weight.value.detach().mul_(100);  // initial weights attend uniformly, whatever is rotated
  save(pairs, WeightNames::hugging_face);
  ModelDimensions dimensions = tiny_dimensions();
  dimensions.rope = Rope::rotate_half;
  Decoder halves = drawn(dimensions, 2);
  load_weights(halves, "llama3.debug", path);
  const torch::Tensor tokens = torch::arange(24).view({2, 12});
  EXPECT_TRUE(torch::allclose(halves.forward(tokens), pairs.forward(tokens), 1e-5, 1e-6));
  // The same rows under the names of a model that rotates pairs give another model.
  save(pairs, WeightNames::torchtitan);
  load_weights(halves, "llama3.debug", path);
  EXPECT_FALSE(torch::allclose(halves.forward(tokens), pairs.forward(tokens), 1e-3, 1e-3));
}

TEST_F(StateDictTest, ValuesAreConvertedToTheModelsDtype) {
  const Decoder model = drawn(tiny_dimensions(), 1);
  for (const auto dtype : {torch::kFloat64, torch::kBFloat16, torch::kFloat16}) {
    Parameters narrow;
    for (const Parameter& weight : model.parameters())
      narrow.push_back({weight.name, weight.value.detach().to(dtype)});
    save_weights(path, WeightNames::torchtitan, "llama3.debug", model.dimensions(), narrow);
    Decoder other = drawn(tiny_dimensions(), 2), twin = drawn(tiny_dimensions(), 2, torch::kFloat64);
    load_weights(other, "llama3.debug", path);
    load_weights(twin, "llama3.debug", path);
    for (size_t i = 0; i < narrow.size(); ++i) {
      EXPECT_TRUE(torch::equal(other.parameters()[i].value, narrow[i].value.to(torch::kFloat32)));
      EXPECT_TRUE(torch::equal(twin.parameters()[i].value, narrow[i].value.to(torch::kFloat64)));
    }
  }
}

TEST_F(StateDictTest, AllComplaintsComeAtOnceAndNothingIsLoaded) {
  save(drawn(tiny_dimensions(), 1), WeightNames::torchtitan);
  const std::string wq = "layers.0.attention.wq.weight", norm = "norm.weight",
                    w1 = "layers.1.feed_forward.w1.weight";
  rewrite([&](auto& tensors) {
    tensors["layers.0.attention.wqq.weight"] = tensors.at(wq);
    tensors.erase(wq);
    tensors.at(norm).shape = {4, 4};
    tensors.at(w1).dtype = DType::int32;
  });
  const std::string why = refusal(tiny_dimensions());
  EXPECT_THAT(why, HasSubstr("1 name is missing: 'layers.0.attention.wq.weight'"));
  EXPECT_THAT(why, HasSubstr("1 name matches no weight: 'layers.0.attention.wqq.weight' (did you mean "
                             "'layers.0.attention.wq.weight'?)"));
  EXPECT_THAT(why, HasSubstr("1 tensor has another shape: 'norm.weight' is (4, 4), the model has (16)"));
  EXPECT_THAT(why, HasSubstr("'layers.1.feed_forward.w1.weight' is int32, not a float"));
}

TEST_F(StateDictTest, AModelOfAnotherSizeOrKindIsRefused) {
  save(drawn(tiny_dimensions(), 1), WeightNames::hugging_face);
  ModelDimensions deeper = tiny_dimensions();
  deeper.n_layers = 3;
  EXPECT_THAT(refusal(deeper), HasSubstr("9 names are missing: 'model.layers.2."));
  ModelDimensions wider = tiny_dimensions();
  wider.ffn_hidden = 32;
  EXPECT_THAT(refusal(wider), HasSubstr("6 tensors have other shapes"));
  EXPECT_THAT(refusal(tiny_qwen3()), HasSubstr("'model.layers.0.self_attn.q_norm.weight'"));
  rewrite([](auto& tensors) {
    const TensorView one = tensors.begin()->second;
    tensors = {{"x", one}};
  });
  EXPECT_THAT(refusal(tiny_dimensions()), HasSubstr("1 name matches no weight: 'x'"));
}

TEST_F(StateDictTest, ATiedModelsOutputMayBeThereIfItIsTheEmbedding) {
  save(drawn(tiny_qwen3(), 1), WeightNames::hugging_face);
  rewrite([](auto& tensors) { tensors["lm_head.weight"] = tensors.at("model.embed_tokens.weight"); });
  Decoder model = drawn(tiny_qwen3(), 2);
  EXPECT_EQ(load_weights(model, "llama3.debug", path), WeightNames::hugging_face);
  const std::vector<float> other(static_cast<size_t>(40 * 16), 1.0F);
  rewrite([&](auto& tensors) { tensors.at("lm_head.weight").data = other.data(); });
  EXPECT_THAT(refusal(tiny_qwen3()), HasSubstr("'lm_head.weight' differs from 'model.embed_tokens.weight'"));
}

TEST_F(StateDictTest, OldTablesOfFrequenciesAreLeftAlone) {
  save(drawn(tiny_dimensions(), 1), WeightNames::hugging_face);
  const std::vector<float> frequencies = {1, 0.5F};
  rewrite([&](auto& tensors) {
    tensors["model.layers.1.self_attn.rotary_emb.inv_freq"] = {DType::float32, {2}, frequencies.data()};
  });
  Decoder model = drawn(tiny_dimensions(), 2);
  EXPECT_EQ(load_weights(model, "llama3.debug", path), WeightNames::hugging_face);
}

}  // namespace
}  // namespace parity::reference
