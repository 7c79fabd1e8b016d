// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// The page. It draws plots when they come near the window, builds tables when they are opened, filters and sorts.
(() => {
  const parsed = (id) => JSON.parse(document.getElementById(id).textContent);
  const sections = [...document.querySelectorAll(".case")], cases = [];
  const dataOf = (number) => cases[number] ??= parsed(`data-${number}`);
  let texts;
  const text = (number) => (texts ??= parsed("texts"))[number];
  const spoken = document.getElementById("spoken");
  const still = matchMedia("(pointer: coarse)").matches;
  const views = sections.map(() => ({hidden: new Set(), logarithmic: true, logValues: false, still}));
  const caseOf = (node) => Number(node.closest(".case").dataset.case);

  // --- plots ---------------------------------------------------------------------------------------

  const mostPrinted = 150;  // plots in a print; without a limit, hundreds of cases would take minutes
  const curveOf = (canvas) => dataOf(caseOf(canvas)).curves[Number(canvas.closest(".plot").dataset.curve)];

  const maskOf = (figure) => dataOf(caseOf(figure)).masks[Number(figure.dataset.mask)];
  const namesOf = (figure) => maskOf(figure).arms.map((arm) => dataOf(caseOf(figure)).arms[arm]);

  const pictureOf = (figure) => dataOf(caseOf(figure)).pictures[figure.dataset.check];

  const canvases = canvasesOf((canvas, plain) => {
    const figure = canvas.parentElement;
    if (plain) return drawPlain(canvas, figure);
    if (figure.matches(".mask")) return drawMask(canvas, maskOf(figure), namesOf(figure), still);
    if (figure.matches(".heat")) return drawHeat(canvas, pictureOf(figure), still);
    return drawPlot(canvas, dataOf(caseOf(canvas)), curveOf(canvas), views[caseOf(canvas)]);
  });

  function drawPlain(canvas, figure) {
    if (figure.matches(".mask")) return plainMask(canvas, maskOf(figure));
    if (figure.matches(".heat")) return plainHeat(canvas, pictureOf(figure));
    return plainCurve(canvas, dataOf(caseOf(canvas)), curveOf(canvas), views[caseOf(canvas)]);
  }

  function hoverAt(canvas, step) {
    const points = canvas.data.map((trace, i) => ({curveNumber: i, pointNumber: trace.x.indexOf(step)}));
    Plotly.Fx.hover(canvas, points.filter(({curveNumber: i, pointNumber: at}) =>
      at >= 0 && canvas.data[i].hoverinfo !== "skip" && canvas.data[i].y[at] !== null), ["xy", "xy2"]);
  }

  // Plus and minus zoom around the middle. 0 shows all steps again.
  function zoom(canvas, factor) {
    if (!canvases.isInteractive(canvas)) return;
    if (!factor) return Plotly.relayout(canvas, {"xaxis.range": canvas.dataset.whole.split(" ").map(Number), "yaxis.autorange": true});
    const [first, last] = canvas._fullLayout.xaxis.range, middle = (first + last) / 2, half = factor * (last - first) / 2;
    Plotly.relayout(canvas, {"xaxis.range": [middle - half, middle + half]});
    spoken.textContent = `steps ${Math.max(1, Math.ceil(middle - half))} to ${Math.floor(middle + half)}`;
  }

  // Left and right move through the steps and show the values of each.
  function readValues(event) {
    const factor = {"+": 0.5, "=": 0.5, "-": 2, 0: 0}[event.key];
    if (factor !== undefined) {
      event.preventDefault();
      return zoom(event.target, factor);
    }
    const move = {ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity}[event.key];
    if (!move) return;
    event.preventDefault();
    const canvas = event.target, curve = curveOf(canvas), arms = dataOf(caseOf(canvas)).arms;
    const last = curve.steps.length - 1;
    const at = Math.min(last, Math.max(0, Number(canvas.dataset.at ?? (move > 0 ? -1 : last + 1)) + move));
    canvas.dataset.at = at;
    if (canvases.isInteractive(canvas)) hoverAt(canvas, curve.steps[at]);
    const words = curve.series.map(([arm, values]) => `${arms[arm]} ${shown(values[at])}`);
    for (const [arm, values] of curve.gap) words.push(`gap of ${arms[arm]} ${shown(values[at])}`);
    for (const {label, gap, limit} of curve.bounds) words.push(`${label} ${shown(gap[at])}, bound ${shown(limit[at])}`);
    spoken.textContent = `step ${curve.steps[at]}: ${words.join(", ")}`;
  }

  function fillMaskKey(key) {
    const figure = key.closest(".mask");
    key.append(...maskKey(maskOf(figure), namesOf(figure)));
  }

  function watchPlots() {
    document.addEventListener("keydown", (event) => {
      if (event.target.matches(".plot > .canvas")) readValues(event);
    });
    const folded = new Set();
    addEventListener("beforeprint", () => {
      for (const section of sections) {
        if (section.hidden || section.firstElementChild.open) continue;
        folded.add(section);
        section.firstElementChild.open = true;
        prepare(section);
      }
      const wanted = [...document.querySelectorAll(".canvas")].filter((canvas) => !canvases.isDrawn(canvas) && canvas.offsetParent);
      for (const canvas of wanted.slice(0, mostPrinted)) canvases.draw(canvas);
    });
    addEventListener("afterprint", () => {
      for (const section of folded) section.firstElementChild.open = false;
      folded.clear();
    });
  }

  function buildLegend(legend) {
    const number = caseOf(legend), view = views[number];
    const toggle = (button, on) => {
      button.setAttribute("aria-pressed", on);
      canvases.redraw((canvas) => caseOf(canvas) === number);
    };
    dataOf(number).arms.forEach((name, arm) => {
      const button = element("button", undefined, {type: "button", "aria-pressed": "true", title: "Show or hide this arm"});
      button.append(armSwatch(arm), element("span", name));
      button.addEventListener("click", () => {
        if (!view.hidden.delete(arm)) view.hidden.add(arm);
        toggle(button, !view.hidden.has(arm));
      });
      legend.append(button);
    });
    const {curves} = dataOf(number);
    const explain = (sign, words) => {
      const key = element("span", undefined, {class: "key"});
      key.append(sign, words);
      legend.append(key);
    };
    if (curves.some((curve) => curve.golden.length)) explain(element("span", "—", {"aria-hidden": "true"}), "golden");
    const bands = [...(curves.some(hasFloors) ? ["measured floor"] : []),
      ...(curves.some(hasTwinNoise) ? ["rounding noise (float64 twin)"] : [])];
    if (bands.length) explain(element("i", undefined, {class: "band", "aria-hidden": "true"}), bands.join(" or "));
    for (const words of new Set(curves.flatMap((curve) => curve.bounds.filter(({limit}) => limit.some(hasPlace)).map((bound) => bound.words))))
      explain(element("i", undefined, {class: "bound", "aria-hidden": "true"}), `bound: ${words}`);
    const scale = (words, option, title) => {
      const button = element("button", words, {type: "button", class: "scale", "aria-pressed": view[option], title});
      button.addEventListener("click", () => toggle(button, view[option] = !view[option]));
      legend.append(button);
    };
    scale("log values", "logValues", "Logarithmic or linear axis of the values");
    if (curves.some((curve) => curve.gap.length)) scale("log gap", "logarithmic", "Logarithmic or linear axis of the gap");
  }

  // --- tables --------------------------------------------------------------------------------------

  function curveTable(details) {
    const number = caseOf(details), {arms} = dataOf(number);
    const curve = dataOf(number).curves[Number(details.closest(".plot").dataset.curve)];
    const columns = [...curve.series.map(([arm, values]) => [arms[arm], values]),
      ...curve.gap.map(([arm, values]) => [`gap of ${arms[arm]}`, values]),
      ...(curve.floor.length ? [["rounding noise", curve.floor]] : []),
      ...curve.bounds.flatMap((bound) => [...(bound.to_reference ? [] : [[`gap of ${bound.label}`, bound.gap]]),
        [`floor, ${bound.label}`, bound.floor], [`bound, ${bound.label}`, bound.limit]]),
      ...curve.golden.map(([arm, values]) => [`${arms[arm]}, golden`, values])];
    const rows = curve.steps.map((step, i) => [step, ...columns.map(([, values]) => values[i] ?? {text: "", sort: ""})]);
    return table(["step", ...columns.map(([name]) => name)], rows, () => true);
  }

  // Readers look for the largest gap, so it comes first.
  function tensorTable(details) {
    const {metrics, rows} = dataOf(caseOf(details)).tensors[details.dataset.check];
    const cells = rows.map(([name, step, phase, same = true, ...values]) => [{text: text(name), sort: text(name)}, step,
      {text: text(phase), sort: text(phase)}, {text: same ? "= identical" : "≠ differs", sort: same ? "0" : "1"},
      ...metrics.map((_, i) => {
        const value = values.length ? values[i] : 0;
        return {text: value === true ? "yes" : value === false ? "" : brief(value), sort: value ?? ""};
      })]);
    const node = table(["tensor", "step", "phase", "bits", ...metrics], cells, (i) => i === 1 || i > 3);
    const gap = metrics.indexOf("relative L2");
    if (gap >= 0) sortBy(node, 4 + gap, -1);
    return node;
  }

  function goldenTable(details) {
    const rows = dataOf(caseOf(details)).golden.map(([quantity, sides, sentence]) =>
      [text(quantity), text(sides), sentence].map((words) => ({text: words, sort: words})));
    return table(["quantity", "sides", "found"], rows, () => false);
  }

  function runTables(details) {
    const columns = element("div", undefined, {class: "columns"});
    for (const [title, rows] of dataOf(caseOf(details)).runs[Number(details.dataset.arm)]) {
      const column = element("div"), heading = element("h4", title), node = element("table", undefined, {"aria-label": title});
      for (const [key, value] of rows) {
        const row = node.insertRow();
        row.append(element("th", text(key), {scope: "row"}), element("td", text(value)));
      }
      column.append(heading, node);
      columns.append(column);
    }
    return columns;
  }

  // The program rendered these rows with the template of the rows that are open from the start. It escapes every name.
  function checkDetails(details) {
    const inner = element("div");
    inner.innerHTML = dataOf(caseOf(details)).details[details.dataset.check];
    inner.querySelectorAll(".canvas").forEach((canvas) => canvases.watch(canvas));
    return inner;
  }

  const builders = {check: checkDetails, curve: curveTable, tensors: tensorTable, golden: goldenTable, run: runTables};

  // --- filter, navigation --------------------------------------------------------------------------

  // Of each case: its section, its row in the overview, and its link at the side.
  const places = sections.map(() => []);

  function filterCases() {
    const words = document.getElementById("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
    const failing = document.getElementById("failing").checked;
    let count = 0;
    for (const nodes of places) {
      const section = nodes.find((node) => node.matches(".case")), text = section.dataset.words.toLowerCase();
      const keep = (!failing || section.classList.contains("fail")) && words.every((word) => text.includes(word));
      count += keep;
      for (const node of nodes) node.hidden = !keep;
    }
    document.getElementById("filtered").textContent =
      words.length || failing ? `${count} of ${sections.length} cases shown` : "";
  }

  function followPosition() {
    const links = new Map([...document.querySelectorAll(".side li")].map((item) => [item.dataset.case, item.firstElementChild]));
    const watcher = new IntersectionObserver((entries) => {
      for (const entry of entries) {
        const link = links.get(entry.target.dataset.case);
        if (entry.isIntersecting) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      }
    }, {rootMargin: "-20% 0px -75% 0px"});
    for (const section of sections) watcher.observe(section);
  }

  // Builds the content of a case when it is unfolded for the first time.
  const prepared = new Set();

  function prepare(section) {
    if (prepared.has(section)) return;
    prepared.add(section);
    section.querySelectorAll(".legend").forEach(buildLegend);
    section.querySelectorAll(".mask-key").forEach(fillMaskKey);
    section.querySelectorAll(".arm .swatch").forEach((swatch) =>
      swatch.append(armSwatch(Number(swatch.closest(".arm").dataset.arm))));
    section.querySelectorAll(".canvas").forEach((canvas) => canvases.watch(canvas));
  }

  // Shows a case that is filtered out when a link leads to it.
  function show(section) {
    if (section.hidden) {
      document.getElementById("filter").value = "";
      document.getElementById("failing").checked = false;
      filterCases();
    }
    prepare(section);
  }

  function addUnfoldButton() {
    const button = element("button", "Unfold all", {type: "button", id: "unfold"});
    button.addEventListener("click", () => {
      const open = button.textContent === "Unfold all";
      for (const section of sections) if (!section.hidden) section.firstElementChild.open = open;
      button.textContent = open ? "Fold all" : "Unfold all";
    });
    document.querySelector(".filter").append(button);
  }

  function start() {
    for (const node of document.querySelectorAll("[data-case]")) places[node.dataset.case].push(node);
    for (const section of sections) if (section.firstElementChild.open) prepare(section);
    document.querySelectorAll("table.sortable").forEach(makeSortable);
    document.addEventListener("toggle", (event) => {
      const details = event.target;
      if (details.open && details.parentElement.matches(".case")) prepare(details.parentElement);
      if (!details.open || !details.matches?.(".lazy") || details.dataset.built) return;
      details.dataset.built = "true";
      const inner = element("div", undefined, {class: "inner", ...(details.dataset.table === "check" ? {} : {tabindex: "0"})});
      inner.append(builders[details.dataset.table](details));
      details.append(inner);
    }, true);
    document.getElementById("filter").addEventListener("input", filterCases);
    document.getElementById("failing").addEventListener("change", filterCases);
    watchPlots();
    followPosition();
    addUnfoldButton();
    followAddress(show);
    canvases.load();
  }

  document.addEventListener("DOMContentLoaded", start);
})();
