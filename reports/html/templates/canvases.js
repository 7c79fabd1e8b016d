// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Figures that are drawn when they come near the window. The page is readable before the plotting library has loaded,
// and without it.
"use strict";

// `paint(canvas, plain)` draws one figure. `plain` is true if the library is missing.
function canvasesOf(paint) {
  const waiting = new Set(), drawn = new Set();
  let plain = false;

  function draw(canvas) {
    if (!window.Plotly && !plain) return waiting.add(canvas);
    drawn.add(canvas);
    canvas.classList.add("drawn");
    return paint(canvas, plain);
  }

  function redraw(chosen = () => true) {
    for (const canvas of drawn) if (chosen(canvas)) draw(canvas);
  }

  function load() {
    const library = document.createElement("script");
    library.src = document.body.dataset.plots;
    library.addEventListener("load", () => { for (const canvas of waiting) draw(canvas); });
    library.addEventListener("error", () => {
      plain = true;
      document.body.classList.add("no-plots");
      document.querySelector(".plain-note").hidden = false;
      for (const canvas of waiting) draw(canvas);
    });
    document.body.append(library);
    for (const change of ["(prefers-color-scheme: dark)", "print"])
      matchMedia(change).addEventListener("change", () => redraw());
  }

  const watcher = new IntersectionObserver((entries) => {
    for (const {target, isIntersecting} of entries) {
      if (!isIntersecting) continue;
      watcher.unobserve(target);
      draw(target);
    }
  }, {rootMargin: "300px"});

  return {
    draw, redraw, load,
    watch: (canvas) => watcher.observe(canvas),
    isDrawn: (canvas) => drawn.has(canvas),
    isInteractive: (canvas) => drawn.has(canvas) && !plain,
  };
}
