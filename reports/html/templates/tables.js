// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Elements and tables that the page's script builds. A click on a heading sorts a table.
"use strict";

function element(name, text, attributes = {}) {
  const node = document.createElement(name);
  if (text !== undefined) node.textContent = text;
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}

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

function makeSortable(node) {
  const heads = [...node.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    if (!head.textContent || head.querySelector(".unseen")) return;
    const button = element("button", head.textContent, {type: "button"});
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const direction = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      sortBy(node, column, direction);
      document.getElementById("spoken").textContent = `sorted by ${button.textContent}, ${direction > 0 ? "ascending" : "descending"}`;
    });
  });
}

function sortBy(node, column, direction) {
  for (const head of node.tHead.rows[0].cells) head.removeAttribute("aria-sort");
  node.tHead.rows[0].cells[column].setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
  sortRows(node.tBodies[0], column, direction);
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
