// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Pictures of attention masks: queries down, keys across. A cell is a pair that attends. Its colour shows in which arms.
"use strict";

const pairWords = (arms) => arms.length === 1 ? ["no", "yes", "", ""]
  : ["in neither", "in both", `only in ${arms[0]}`, `only in ${arms[1]}`];

// Returns a row for each query with a kind for each key: 0 attends in neither arm, 1 in both, 2 only in the first, 3 only
// in the second. It is null for a later key, to which no token attends.
function pairKinds(mask) {
  const attends = (side, q, kv) => mask.documents[side][q] === mask.documents[side][kv] &&
    (!mask.first_keys || mask.first_token + kv >= mask.first_keys[side][q]);
  const tokens = mask.documents[0], last = mask.documents.length - 1;
  return tokens.map((_, q) => tokens.map((_, kv) => {
    if (kv > q) return null;
    const inFirst = attends(0, q, kv), inSecond = attends(last, q, kv);
    return inFirst ? (inSecond ? 1 : 2) : inSecond ? 3 : 0;
  }));
}

// Returns the colour of each kind. `arms` are positions of the case's arms, whose curves have the same colours.
const maskColourNames = (arms) => ["--surface", "--mask-both", ...arms.map(colourName)];

// Returns the legend of two masks: a coloured square and a label for each kind that the picture shows.
function maskKey(mask, names) {
  const colours = maskColourNames(mask.arms), present = new Set(pairKinds(mask).flat());
  const entries = mask.arms.length < 2 ? [] : pairWords(names).map((words, kind) => [kind, words]);
  return entries.filter(([kind]) => kind > 0 && present.has(kind)).map(([kind, words]) => {
    const entry = document.createElement("span"), square = document.createElement("i");
    square.style.background = `var(${colours[kind]})`;
    entry.append(square, words);
    return entry;
  });
}

function drawMask(canvas, mask, names, still) {
  const kinds = pairKinds(mask), words = pairWords(names).map(plotText), muted = themeValue("--muted");
  const tokens = mask.documents[0].map((_, i) => mask.first_token + i);
  const colours = maskColourNames(mask.arms).map(themeValue), scale = colours.flatMap((colour, i) => [[i / colours.length, colour], [(i + 1) / colours.length, colour]]);
  const axis = {gridcolor: "rgba(0,0,0,0)", linecolor: themeValue("--line"), zeroline: false, fixedrange: still, tickformat: "d",
    tickfont: {color: muted, size: 11}, constrain: "domain"};
  return Plotly.react(canvas, [{type: "heatmap", x: tokens, y: tokens, z: kinds, zmin: -0.5, zmax: colours.length - 0.5, colorscale: scale,
    showscale: false, xgap: tokens.length <= 48 ? 1 : 0, ygap: tokens.length <= 48 ? 1 : 0,
    customdata: kinds.map((row) => row.map((kind) => kind === null ? "" : words[kind])), hoverongaps: false,
    hovertemplate: "query %{y}, key %{x}: %{customdata}<extra></extra>"}], {
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", margin: {l: 58, r: 8, t: 6, b: 36},
    dragmode: still ? false : "zoom", font: {family: getComputedStyle(document.body).fontFamily, color: themeValue("--text"), size: 12},
    hoverlabel: {bgcolor: themeValue("--surface"), bordercolor: themeValue("--line"), font: {color: themeValue("--text"), size: 12}},
    xaxis: {...axis, title: {text: "key", font: {size: 11, color: muted}, standoff: 6}},
    yaxis: {...axis, autorange: "reversed", scaleanchor: "x", title: {text: "query", font: {size: 11, color: muted}, standoff: 6}},
    modebar: {bgcolor: "rgba(0,0,0,0)", color: muted, activecolor: themeValue("--text")},
  }, {responsive: true, displaylogo: false, displayModeBar: still ? false : "hover",
    modeBarButtons: [["toImage", "zoom2d", "pan2d", "resetScale2d"]]});
}
