// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/reveal/draw.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

namespace parity::reveal {

std::string draw(const SummationTree& tree, size_t most) {
  if (tree.terms > most)
    return "";
  std::string text;
  const std::function<void(size_t, const std::string&, bool, bool)> line =
      [&](size_t node, const std::string& indent, bool last, bool is_root) {
        const std::string own = is_root ? "" : indent + (last ? "└ " : "├ ");
        text += own + (tree.is_leaf(node) ? fmt::format("{}", node) : "+") + "\n";
        std::vector<size_t> children = tree.nodes[node].children;
        std::ranges::sort(children, {}, [&](size_t child) { return tree.leaves(child).front(); });
        for (size_t k = 0; k < children.size(); ++k)
          line(children[k], is_root ? "" : indent + (last ? "  " : "│ "), k + 1 == children.size(), false);
      };
  line(tree.root, "", true, true);
  return text;
}

std::string draw_svg(const SummationTree& tree) {
  constexpr double step = 12, margin = 16;
  std::vector<double> x(tree.nodes.size()), height(tree.nodes.size());
  for (size_t leaf = 0; leaf < tree.terms; ++leaf)
    x[leaf] = margin + step * static_cast<double>(leaf);
  for (const size_t node : tree.bottom_up()) {
    const std::vector<size_t>& children = tree.nodes[node].children;
    for (const size_t child : children) {
      x[node] += x[child] / static_cast<double>(children.size());
      height[node] = std::max(height[node], height[child] + 1);
    }
  }
  const double level = std::clamp(600 / height[tree.root], 4.0, 40.0);
  const double bottom = margin + level * height[tree.root];
  std::string lines, dots;
  for (const size_t node : tree.bottom_up()) {
    const double y = bottom - level * height[node];
    for (const size_t child : tree.nodes[node].children)
      lines +=
          fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}", x[child], bottom - level * height[child], x[node], y);
    dots += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2\"/>", x[node], y);
  }
  for (size_t leaf = 0; leaf < tree.terms; ++leaf)
    if (tree.terms <= 64 || leaf % 8 == 0)
      dots += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", x[leaf], bottom + 12, leaf);
  const double width = 2 * margin + step * static_cast<double>(tree.terms - 1);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"7\" text-anchor=\"middle\" fill=\"gray\">"
      "<path d=\"{2}\" stroke=\"gray\" fill=\"none\"/>{3}</svg>\n",
      width, bottom + 2 * margin, lines, dots);
}

}  // namespace parity::reveal
