// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Links, the address and the back button lead to a case even if it is folded or filtered out. Without this script the
// browser unfolds the target of a link by itself.
"use strict";

const sectionOf = (node) => node?.closest?.(".case");

// Opens every fold around a node, and calls `show` with each section that was filtered out or folded.
function unfold(node, show) {
  const section = sectionOf(node);
  if (section) show(section);
  for (let details = node.closest("details"); details; details = details.parentElement.closest("details")) details.open = true;
}

const targetOf = (hash) => hash.length > 1 ? document.getElementById(decodeURIComponent(hash.slice(1))) : null;

// Returns the window's place relative to the top of a case [pixels]. It stays valid when cases above are folded.
function placeOnPage() {
  const sections = [...document.querySelectorAll(".case")].filter((section) => !section.hidden);
  const at = sections.find((section) => section.getBoundingClientRect().bottom > 0);
  const top = at?.getBoundingClientRect().top;
  if (!at || top > innerHeight / 2) return {y: scrollY};
  return {at: at.dataset.case, by: top, open: at.firstElementChild.open};
}

function goTo(place, show) {
  if (place.at === undefined) return scrollTo(0, place.y);
  const section = document.querySelector(`.case[data-case="${place.at}"]`);
  show(section);
  if (place.open) section.firstElementChild.open = true;
  scrollTo(0, scrollY + section.getBoundingClientRect().top - place.by);
}

// Each entry of the history keeps the place at which the reader left it.
function followAddress(show) {
  history.scrollRestoration = "manual";
  let timer = 0, place = {y: scrollY};
  const keep = () => history.replaceState(place = placeOnPage(), "");
  const go = () => {
    if (history.state) return goTo(history.state, show);
    const target = targetOf(location.hash);
    if (!target) return;
    unfold(target, show);
    target.scrollIntoView();
  };
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href^='#']");
    if (!link) return;
    keep();
    const target = targetOf(link.hash);
    if (target) unfold(target, show);
  });
  addEventListener("scroll", () => {
    clearTimeout(timer);
    timer = setTimeout(keep, 150);
  }, {passive: true});
  addEventListener("popstate", () => {
    clearTimeout(timer);
    go();
  });
  if (history.state || location.hash) go();
}
