// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// The page: plots drawn when they come near the window, tables built when they are opened, filter, sorting, copying.
(() => {
  const data = JSON.parse(document.getElementById("report-data").textContent);
  const spoken = document.getElementById("spoken");
  const still = matchMedia("(pointer: coarse)").matches;
  const views = data.cases.map(() => ({hidden: new Set(), logarithmic: true, still}));
  const caseOf = (node) => Number(node.closest(".case").dataset.case);

  function element(name, text, attributes = {}) {
    const node = document.createElement(name);
    if (text !== undefined) node.textContent = text;
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    return node;
  }

  // --- plots ---------------------------------------------------------------------------------------

  const drawn = new Set();
  const curveOf = (canvas) => data.cases[caseOf(canvas)].curves[Number(canvas.closest(".plot").dataset.curve)];

  const maskOf = (figure) => data.cases[caseOf(figure)].masks[Number(figure.dataset.mask)];
  const namesOf = (figure) => maskOf(figure).arms.map((arm) => data.cases[caseOf(figure)].arms[arm]);

  function draw(canvas) {
    drawn.add(canvas);
    canvas.classList.add("drawn");
    const figure = canvas.parentElement;
    if (figure.matches(".mask")) return drawMask(canvas, maskOf(figure), namesOf(figure), still);
    return drawPlot(canvas, data.cases[caseOf(canvas)], curveOf(canvas), views[caseOf(canvas)]);
  }

  function redraw(chosen = () => true) {
    for (const canvas of drawn) if (chosen(canvas)) draw(canvas);
  }

  function hoverAt(canvas, step) {
    const points = canvas.data.map((trace, i) => ({curveNumber: i, pointNumber: trace.x.indexOf(step)}));
    Plotly.Fx.hover(canvas, points.filter(({curveNumber: i, pointNumber: at}) =>
      at >= 0 && canvas.data[i].hoverinfo !== "skip" && canvas.data[i].y[at] !== null), ["xy", "xy2"]);
  }

  // Left and right read the values of one step after the other.
  function readValues(event) {
    const move = {ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity}[event.key];
    if (!move) return;
    event.preventDefault();
    const canvas = event.currentTarget, curve = curveOf(canvas), arms = data.cases[caseOf(canvas)].arms;
    const last = curve.steps.length - 1;
    const at = Math.min(last, Math.max(0, Number(canvas.dataset.at ?? (move > 0 ? -1 : last + 1)) + move));
    canvas.dataset.at = at;
    if (drawn.has(canvas)) hoverAt(canvas, curve.steps[at]);
    const words = curve.series.map(([arm, values]) => `${arms[arm]} ${shown(values[at])}`);
    for (const [arm, values] of curve.gap) words.push(`gap of ${arms[arm]} ${shown(values[at])}`);
    spoken.textContent = `step ${curve.steps[at]}: ${words.join(", ")}`;
  }

  function watchPlots() {
    const canvases = document.querySelectorAll(".canvas");
    const watcher = new IntersectionObserver((entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting) continue;
        watcher.unobserve(entry.target);
        draw(entry.target);
      }
    }, {rootMargin: "300px"});
    for (const canvas of canvases) {
      watcher.observe(canvas);
      if (canvas.parentElement.matches(".plot")) canvas.addEventListener("keydown", readValues);
    }
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => redraw());
    matchMedia("print").addEventListener("change", () => redraw());
    addEventListener("beforeprint", () => { for (const canvas of canvases) draw(canvas); });
  }

  function buildLegend(legend) {
    const number = caseOf(legend), view = views[number];
    const toggle = (button, on) => {
      button.setAttribute("aria-pressed", on);
      redraw((canvas) => caseOf(canvas) === number);
    };
    data.cases[number].arms.forEach((name, arm) => {
      const button = element("button", undefined, {type: "button", "aria-pressed": "true", title: "Show or hide this arm"});
      button.append(armSwatch(arm), element("span", name));
      button.addEventListener("click", () => {
        if (!view.hidden.delete(arm)) view.hidden.add(arm);
        toggle(button, !view.hidden.has(arm));
      });
      legend.append(button);
    });
    if (data.cases[number].curves.some((curve) => curve.golden.length)) {
      const key = element("span", undefined, {class: "golden-key"});
      key.append(element("span", "—", {"aria-hidden": "true"}), "golden");
      legend.append(key);
    }
    if (!data.cases[number].curves.some((curve) => curve.gap.length)) return;
    const scale = element("button", "log gap", {type: "button", class: "scale", "aria-pressed": "true", title: "Logarithmic or linear axis of the gap"});
    scale.addEventListener("click", () => {
      view.logarithmic = !view.logarithmic;
      scale.textContent = view.logarithmic ? "log gap" : "linear gap";
      toggle(scale, view.logarithmic);
    });
    legend.append(scale);
  }

  // --- tables --------------------------------------------------------------------------------------

  function table(heads, rows, numeric) {
    const node = element("table", undefined, {class: "sortable"});
    const head = node.createTHead().insertRow();
    heads.forEach((text, i) => head.append(element("th", text, {scope: "col", class: numeric(i) ? "number" : ""})));
    const body = node.createTBody();
    for (const cells of rows) {
      const row = body.insertRow();
      cells.forEach((cell, i) => {
        const made = element(i === 0 ? "th" : "td", typeof cell === "object" ? cell.text : shown(cell),
          {class: numeric(i) ? "number" : "", ...(i === 0 ? {scope: "row"} : {})});
        made.dataset.sort = typeof cell === "object" ? cell.sort : cell;
        row.append(made);
      });
    }
    makeSortable(node);
    return node;
  }

  const brief = (value) => typeof value !== "number" || Number.isInteger(value) ? String(value ?? "")
    : Number(value.toPrecision(4)).toString();

  function curveTable(details) {
    const number = caseOf(details), {arms} = data.cases[number];
    const curve = data.cases[number].curves[Number(details.closest(".plot").dataset.curve)];
    const columns = [...curve.series.map(([arm, values]) => [arms[arm], values]),
      ...curve.gap.map(([arm, values]) => [`gap of ${arms[arm]}`, values]),
      ...(curve.floor.length ? [["rounding noise", curve.floor]] : []),
      ...curve.golden.map(([arm, values]) => [`${arms[arm]}, golden`, values])];
    const rows = curve.steps.map((step, i) => [step, ...columns.map(([, values]) => values[i] ?? {text: "", sort: ""})]);
    return table(["step", ...columns.map(([name]) => name)], rows, () => true);
  }

  function tensorTable(details) {
    const rows = data.cases[caseOf(details)].tensors[Number(details.dataset.check)];
    const metrics = [...new Set(rows.flatMap((row) => Object.keys(row.measured)))];
    const cells = rows.map((row) => [{text: row.name, sort: row.name}, row.step, {text: row.phase, sort: row.phase},
      {text: row.identical ? "= identical" : "≠ differs", sort: row.identical ? "0" : "1"},
      ...metrics.map((metric) => ({text: brief(row.measured[metric]), sort: row.measured[metric] ?? ""}))]);
    return table(["tensor", "step", "phase", "bits", ...metrics], cells, (i) => i === 1 || i > 3);
  }

  function runTables(details) {
    const columns = element("div", undefined, {class: "columns"});
    for (const [title, rows] of data.cases[caseOf(details)].runs[Number(details.dataset.arm)]) {
      const column = element("div");
      const node = element("table");
      for (const [key, value] of rows) {
        const row = node.insertRow();
        row.append(element("th", key, {scope: "row"}), element("td", value));
      }
      column.append(element("h4", title), node);
      columns.append(column);
    }
    return columns;
  }

  const builders = {curve: curveTable, tensors: tensorTable, run: runTables};

  function makeSortable(node) {
    const heads = [...node.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      if (!head.textContent || head.querySelector(".unseen")) return;
      const button = element("button", head.textContent, {type: "button"});
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const descending = head.getAttribute("aria-sort") === "ascending";
        for (const other of heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", descending ? "descending" : "ascending");
        sortRows(node.tBodies[0], column, descending ? -1 : 1);
      });
    });
  }

  function sortRows(body, column, direction) {
    const key = (row) => row.cells[column].dataset.sort ?? row.cells[column].textContent;
    const number = (text) => ({nan: Infinity, inf: Infinity, "-inf": -Infinity})[text] ?? (text === "" ? NaN : Number(text));
    const compare = (a, b) => {
      const [x, y] = [number(key(a)), number(key(b))];
      if (Number.isNaN(x) || Number.isNaN(y)) return direction * key(a).localeCompare(key(b), undefined, {numeric: true});
      return x === y ? 0 : direction * (x < y ? -1 : 1);
    };
    body.append(...[...body.rows].sort(compare));
  }

  // --- filter, copying, navigation -----------------------------------------------------------------

  function filterCases() {
    const words = document.getElementById("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
    const failing = document.getElementById("failing").checked;
    let count = 0;
    for (const section of document.querySelectorAll(".case")) {
      const text = section.dataset.words.toLowerCase();
      const keep = (!failing || section.classList.contains("fail")) && words.every((word) => text.includes(word));
      count += keep;
      for (const node of document.querySelectorAll(`[data-case="${section.dataset.case}"]`)) node.hidden = !keep;
    }
    document.getElementById("filtered").textContent =
      words.length || failing ? `${count} of ${data.cases.length} cases shown` : "";
  }

  async function copy(button) {
    const text = button.parentElement.querySelector("code").textContent;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      getSelection().selectAllChildren(button.parentElement.querySelector("code"));
      document.execCommand("copy");
    }
    button.textContent = "Copied";
    spoken.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
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
    for (const section of document.querySelectorAll(".case")) watcher.observe(section);
  }

  function start() {
    document.querySelectorAll(".legend").forEach(buildLegend);
    document.querySelectorAll(".mask").forEach((figure) =>
      figure.querySelector(".mask-key").append(...maskKey(maskOf(figure), namesOf(figure))));
    document.querySelectorAll(".arm .swatch").forEach((swatch) =>
      swatch.append(armSwatch(Number(swatch.closest(".arm").dataset.arm))));
    document.querySelectorAll("table.sortable").forEach(makeSortable);
    document.addEventListener("toggle", (event) => {
      const details = event.target;
      if (!details.open || !details.matches?.(".lazy") || details.dataset.built) return;
      details.dataset.built = "true";
      const inner = element("div", undefined, {class: "inner", tabindex: "0"});
      inner.append(builders[details.dataset.table](details));
      details.append(inner);
    }, true);
    document.addEventListener("click", (event) => {
      if (event.target.matches(".copy")) copy(event.target);
    });
    document.getElementById("filter").addEventListener("input", filterCases);
    document.getElementById("failing").addEventListener("change", filterCases);
    watchPlots();
    followPosition();
  }

  document.addEventListener("DOMContentLoaded", start);
})();
