// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// The page of `parity compare --html`. It draws curves when they come near the window.
(() => {
  const parsed = (id) => JSON.parse(document.getElementById(id).textContent);
  const view = {hidden: new Set(), logarithmic: true, logValues: false, still: matchMedia("(pointer: coarse)").matches};
  const sides = parsed("sides"), lists = new Map(), curves = new Map(), waiting = new Set(), drawn = new Set();
  let withoutPlotly = false;

  function stepsOf(number) {
    if (!lists.has(number)) lists.set(number, parsed(`steps-${number}`));
    return lists.get(number);
  }

  function curveOf(canvas) {
    const {curve: number} = canvas.parentElement.dataset;
    if (!curves.has(number)) {
      const curve = parsed(`data-${number}`);
      curves.set(number, {...curve, steps: stepsOf(curve.steps)});
    }
    return curves.get(number);
  }

  function draw(canvas) {
    if (!window.Plotly && !withoutPlotly) return waiting.add(canvas);
    drawn.add(canvas);
    canvas.classList.add("drawn");
    return withoutPlotly ? plainCurve(canvas, sides, curveOf(canvas), view) : drawPlot(canvas, sides, curveOf(canvas), view);
  }

  // The page is readable before the plotting library has loaded, and without it.
  function loadPlotly() {
    const library = document.createElement("script");
    library.src = document.body.dataset.plots;
    library.addEventListener("load", () => { for (const canvas of waiting) draw(canvas); });
    library.addEventListener("error", () => {
      withoutPlotly = true;
      document.querySelector(".plain-note").hidden = false;
      for (const canvas of waiting) draw(canvas);
    });
    document.body.append(library);
  }

  const watcher = new IntersectionObserver((entries) => {
    for (const {target, isIntersecting} of entries) {
      if (!isIntersecting) continue;
      watcher.unobserve(target);
      draw(target);
    }
  }, {rootMargin: "300px"});

  function start() {
    for (const swatch of document.querySelectorAll(".swatch")) swatch.replaceWith(armSwatch(Number(swatch.dataset.arm)));
    for (const canvas of document.querySelectorAll(".canvas")) watcher.observe(canvas);
    const redraw = () => { for (const canvas of drawn) draw(canvas); };
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
    matchMedia("print").addEventListener("change", redraw);
    if (sides && document.querySelector(".canvas")) loadPlotly();
  }

  document.addEventListener("DOMContentLoaded", start);
})();
