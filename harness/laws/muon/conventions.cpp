// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/muon/conventions.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "harness/base/json/fields.hpp"

namespace parity::laws {
namespace {

constexpr Quintic keller_jordan = {3.4445, -4.7750, 2.0315};
constexpr size_t most_steps = 99;  // torch.optim.Muon takes fewer than 100

/// Source: Jiacheng You's run of modded-nanogpt, 2025-03-28.
constexpr std::array<Quintic, 5> quintic = {{{4.0848, -6.8946, 2.9270},
                                             {3.9505, -6.3029, 2.6377},
                                             {3.7418, -5.5913, 2.3037},
                                             {2.8769, -3.1427, 1.2046},
                                             {2.8366, -3.0525, 1.2012}}};

/// Source: arXiv:2505.16932, with a safety factor of 1.01, to four decimals.
constexpr std::array<Quintic, 8> polar_express = {{{8.2051, -22.9019, 16.4607},
                                                   {4.0664, -2.8612, 0.5184},
                                                   {3.9096, -2.8234, 0.5250},
                                                   {3.2856, -2.4153, 0.4853},
                                                   {2.2779, -1.6198, 0.3985},
                                                   {1.8726, -1.2307, 0.3585},
                                                   {1.8564, -1.2132, 0.3568},
                                                   {1.8750, -1.2500, 0.3750}}};

std::optional<bool> flag_of(const RecordedRun& run, const char* key) {
  const std::string text = run.config_text(key);
  return text == "true" ? std::optional(true) : text == "false" ? std::optional(false) : std::nullopt;
}

std::optional<MuonScale> named_scale(const std::string& name) {
  const std::vector<std::string> known = names_of<MuonScale>();
  return std::ranges::find(known, name) == known.end() ? std::nullopt
                                                       : std::optional(parse_enum<MuonScale>(name));
}

std::optional<size_t> count_of(const std::optional<double>& steps) {
  return steps && *steps >= 1 && *steps <= static_cast<double>(most_steps)
             ? std::optional(static_cast<size_t>(*steps))
             : std::nullopt;
}

std::optional<std::vector<Quintic>> steps_of_config(const RecordedRun& run) {
  const auto count = count_of(run.config_number("optimizer.muon.ns_steps"));
  const std::string table = run.config_text("optimizer.muon.coefficients");
  if (!count)
    return std::nullopt;
  if (table == "quintic")
    return schulz_steps(SchulzTable::quintic, *count);
  if (table == "polar_express")
    return schulz_steps(SchulzTable::polar_express, *count);
  const auto a = run.config_number("optimizer.muon.a"), b = run.config_number("optimizer.muon.b"),
             c = run.config_number("optimizer.muon.c");
  return a && b && c ? std::optional(std::vector<Quintic>(*count, {*a, *b, *c})) : std::nullopt;
}

std::optional<FusedHeads> heads_of_config(const RecordedRun& run) {
  const double heads = run.config_number("architecture.n_heads").value_or(0),
               keys = run.config_number("architecture.n_kv_heads").value_or(0),
               width = run.config_number("architecture.head_dim").value_or(0),
               dim = run.config_number("architecture.dim").value_or(0);
  if (heads < 1 || (width <= 0 && dim <= 0))
    return FusedHeads{};
  return FusedHeads{static_cast<size_t>(keys > 0 ? heads / keys : 1),
                    static_cast<size_t>(width > 0 ? width : dim / heads)};
}

}  // namespace

double muon_scale(MuonScale rule, size_t rows, size_t columns) {
  const auto a = static_cast<double>(rows), b = static_cast<double>(columns);
  switch (rule) {
    case MuonScale::original:
      return std::sqrt(std::max(1.0, a / b));
    case MuonScale::match_rms_adamw:
      return 0.2 * std::sqrt(std::max(a, b));
    case MuonScale::unit_rms_norm:
      return std::sqrt(a / b);
    case MuonScale::spectral:
      return std::sqrt(std::max(a, b));
    case MuonScale::none:
      break;
  }
  return 1;
}

std::string describe(MuonScale rule) {
  switch (rule) {
    case MuonScale::original:
      return "sqrt(max(1, rows / columns)) (Keller Jordan)";
    case MuonScale::match_rms_adamw:
      return "0.2 sqrt(max(rows, columns)) (Moonshot)";
    case MuonScale::unit_rms_norm:
      return "sqrt(rows / columns) (Bernstein)";
    case MuonScale::spectral:
      return "sqrt(max(rows, columns))";
    case MuonScale::none:
      break;
  }
  return "1";
}

std::vector<Quintic> schulz_steps(SchulzTable table, size_t count) {
  switch (table) {
    case SchulzTable::quintic:
      return {quintic.begin(), quintic.begin() + std::min(count, quintic.size())};
    case SchulzTable::polar_express:
      return {polar_express.begin(), polar_express.begin() + std::min(count, polar_express.size())};
    case SchulzTable::keller_jordan:
      break;
  }
  return std::vector<Quintic>(count, keller_jordan);
}

MuonRules muon_rules_of_config(const RecordedRun& run) {
  MuonRules rules;
  if (run.config_text("optimizer.name") != "muon")
    return rules;
  rules.nesterov = flag_of(run, "optimizer.muon.nesterov");
  rules.steps = steps_of_config(run);
  rules.eps = run.config_number("optimizer.muon.eps");
  rules.scale = named_scale(run.config_text("optimizer.muon.adjust_lr"));
  if (const std::string dtype = run.config_text("optimizer.muon.ns_dtype"); !dtype.empty())
    rules.narrow = dtype == "bfloat16";
  rules.split_qkv = flag_of(run, "optimizer.muon.split_qkv") == true;
  if (flag_of(run, "architecture.fused_qkv") == true)
    rules.fused = heads_of_config(run);
  rules.by_blocks = run.config_text("optimizer.muon.sharding") == "blockwise";
  return rules;
}

MuonRules muon_rules_of_settings(const Json& settings) {
  MuonRules rules;
  if (!settings.is_object())
    return rules;
  if (const Json flag = settings.value("nesterov", Json()); flag.is_boolean())
    rules.nesterov = flag.get<bool>();
  rules.scale = named_scale(text_or(settings, "adjust_lr_fn"));
  const Json eps = settings.value("eps", Json());
  if (eps.is_number())
    rules.eps = eps.get<double>();
  const auto count = count_of(number_or(settings, "ns_steps", 0));
  const Json abc = settings.value("ns_coefficients", Json());
  if (count && abc.is_array() && abc.size() == 3 &&
      std::ranges::all_of(abc, [](const Json& each) { return each.is_number(); }))
    rules.steps =
        std::vector<Quintic>(*count, {abc[0].get<double>(), abc[1].get<double>(), abc[2].get<double>()});
  return rules;
}

std::string describe(const MuonForm& form) {
  const std::string scale = form.scale == MuonScale::none ? "no factor" : "factor " + describe(form.scale);
  const std::string steps = form.table == SchulzTable::keller_jordan
                                ? fmt::format("{} steps of Newton-Schulz", form.steps)
                                : fmt::format("{} steps of Newton-Schulz with the coefficients {}",
                                              form.steps, name_of(form.table));
  return fmt::format("{}, {}, {}", form.nesterov ? "Nesterov's momentum" : "the momentum without Nesterov's",
                     steps, scale);
}

}  // namespace parity::laws
