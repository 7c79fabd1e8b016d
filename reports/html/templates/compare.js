// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// The page of `parity compare --html`. It draws curves when they come near the window.
(() => {
  const parsed = (id) => JSON.parse(document.getElementById(id).textContent);
  const view = {hidden: new Set(), logarithmic: true, logValues: false, still: matchMedia("(pointer: coarse)").matches};
  const sides = parsed("sides"), lists = new Map(), curves = new Map();

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

  const canvases = canvasesOf((canvas, plain) => (plain ? plainCurve : drawPlot)(canvas, sides, curveOf(canvas), view));

  function start() {
    for (const swatch of document.querySelectorAll(".swatch")) swatch.replaceWith(armSwatch(Number(swatch.dataset.arm)));
    for (const canvas of document.querySelectorAll(".canvas")) canvases.watch(canvas);
    if (sides && document.querySelector(".canvas")) canvases.load();
  }

  document.addEventListener("DOMContentLoaded", start);
})();
