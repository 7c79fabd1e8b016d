// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Curves of a case: the arms' values above, their gap to the reference below, on one axis of steps.
"use strict";

// Arms that coincide stay visible: the first is a broad pale line, and the others are thin, dashed lines on it.
const armStyles = [
  {dash: "solid", width: 7, opacity: 0.45, symbol: "circle", size: 9, svg: ""},
  {dash: "dash", width: 2, opacity: 1, symbol: "diamond", size: 6, svg: "7 4"},
  {dash: "dot", width: 2.5, opacity: 1, symbol: "square", size: 5, svg: "2 3"},
  {dash: "dashdot", width: 2, opacity: 1, symbol: "triangle-up", size: 7, svg: "7 3 2 3"},
  {dash: "longdash", width: 2, opacity: 1, symbol: "cross", size: 7, svg: "11 4"},
  {dash: "longdashdot", width: 2, opacity: 1, symbol: "triangle-down", size: 7, svg: "11 3 2 3"},
  {dash: "solid", width: 1.5, opacity: 1, symbol: "x", size: 6, svg: ""},
];
// Later arms repeat the dashes in the next colours. The broad line is not repeated, since there is one reference.
const roundOf = (arm) => arm < armStyles.length ? 0 : 1 + Math.floor((arm - armStyles.length) / (armStyles.length - 1));
const styleIndex = (arm) => roundOf(arm) === 0 ? arm : 1 + (arm - armStyles.length) % (armStyles.length - 1);
const styleOf = (arm) => armStyles[styleIndex(arm)];
const colourName = (arm) => `--arm-${(styleIndex(arm) + roundOf(arm)) % armStyles.length}`;
const themeValue = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// Escapes a name, since Plotly interprets some HTML in texts.
const plotText = (text) => String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
const isFinite_ = (value) => typeof value === "number";
const shown = (value) => value === null ? "none" : value === 0 ? "0" : String(value);

function armSwatch(arm) {
  const style = styleOf(arm);
  const svg = document.getElementById("swatch").content.firstElementChild.cloneNode(true);
  for (const [key, value] of Object.entries({"stroke-width": style.width, "stroke-opacity": style.opacity,
    "stroke-dasharray": style.svg, style: `stroke: var(${colourName(arm)})`}))
    svg.firstElementChild.setAttribute(key, value);
  return svg;
}

// A floor or bound of 0 demands equal bits, and is not drawn. Measured floors decide, so they replace the twins' noise.
const hasPlace = (value) => isFinite_(value) && value > 0;
const hasFloors = (curve) => curve.bounds.some((bound) => bound.floor.some(hasPlace));
const hasTwinNoise = (curve) => !hasFloors(curve) && curve.floor.some(hasPlace);

// Returns the places of the gap's values on the log axis. Zeros are on a line of their own below the smallest value,
// labelled 0. Values that are not finite are above the largest.
function gapScale(curve) {
  const positive = [];
  let zeros = false, nonFinite = false;
  const pairs = curve.bounds.filter((bound) => !bound.to_reference);
  for (const values of [...curve.gap.map((entry) => entry[1]), ...pairs.map((bound) => bound.gap), ...(hasFloors(curve) ? [] : [curve.floor])])
    for (const value of values) {
      if (isFinite_(value) && value > 0) positive.push(value);
      if (value === 0) zeros = true;
      if (typeof value === "string") nonFinite = true;
    }
  positive.push(...curve.bounds.flatMap((bound) => [...bound.floor, ...bound.limit]).filter(hasPlace));
  if (!positive.length) return {flat: true, nonFinite, zero: 1, top: 100, range: [-1, nonFinite ? 3 : 1]};
  const low = Math.floor(Math.log10(Math.min(...positive)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...positive))));
  const step = Math.max(1, (high - low) / 5);
  return {flat: false, nonFinite, zeros, low, high, step: Math.ceil(step), zero: 10 ** (low - step),
    top: 10 ** (high + step), bottom: low - (zeros ? 1.6 * step : 0.2),
    range: [low - (zeros ? 1.6 * step : 0.2), high + (nonFinite ? 1.6 * step : 0.25)]};
}

function gapTicks(scale) {
  const values = [], texts = [];
  if (scale.flat || scale.zeros) { values.push(scale.zero); texts.push("0"); }
  if (!scale.flat)
    for (let decade = scale.low; decade <= scale.high; decade += scale.step) {
      values.push(10 ** decade);
      texts.push(`10<sup>${String(decade).replace("-", "−")}</sup>`);
    }
  if (scale.nonFinite) { values.push(scale.top); texts.push("nan"); }
  return {values, texts};
}

