// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/golden/evidence_binding.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/compare/judged_values.hpp"

namespace parity::golden {
namespace {

std::string golden_digest(const GoldenArm& arm, const std::string& name) {
  return content_digest({{name, arm}});
}

constexpr std::string_view of_channels = "channels ";  // prefix of the digest of an arm that the golden lacks

/// Returns whether an arm's run may be used as evidence.
bool is_whole(const compare::ArmEvidence& arm) {
  return !arm.crashed && arm.failure.empty() && arm.trace && arm.trace->complete() &&
         arm.trace->faults().empty() && !arm.trace->failure() && !arm.resolved.empty();
}

bool is_finite(const compare::TwinEvidence& twins) {
  return std::ranges::all_of(twins.measures, [](const compare::TwinMeasure& each) {
    return each.broken.empty() && std::isfinite(each.gap) && std::isfinite(each.norm) &&
           std::isfinite(each.floor) && std::isfinite(each.distance_a) && std::isfinite(each.distance_b) &&
           std::ranges::all_of(each.noise, [](double value) { return std::isfinite(value); });
  });
}

/// Returns the rules about twins that are younger than stored evidence and concern this run, as a suffix of
/// what determines it. Evidence without them does not stand, so its twins run again.
std::string twin_rules(const trace::Trace& trace) {
  const auto key = [&](const char* path) { return trace.config().value(Json::json_pointer(path), Json()); };
  std::string rules;
  if (key("/train/float8") == "first")
    rules += " cut weights";
  if (key("/data/source") == "rollouts")
    rules += " same batches";
  if (trace.channels().contains("update_skipped"))
    rules += " same updates";
  return rules;
}

std::string claim_of_check(const compare::Check& check) {
  return fmt::format("{} {}: {}", check.quantity(), name_of(check.relation), fmt::join(check.arms, ", "));
}

/// Returns the content digests of everything that a golden stores, including its variants.
std::set<std::string> stored_digests(const Golden& golden) {
  std::set<std::string> digests;
  for (const auto& [name, arm] : golden.arms)
    digests.insert(golden_digest(arm, name));
  for (const GoldenContent& variant : golden.variants)
    for (const auto& [name, arm] : variant)
      digests.insert(golden_digest(arm, name));
  return digests;
}

/// Returns whether two records are about the same check in the same state of the arms; only one of them is
/// kept.
bool same_subject(const EvidenceRecord& a, const EvidenceRecord& b) {
  return a.binding.check == b.binding.check &&
         std::ranges::equal(a.binding.arms, b.binding.arms, {}, &ArmBinding::golden, &ArmBinding::golden);
}

/// Returns whether all that a record is bound to is still in the golden. An arm that the golden does not
/// store can have other bits only in another environment. For the current environment, fresh records replace
/// the old ones.
bool still_bound(const EvidenceRecord& record, const std::set<std::string>& stored,
                 const std::vector<EvidenceRecord>& fresh) {
  const auto outside = [](const ArmBinding& arm) { return arm.golden.starts_with(of_channels); };
  if (!std::ranges::all_of(record.binding.arms, [&](const ArmBinding& arm) {
        return outside(arm) || stored.contains(arm.golden);
      }))
    return false;
  return std::ranges::none_of(record.binding.arms, outside) ||
         std::ranges::none_of(fresh, [&](const EvidenceRecord& each) {
           return each.binding.check == record.binding.check &&
                  each.origin.environment == record.origin.environment;
         });
}

/// Returns a sort key, so that records have the same order wherever they were recorded.
std::vector<std::string> order_of(const EvidenceRecord& record) {
  std::vector<std::string> keys = {record.claim, record.binding.check};
  for (const ArmBinding& arm : record.binding.arms)
    keys.insert(keys.end(), {arm.golden, arm.judged, arm.resolved});
  return keys;
}

}  // namespace

std::optional<EvidenceBinding> evidence_binding(const compare::Check& check, const Golden& golden,
                                                const std::map<std::string, compare::ArmEvidence>& arms) {
  const std::vector<std::string> names = check.all_arms();
  const auto bindable = [&](const std::string& name) {
    const auto arm = arms.find(name);
    return arm != arms.end() && is_whole(arm->second) &&
           (!golden.arms.contains(name) || agrees_with_golden(golden, name, arm->second));
  };
  if (!golden.intact() || !std::ranges::all_of(names, bindable))
    return std::nullopt;
  const auto judged = judged_digests(check, arms);
  if (!judged)
    return std::nullopt;
  EvidenceBinding binding = {check_digest(check), {}};
  for (size_t i = 0; i < names.size(); ++i) {
    const compare::ArmEvidence& arm = arms.at(names[i]);
    binding.arms.push_back(
        {names[i], arm.resolved + twin_rules(*arm.trace),
         golden.arms.contains(names[i])
             ? golden_digest(golden.side_for(names[i], fingerprint_of(*arm.trace)), names[i])
             : std::string(of_channels) + compare::channels_digest(*arm.trace),
         judged->at(i)});
  }
  return binding;
}

const EvidenceRecord* find_evidence(const GoldenEvidence& evidence, const EvidenceBinding& binding) {
  const auto found = std::ranges::find(evidence.records, binding, &EvidenceRecord::binding);
  return found == evidence.records.end() ? nullptr : &*found;
}

GoldenEvidence renewed_evidence(const GoldenEvidence& before, const Golden& golden,
                                const std::map<std::string, compare::ArmEvidence>& arms,
                                const std::vector<FreshEvidence>& fresh) {
  GoldenEvidence renewed;
  std::set<std::string> checks;
  for (const FreshEvidence& each : fresh) {
    const auto binding = evidence_binding(each.check, golden, arms);
    if (!binding || !is_finite(each.twins) || find_evidence(renewed, *binding))
      continue;
    checks.insert(binding->check);
    const EvidenceRecord* known = find_evidence(before, *binding);
    const bool same = known && known->twins == each.twins && known->verdict == each.verdict;
    renewed.records.push_back(same ? *known
                                   : EvidenceRecord{claim_of_check(each.check), *binding, each.verdict,
                                                    each.collapse_log2, each.twins, each.origin});
  }
  const std::set<std::string> stored = stored_digests(golden);
  const std::vector<EvidenceRecord> own = renewed.records;
  for (const EvidenceRecord& old : before.records) {
    const bool current = checks.contains(old.binding.check) && still_bound(old, stored, own);
    const bool replaced =
        std::ranges::any_of(own, [&](const EvidenceRecord& record) { return same_subject(record, old); });
    if (current && !replaced)
      renewed.records.push_back(old);
  }
  std::ranges::sort(renewed.records, {}, order_of);
  return renewed;
}

}  // namespace parity::golden
