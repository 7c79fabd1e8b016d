// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Put first into a copy of the page by interaction_test.cpp: uses the page as a reader does and reports what it saw.
(() => {
  const found = {errors: []};
  addEventListener("error", (event) => found.errors.push(event.message ?? `cannot load ${event.target.src}`), true);
  addEventListener("unhandledrejection", (event) => found.errors.push(String(event.reason)));
  addEventListener("securitypolicyviolation", (event) => found.errors.push(`refused ${event.blockedURI}`));

  const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
  async function until(test) {
    for (let tries = 0; tries < 200 && !test(); ++tries) await wait(50);
    return Boolean(test());
  }
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const press = (node, key) => node.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
  const open = async (details) => {
    details.open = true;
    await until(() => details.querySelector(":scope > .inner"));
    return details.querySelector(":scope > .inner");
  };
  const named = (node) => (node.getAttribute("aria-label") ?? node.textContent).trim() !== "";

  function readStructure() {
    found.landmarks = ["main", "nav[aria-label]", "header", "footer"].map((name) => all(name).length > 0);
    found.levels = all("h1, h2, h3, h4").map((heading) => Number(heading.tagName[1]));
    found.sections = all("section").map((node) => Boolean(document.getElementById(node.getAttribute("aria-labelledby"))));
    found.pictures = all("[role=img]").map(named);
    found.controls = all("button, a, summary, input").map((node) => named(node) || node.labels?.length > 0);
    found.tables = all("table").map((node) => all("th[scope]", node).length > 0);
    found.first_focus = document.querySelector("a[href], button, input, [tabindex='0']").className;
    found.tabindex = all("[tabindex]").every((node) => node.tabIndex <= 0);
  }

  async function usePlot() {
    const canvas = document.querySelector(".plot > .canvas");
    canvas.closest(".case").firstElementChild.open = true;
    canvas.scrollIntoView({behavior: "instant"});
    found.drawn = await until(() => canvas.classList.contains("drawn"));
    press(canvas, "ArrowRight");
    found.first_values = document.getElementById("spoken").textContent;
    press(canvas, "End");
    found.last_values = document.getElementById("spoken").textContent;
    const range = () => canvas._fullLayout.xaxis.range, whole = range()[1] - range()[0];
    press(canvas, "+");
    await until(() => range()[1] - range()[0] < whole);
    found.zoomed = (range()[1] - range()[0]) / whole;
    press(canvas, "0");
    await until(() => range()[1] - range()[0] >= whole);
    found.restored = (range()[1] - range()[0]) / whole;
    const [arm] = all(".legend button", canvas.closest(".case")), traces = () => canvas.data.length, before = traces();
    arm.click();
    found.hidden_traces = before - traces();
    found.pressed = arm.getAttribute("aria-pressed");
    arm.click();
    const [values, gap] = all(".legend .scale", canvas.closest(".case"));
    found.axes = [canvas._fullLayout.yaxis.type, canvas._fullLayout.yaxis2.type];
    values.click(), gap.click();
    found.switched_axes = [canvas._fullLayout.yaxis.type, canvas._fullLayout.yaxis2.type];
    values.click(), gap.click();
  }

  async function useTables() {
    const lazy = all("details.lazy[data-table=check]"), tables = [];
    found.lazy_checks = lazy.length;
    for (const details of lazy) tables.push(...all("details[data-table=tensors]", await open(details)));
    tables.push(...all("details[open] > details[data-table=tensors]"));
    const bodyRows = (inner) => [...inner.querySelector("table").tBodies[0].rows];
    const gapIn = (rows) => all("th", rows).find((head) => head.textContent === "relative L2");
    const opened = [];
    for (const table of tables) opened.push(await open(table));
    const rows = opened.filter((table) => gapIn(table) && bodyRows(table).length > 2).pop(), gap = gapIn(rows);
    const column = gap.cellIndex, values = () => bodyRows(rows).map((row) => Number(row.cells[column].dataset.sort.replace("nan", "Infinity")));
    found.sorted = gap.getAttribute("aria-sort");
    found.largest_first = values()[0] === Math.max(...values());
    gap.firstElementChild.click();
    found.sorted_again = gap.getAttribute("aria-sort");
    found.smallest_first = values()[0] === Math.min(...values());
    found.golden_rows = bodyRows(await open(document.querySelector("details[data-table=golden]"))).length;
  }

  async function useFilter() {
    const field = document.getElementById("filter");
    field.value = "warmup";
    field.dispatchEvent(new Event("input"));
    found.filtered = document.getElementById("filtered").textContent;
    found.shown_cases = all(".case").filter((section) => !section.hidden).length;
    field.value = "";
    field.dispatchEvent(new Event("input"));
  }

  async function drawWithoutLibrary() {
    for (const section of all(".case")) section.firstElementChild.open = true;
    for (const details of all("details.lazy[data-table=check]")) await open(details);
    dispatchEvent(new Event("beforeprint"));
    const bare = all(".canvas").filter((canvas) => !canvas.querySelector(":scope > svg :is(path, rect)"));
    found.plain = [all(".canvas").length, bare.length, all(".plain .dot").length > 0, all(".plain rect").length > 20];
    found.heights = all(".canvas").filter((canvas) => canvas.clientHeight < 90).length;
  }

  async function print() {
    dispatchEvent(new Event("beforeprint"));
    const visible = all(".canvas").filter((canvas) => canvas.offsetParent);
    found.maps = all(".heat > .canvas").map((map) => map.classList.contains("drawn"));
    found.printed = [visible.length, visible.filter((canvas) => canvas.classList.contains("drawn")).length];
  }

  addEventListener("load", async () => {
    await until(() => window.Plotly || document.body.classList.contains("no-plots"));
    readStructure();
    found.lacking = document.body.classList.contains("no-plots");
    found.note = all(".plain-note:not([hidden])").map((note) => note.textContent).join();
    try {
      if (frameElement) for (const details of all("details")) details.open = true;
      else if (found.lacking) await drawWithoutLibrary();
      else for (const use of [usePlot, useTables, useFilter, print]) await use();
    } catch (error) {
      found.errors.push(String(error.stack));
    }
    found.overflow = document.documentElement.scrollWidth - innerWidth;
    found.sources = all("[src], link[href]").map((node) => node.getAttribute("src") ?? node.getAttribute("href"));
    const report = document.createElement("pre");
    report.id = "probe";
    report.textContent = JSON.stringify(found);
    (frameElement ? parent.document : document).body.append(report);
  });
})();