function valueTraces(data, curve, hidden) {
  const traces = [], dots = curve.steps.length <= 80 ? "lines+markers" : "lines";
  const finite = curve.series.flatMap(([, values]) => values.filter(isFinite_));
  const top = finite.length ? Math.max(...finite) : 1;
  for (const [arm, values] of curve.golden)
    if (!hidden.has(arm))
      traces.push({x: curve.steps, y: values.map((v) => isFinite_(v) ? v : null), mode: "markers", yaxis: "y",
        name: plotText(`${data.arms[arm]}, golden`), customdata: values.map(shown),
        hovertemplate: "%{customdata}",
        marker: {symbol: "line-ew-open", size: curve.steps.length <= 80 ? 13 : 3, line: {width: 2}, color: themeValue("--muted")}});
  for (const [arm, values] of curve.series) {
    if (hidden.has(arm)) continue;
    const style = styleOf(arm), colour = themeValue(colourName(arm)), name = plotText(data.arms[arm]);
    traces.push({x: curve.steps, y: values.map((v) => isFinite_(v) ? v : null), mode: dots, yaxis: "y", name,
      opacity: style.opacity, customdata: values.map(shown), hovertemplate: "%{customdata}",
      line: {color: colour, width: style.width, dash: style.dash},
      marker: {color: colour, size: style.size, symbol: style.symbol}});
    const bad = curve.steps.filter((_, i) => typeof values[i] === "string");
    if (bad.length)
      traces.push({x: bad, y: bad.map(() => top), mode: "markers", yaxis: "y", name,
        customdata: values.filter((v) => typeof v === "string"), hovertemplate: "%{customdata}",
        marker: {color: themeValue("--fail"), size: 9, symbol: "x"}});
  }
  return traces;
}

// Returns a band from the bottom of the gap's axis up to the values.
function bandTraces(curve, values, name, bottom) {
  return [{x: curve.steps, y: values.map(() => bottom), yaxis: "y2", mode: "lines", line: {width: 0}, hoverinfo: "skip"},
    {x: curve.steps, y: values.map((v) => hasPlace(v) ? v : bottom), yaxis: "y2", mode: "lines", fill: "tonexty", name,
      customdata: values.map(shown), hovertemplate: "%{customdata}", fillcolor: themeValue("--faint"),
      line: {width: 1, color: themeValue("--muted"), dash: "dot"}}];
}

const armOf = (bound) => bound.arms[bound.arms.length - 1];

// Returns measured floors as bands, and the bounds that follow from them as lines in the colour of the arm that they
// judge. Equal floors and bounds of several pairs are drawn once.
function boundTraces(curve, hidden, bottom) {
  const traces = [], seen = new Set();
  const isNew = (kind, values) => values.some(hasPlace) && seen.size < seen.add(kind + values).size;
  const wanted = curve.bounds.filter((bound) => !bound.arms.some((arm) => hidden.has(arm)));
  for (const bound of wanted)
    if (isNew("floor", bound.floor))
      traces.push(...bandTraces(curve, bound.floor, plotText(`floor, ${bound.label}`), bottom));
  for (const bound of wanted)
    if (isNew("limit", bound.limit))
      traces.push({x: curve.steps, y: bound.limit.map((v) => hasPlace(v) ? v : null), yaxis: "y2", mode: "lines",
        name: plotText(`bound, ${bound.label}`), customdata: bound.limit.map(shown), hovertemplate: "%{customdata}",
        line: {color: themeValue(colourName(armOf(bound))), width: 1.5, dash: "8px,3px"}});
  return traces;
}

function gapTraces(data, curve, hidden, logarithmic, scale) {
  const bottom = logarithmic ? 10 ** scale.bottom : 0;
  const traces = hasTwinNoise(curve) ? bandTraces(curve, curve.floor, plotText(data.band || "rounding noise"), bottom) : [];
  traces.push(...boundTraces(curve, hidden, bottom));
  const place = (v) => v === null ? null : typeof v === "string" ? (logarithmic ? scale.top : null)
    : logarithmic && v === 0 ? scale.zero : v;
  const pairs = curve.bounds.filter((bound) => !bound.to_reference && !bound.arms.some((arm) => hidden.has(arm)));
  const gaps = [...curve.gap.map(([arm, values]) => [arm, values, `gap of ${data.arms[arm]}`]),
    ...pairs.map((bound) => [armOf(bound), bound.gap, `gap of ${bound.label}`, "-open"])];
  for (const [arm, values, name, open = ""] of gaps) {
    if (hidden.has(arm)) continue;
    const style = styleOf(arm), colour = themeValue(colourName(arm));
    traces.push({x: curve.steps, y: values.map(place), yaxis: "y2", mode: "lines+markers",
      name: plotText(name), customdata: values.map((v) => v === 0 ? "0, identical" : shown(v)),
      hovertemplate: "%{customdata}", line: {color: colour, width: 1.5, dash: style.dash},
      marker: {color: values.map((v) => typeof v === "string" ? themeValue("--fail") : v === 0 ? themeValue("--surface") : colour),
        symbol: values.map((v) => typeof v === "string" ? "x" : style.symbol + open),
        size: curve.steps.length <= 80 ? 7 : 4, line: {color: colour, width: 1.5}}});
  }
  return traces;
}

