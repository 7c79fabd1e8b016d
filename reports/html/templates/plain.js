// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Plots as SVG without zoom, for a page without the plotting library next to it. Scales and colours are those of plots.js.
"use strict";

function svgNode(name, attributes = {}, text) {
  const known = document.getElementById("swatch").content.firstElementChild;
  const node = document.createElementNS(known.namespaceURI, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  return node;
}

function plainDrawing(canvas) {
  const width = canvas.clientWidth || 600, height = canvas.clientHeight || 330;
  const svg = svgNode("svg", {class: "plain", viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true"});
  canvas.replaceChildren(svg);
  return {svg, width, height};
}

// Returns about `wanted` round numbers between two numbers.
function roundNumbers(low, high, wanted) {
  const raw = (high - low) / wanted, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= raw), numbers = [];
  for (let at = Math.ceil(low / step); at * step <= high; ++at) numbers.push(Number((at * step).toPrecision(12)));
  return numbers;
}

function valueAxis(values, logarithmic, top, bottom) {
  const scale = logarithmic ? Math.log10 : (value) => value;
  const kept = values.filter((value) => isFinite_(value) && (!logarithmic || value > 0)).map(scale);
  let low = kept.reduce((a, b) => Math.min(a, b), Infinity), high = kept.reduce((a, b) => Math.max(a, b), -Infinity);
  if (!kept.length) [low, high] = [0, 1];
  if (low === high) [low, high] = [low - (Math.abs(low) || 1) / 10, high + (Math.abs(high) || 1) / 10];
  const place = (value) => bottom - 4 - (scale(value) - low) / (high - low) * (bottom - top - 8);
  const names = roundNumbers(low, high, 6).map((at) => logarithmic ? 10 ** at : at);
  return {place, ticks: names.map((value) => [place(value), String(Number(value.toPrecision(3)))])};
}

function gapAxis(curve, scale, logarithmic, top, bottom) {
  if (!logarithmic) return valueAxis([0, ...curve.gap.flatMap(([, values]) => values)], false, top, bottom);
  const [low, high] = scale.range, {values, texts} = gapTicks(scale);
  const place = (value) => bottom - (Math.log10(value) - low) / (high - low) * (bottom - top);
  const raised = (digits) => [...digits].map((digit) => digit === "−" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]).join("");
  const words = (text) => text.replace(/<sup>(.*)<.sup>/, (_, digits) => raised(digits));
  return {place, ticks: values.map((value, i) => [place(value), words(texts[i])])};
}

// Returns a line through the points that have a place on the axis, with gaps elsewhere.
function pathThrough(lefts, tops) {
  let d = "", drawing = false;
  tops.forEach((top, i) => {
    if (Number.isFinite(top)) d += `${drawing ? "L" : "M"}${lefts[i].toFixed(1)} ${top.toFixed(1)}`;
    drawing = Number.isFinite(top);
  });
  return d;
}

function armPath(svg, arm, lefts, tops, gap) {
  const style = styleOf(arm), colour = `var(${colourName(arm)})`;
  svg.append(svgNode("path", {d: pathThrough(lefts, tops), style: `stroke: ${colour}`, "stroke-dasharray": style.svg,
    "stroke-width": gap ? 1.5 : style.width, "stroke-opacity": gap ? 1 : style.opacity}));
  if (lefts.length > 80) return;
  tops.forEach((top, i) => {
    if (Number.isFinite(top)) svg.append(svgNode("circle", {class: "dot", cx: lefts[i], cy: top, r: gap ? 3 : style.size / 3, style: `fill: ${colour}`, "fill-opacity": gap ? 1 : style.opacity}));
  });
}

function plainTicks(svg, ticks, left, right) {
  for (const [top, text] of ticks)
    svg.append(svgNode("path", {class: "rule", d: `M${left} ${top}H${right}`}), svgNode("text", {x: left - 6, y: top + 4, "text-anchor": "end"}, text));
}

function plainGap(svg, data, curve, view, {lefts, left, right, top, bottom}) {
  const scale = gapScale(curve), axis = gapAxis(curve, scale, view.logarithmic, top, bottom);
  const place = (value) => value === 0 && view.logarithmic ? axis.place(scale.zero) : typeof value === "string" ? top : value === null ? NaN : axis.place(value);
  const floors = hasFloors(curve) ? curve.bounds.map((bound) => bound.floor) : hasTwinNoise(curve) ? [curve.floor] : [];
  for (const floor of floors) {
    const tops = floor.map((value) => hasPlace(value) ? Math.min(bottom, axis.place(value)) : bottom);
    svg.append(svgNode("path", {class: "band", d: `${pathThrough(lefts, tops)}L${right} ${bottom}H${left}Z`}));
  }
  plainTicks(svg, axis.ticks, left, right);
  for (const {limit} of curve.bounds)
    svg.append(svgNode("path", {class: "bound", d: pathThrough(lefts, limit.map((value) => hasPlace(value) ? axis.place(value) : NaN))}));
  for (const [arm, values] of curve.gap)
    if (!view.hidden.has(arm)) armPath(svg, arm, lefts, values.map(place), true);
  svg.append(svgNode("text", {x: left, y: top - 8}, `gap to ${data.arms[data.reference] ?? "the reference"}`));
}

function plainCurve(canvas, data, curve, view) {
  const {svg, width, height} = plainDrawing(canvas), left = 58, right = width - 12, bottom = height - 34;
  const first = curve.steps[0], last = curve.steps[curve.steps.length - 1], hasGap = curve.gap.length > 0;
  const xOf = (step) => left + 8 + (step - first) / Math.max(1, last - first) * (right - left - 16);
  const lefts = curve.steps.map(xOf), middle = hasGap ? 6 + 0.57 * (bottom - 6) : bottom;
  const shownSeries = curve.series.filter(([arm]) => !view.hidden.has(arm));
  const axis = valueAxis(shownSeries.flatMap(([, values]) => values), view.logValues, 6, middle);
  plainTicks(svg, axis.ticks, left, right);
  for (const [arm, values] of shownSeries) {
    armPath(svg, arm, lefts, values.map((value) => isFinite_(value) && (value > 0 || !view.logValues) ? axis.place(value) : NaN), false);
    values.forEach((value, i) => {
      if (typeof value === "string") svg.append(svgNode("path", {class: "bad", d: `M${lefts[i] - 4} 8l8 8m0-8l-8 8`}));
    });
  }
  if (hasGap) plainGap(svg, data, curve, view, {lefts, left, right, top: 6 + 0.66 * (bottom - 6), bottom});
  const steps = last - first <= 12 ? curve.steps : roundNumbers(first, last, 8);
  for (const step of steps) svg.append(svgNode("text", {x: xOf(step), y: height - 18, "text-anchor": "middle"}, step));
  svg.append(svgNode("text", {x: (left + right) / 2, y: height - 3, "text-anchor": "middle"}, "step"));
}

// Draws cells between edges. [left, top] is the corner of the drawing.
function plainCells(canvas, across, down, colourOf, square) {
  const {svg, width, height} = plainDrawing(canvas), left = 58, top = 8, room = {x: width - left - 12, y: height - top - 38};
  if (square) room.x = room.y = Math.min(room.x, room.y);
  const xOf = (edge) => left + (edge - across[0]) / (across[across.length - 1] - across[0]) * room.x;
  const yOf = (edge) => top + (edge - down[0]) / (down[down.length - 1] - down[0]) * room.y;
  for (let r = 0; r + 1 < down.length; ++r)
    for (let c = 0; c + 1 < across.length; ++c) {
      const colour = colourOf(r, c);
      if (colour) svg.append(svgNode("rect", {x: xOf(across[c]), y: yOf(down[r]), width: xOf(across[c + 1]) - xOf(across[c]), height: yOf(down[r + 1]) - yOf(down[r]), style: `fill: ${colour}`}));
    }
  svg.append(svgNode("rect", {x: left, y: top, width: room.x, height: room.y, style: "fill: none; stroke: var(--line)"}));
  for (const edge of roundNumbers(across[0], across[across.length - 1], 5)) svg.append(svgNode("text", {x: xOf(edge), y: top + room.y + 14, "text-anchor": "middle"}, edge));
  return {svg, left, top, room, yOf};
}

function plainHeat(canvas, picture) {
  const {low, high} = heatScale(picture), last = 3;
  const colourOf = (value) => {
    if (typeof value === "string") return "var(--fail)";
    if (!isFinite_(value) || value <= 0) return "";
    const at = Math.min(last, Math.max(0, (Math.log10(value) - low) / (high - low) * last)), from = Math.min(last - 1, Math.floor(at));
    return `color-mix(in srgb, var(--heat-${from + 1}) ${Math.round(100 * (at - from))}%, var(--heat-${from}))`;
  };
  const {svg, left, top, room, yOf} = plainCells(canvas, [...picture.column_starts, picture.columns], [...picture.row_starts, picture.rows], (r, c) => colourOf(picture.cells[r][c]));
  svg.append(svgNode("text", {x: left + room.x / 2, y: top + room.y + 28, "text-anchor": "middle"}, picture.estimated ? "flat element" : "column"));
  if (picture.cells.length >= 4)
    for (const edge of roundNumbers(0, picture.rows, 5)) svg.append(svgNode("text", {x: left - 6, y: yOf(edge) + 4, "text-anchor": "end"}, edge));
}

function plainMask(canvas, mask) {
  const kinds = pairKinds(mask), colours = maskColourNames(mask.arms), edges = Array.from({length: kinds.length + 1}, (_, i) => mask.first_token + i);
  const {svg, left, top, room, yOf} = plainCells(canvas, edges, edges, (r, c) => kinds[r][c] ? `var(${colours[kinds[r][c]]})` : "", true);
  svg.append(svgNode("text", {x: left + room.x / 2, y: top + room.y + 28, "text-anchor": "middle"}, "key"));
  for (const edge of roundNumbers(edges[0], edges[edges.length - 1], 5)) svg.append(svgNode("text", {x: left - 6, y: yOf(edge) + 4, "text-anchor": "end"}, edge));
}
