// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/gradients/rank_terms.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "harness/laws/run/rounding.hpp"
#include "harness/tensor/conversions.hpp"
#include "harness/tensor/part.hpp"

namespace parity::laws {
namespace {

using trace::Phase;
using trace::TensorKey;

std::vector<double> widened(const TensorView& view) {
  std::vector<double> wide(static_cast<size_t>(view.size()));
  for (size_t i = 0; i < wide.size(); ++i)
    wide[i] = widen(view.dtype, view.raw().data() + i * size_of(view.dtype));
  return wide;
}

/// Ranks that hold terms of the same elements, one rank a term.
using Groups = std::map<std::vector<std::vector<IndexRange>>, std::map<std::vector<int64_t>, int64_t>>;

Groups groups_of(const std::vector<trace::RankRow>& rows) {
  Groups groups;
  for (const trace::RankRow& row : rows)
    if (row.layout) {
      const PartCover cover = cover_of(*row.layout);
      if (!cover.term.empty())
        groups[cover.ranges].emplace(cover.term, row.rank);
    }
  return groups;
}

}  // namespace

std::vector<RankTerms> read_terms(const RecordedRun& run, int64_t step) {
  std::vector<RankTerms> list;
  for (const std::string& name : run.names(step, Phase::grad)) {
    const TensorKey local{step, Phase::grad_local, name}, reduced{step, Phase::grad, name};
    const auto rows = run.trace().rank_rows().find(local);
    if (rows == run.trace().rank_rows().end())
      continue;
    for (const auto& [ranges, ranks] : groups_of(rows->second)) {
      RankTerms terms{.name = name, .roundoff = run.roundoff(reduced)};
      for (const auto& [term, rank] : ranks) {
        const auto before = run.trace().rank_tensor(local, rank),
                   after = run.trace().rank_tensor(reduced, rank);
        if (!before || !after || before->size() != after->size())
          continue;
        terms.ranks.push_back(rank);
        terms.terms.push_back(widened(*before));
        terms.after.push_back(widened(*after));
      }
      if (terms.ranks.size() > 1 && terms.ranks.size() == ranks.size())
        list.push_back(std::move(terms));
    }
  }
  return list;
}

std::optional<std::vector<double>> fit_weights(const RankTerms& terms, const std::vector<double>& gradient) {
  const size_t n = terms.terms.size();
  std::vector<std::vector<double>> a(n, std::vector<double>(n + 1));
  const auto dot = [](const std::vector<double>& x, const std::vector<double>& y) {
    double sum = 0;
    for (size_t i = 0; i < x.size(); ++i)
      sum += x[i] * y[i];
    return sum;
  };
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j)
      a[i][j] = dot(terms.terms[i], terms.terms[j]);
    a[i][n] = dot(terms.terms[i], gradient);
  }
  for (size_t k = 0; k < n; ++k) {  // Gauss-Jordan; the matrix is symmetric and positive
    const double pivot = a[k][k];
    if (!(pivot > 1e-12 * dot(terms.terms[k], terms.terms[k])) || pivot == 0)
      return std::nullopt;
    for (size_t j = k; j <= n; ++j)
      a[k][j] /= pivot;
    for (size_t i = 0; i < n; ++i)
      for (size_t j = n + 1; i != k && j-- > k;)
        a[i][j] -= a[i][k] * a[k][j];
  }
  std::vector<double> weights(n);
  for (size_t k = 0; k < n; ++k)
    weights[k] = a[k][n];
  return weights;
}

}  // namespace parity::laws