// Returns the axis of a curve whose values are all equal: one labelled tick in the middle. Plotly would label the
// numbers from one below the value to one above it.
function axisOfConstant(curve, logValues) {
  const values = [...curve.series, ...curve.golden].flatMap(([, all]) => all.filter(isFinite_));
  const value = values[0];
  if (!values.length || values.some((each) => each !== value) || (logValues && value <= 0)) return {};
  const margin = value === 0 ? 1 : Math.abs(value) / 2;
  const range = logValues ? [Math.log10(value) - 0.5, Math.log10(value) + 0.5] : [value - margin, value + margin];
  return {range, tickvals: [value], ticktext: [String(value)]};
}

function plotLayout(data, curve, {logarithmic, logValues, still}, scale) {
  const grid = themeValue("--faint"), muted = themeValue("--muted"), hasGap = curve.gap.length > 0;
  const axis = {gridcolor: grid, linecolor: grid, zeroline: false, automargin: false, fixedrange: still,
    exponentformat: "power", minexponent: 3, tickfont: {color: muted, size: 11}};
  const first = curve.steps[0], last = curve.steps[curve.steps.length - 1];
  const layout = {
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", showlegend: false, hovermode: "x unified",
    hoversubplots: "axis", margin: {l: 58, r: 8, t: 6, b: 36}, dragmode: still ? false : "zoom",
    font: {family: getComputedStyle(document.body).fontFamily, color: themeValue("--text"), size: 12},
    hoverlabel: {bgcolor: themeValue("--surface"), bordercolor: themeValue("--line"), font: {color: themeValue("--text"), size: 12}},
    xaxis: {...axis, anchor: hasGap ? "y2" : "y", title: {text: "step", font: {size: 11, color: muted}, standoff: 6},
      range: [first - 0.03 * Math.max(1, last - first), last + 0.03 * Math.max(1, last - first)],
      dtick: last - first <= 12 ? 1 : undefined, tickformat: "d", showspikes: false},
    yaxis: {...axis, domain: hasGap ? [0.43, 1] : [0, 1], nticks: 6, ...(logValues ? {type: "log", uirevision: "log"} : {})},
    annotations: [], uirevision: "kept",
    modebar: {bgcolor: "rgba(0,0,0,0)", color: muted, activecolor: themeValue("--text")},
  };
  Object.assign(layout.yaxis, axisOfConstant(curve, logValues));
  if (!hasGap) return layout;
  const others = `gap to ${plotText(data.arms[data.reference] ?? "the reference")}`;
  layout.annotations.push({text: others, xref: "paper", yref: "paper", x: 0, y: 0.365, xanchor: "left", yanchor: "bottom",
    showarrow: false, font: {size: 11, color: muted}});
  layout.yaxis2 = {...axis, domain: [0, 0.34], nticks: 4, rangemode: "tozero", uirevision: logarithmic};
  if (!logarithmic) return layout;
  const ticks = gapTicks(scale);
  Object.assign(layout.yaxis2, {type: "log", range: scale.range, tickvals: ticks.values, ticktext: ticks.texts});
  if (scale.flat && !scale.nonFinite)
    layout.annotations.push({text: "identical at every step", xref: "paper", yref: "paper", x: 0.5, y: 0.25, xanchor: "center",
      showarrow: false, font: {size: 12, color: muted}});
  return layout;
}

// Draws or redraws a figure. `view`: {hidden: Set of arms, logarithmic: of the gap, logValues, still}.
function drawPlot(canvas, data, curve, view) {
  const scale = gapScale(curve);
  const traces = [...valueTraces(data, curve, view.hidden), ...gapTraces(data, curve, view.hidden, view.logarithmic, scale)];
  const layout = plotLayout(data, curve, view, scale);
  canvas.dataset.whole = layout.xaxis.range.join(" ");
  return Plotly.react(canvas, traces, layout, {
    responsive: true, displaylogo: false, displayModeBar: view.still ? false : "hover",
    modeBarButtons: [["toImage", "zoom2d", "pan2d", "resetScale2d"]],
  });
}
