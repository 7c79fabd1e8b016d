// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Maps of a tensor's differences. A cell shows its largest |difference|, on a log scale. Equal cells stay empty.
"use strict";

const heatColours = () => [0, 1, 2, 3].map((i) => themeValue(`--heat-${i}`));

// Returns "rows 12-17", or "row 12" if the cell has one row.
function spanWords(noun, starts, size, cell) {
  const first = starts[cell], last = (starts[cell + 1] ?? size) - 1;
  return first === last ? `${noun} ${first}` : `${noun}s ${first}-${last}`;
}

function heatWords(picture) {
  const column = picture.estimated ? "flat element" : "column";
  return picture.cells.map((row, r) => row.map((value, c) => {
    const where = spanWords(column, picture.column_starts, picture.columns, c);
    return `${picture.estimated ? "" : `${spanWords("row", picture.row_starts, picture.rows, r)}, `}${where}: ${value === 0 ? "0, identical" : value}`;
  }));
}

// Returns the log10 range of the differences, and at most 6 of its decades as ticks.
function heatScale(picture) {
  const sizes = picture.cells.flat().filter((value) => isFinite_(value) && value > 0).map(Math.log10);
  if (!sizes.length) return {low: -1, high: 0, ticks: []};
  const largest = sizes.reduce((a, b) => Math.max(a, b)), smallest = sizes.reduce((a, b) => Math.min(a, b));
  const low = smallest === largest ? smallest - 1 : smallest, every = Math.max(1, Math.ceil((largest - low) / 6));
  const ticks = [];
  for (let decade = Math.ceil(low); decade <= largest; decade += every) ticks.push(decade);
  return {low, high: largest, ticks};
}

function heatAxis(title, still) {
  const muted = themeValue("--muted");
  return {title: {text: title, font: {size: 11, color: muted}, standoff: 6}, gridcolor: "rgba(0,0,0,0)", zeroline: false,
    linecolor: themeValue("--line"), mirror: true, showline: true, fixedrange: still, tickfont: {color: muted, size: 11}, tickformat: "d", nticks: 6};
}

function drawHeat(canvas, picture, still) {
  const {low, high, ticks} = heatScale(picture), muted = themeValue("--muted"), colours = heatColours();
  const edges = (starts, size) => [...starts, size];
  const strip = picture.cells.length < 4;
  const common = {type: "heatmap", x: edges(picture.column_starts, picture.columns), y: edges(picture.row_starts, picture.rows),
    customdata: heatWords(picture), hovertemplate: "%{customdata}<extra></extra>", hoverongaps: false, xgap: 0, ygap: 0};
  const traces = [{...common, z: picture.cells.map((row) => row.map((v) => v === 0 ? 0 : null)), showscale: false,
    colorscale: [[0, themeValue("--surface")], [1, themeValue("--surface")]]},
  {...common, z: picture.cells.map((row) => row.map((v) => isFinite_(v) && v > 0 ? Math.log10(v) : null)), zmin: low, zmax: high,
    colorscale: colours.map((colour, i) => [i / (colours.length - 1), colour]),
    colorbar: {thickness: 10, outlinewidth: 0, len: 1, x: 1.01, tickvals: ticks, ticktext: ticks.map((t) => `10<sup>${String(t).replace("-", "−")}</sup>`),
      tickfont: {color: muted, size: 11}}}];
  if (picture.cells.flat().some((v) => typeof v === "string"))
    traces.push({...common, z: picture.cells.map((row) => row.map((v) => typeof v === "string" ? 1 : null)), showscale: false,
      colorscale: [[0, themeValue("--fail")], [1, themeValue("--fail")]]});
  return Plotly.react(canvas, traces, {
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", margin: {l: strip ? 12 : 58, r: 60, t: 12, b: 38},
    dragmode: still ? false : "zoom", font: {family: getComputedStyle(document.body).fontFamily, color: themeValue("--text"), size: 12},
    hoverlabel: {bgcolor: themeValue("--surface"), bordercolor: themeValue("--line"), font: {color: themeValue("--text"), size: 12}},
    xaxis: {...heatAxis(picture.estimated ? "flat element" : "column", still), range: [0, picture.columns]},
    yaxis: {...heatAxis(strip ? "" : "row", still), range: [picture.rows, 0], showticklabels: !strip},
    modebar: {bgcolor: "rgba(0,0,0,0)", color: muted, activecolor: themeValue("--text")},
  }, {responsive: true, displaylogo: false, displayModeBar: still ? false : "hover",
    modeBarButtons: [["toImage", "zoom2d", "pan2d", "resetScale2d"]]});
}
