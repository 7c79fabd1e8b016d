// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Evaluated in the page by links_test.cpp: follows links as a reader does and reports those that land elsewhere.
const probe = {
  wait: (milliseconds) => new Promise((done) => setTimeout(done, milliseconds)),

  // The page stands still: two frames, and what is made when a case is unfolded.
  async settled() {
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    await probe.wait(60);
  },

  topOf: (node) => Math.round(node.getBoundingClientRect().top),

  // Whether the target is at the top of the window, or in view at the end of the page, and not folded away.
  hasLanded(target) {
    const top = probe.topOf(target), atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
    return target.checkVisibility() && top >= -2 && (top < 60 || (atEnd && top < innerHeight));
  },

  // Follows each link in turn. Returns {links, missed: [[link, top of its target]]}.
  async follow(selector) {
    const links = [...document.querySelectorAll(selector)].filter((link) => !link.closest("[hidden]")), missed = [];
    for (const link of links) {
      link.click();
      await probe.settled();
      const target = document.getElementById(decodeURIComponent(link.hash.slice(1)));
      for (let tries = 0; tries < 40 && !probe.hasLanded(target); ++tries) await probe.wait(50);
      if (!probe.hasLanded(target)) missed.push([link.hash, probe.topOf(target)]);
    }
    return {links: links.length, missed};
  },

  // From a case, follows the link to another one and goes back. Returns the pairs that come back elsewhere.
  async back(step) {
    const links = [...document.querySelectorAll(".side a")], missed = [];
    for (let i = 0; i + step < links.length; i += step) {
      links[i + step].click();
      await probe.settled();
      const from = document.getElementById(links[i + step].hash.slice(1)), before = probe.topOf(from);
      links[i].click();
      await probe.settled();
      history.back();
      await probe.wait(100);
      await probe.settled();
      if (Math.abs(probe.topOf(from) - before) > 2) missed.push([links[i].hash, links[i + step].hash, probe.topOf(from) - before]);
    }
    return missed;
  },

  // Some words that only one folded case has, of every seventh case: [{case, text, words}].
  wordsOfCases() {
    const all = document.querySelector("main").textContent;
    const once = (text) => text.length > 10 && all.indexOf(text) === all.lastIndexOf(text);
    return [...document.querySelectorAll(".case:not(.fail)")].filter((_, i) => i % 7 === 3).flatMap((section) => {
      const texts = [...section.querySelectorAll(".notes li, .sentence, .question")].map((node) => node.textContent.trim().replace(/^! /, ""));
      const text = texts.map((words) => words.length > 90 ? words.slice(0, 90).replace(/\s\S*$/, "") : words).find(once);
      return text ? [{case: section.dataset.case, text, words: encodeURIComponent(text).replace(/-/g, "%2D")}] : [];
    });
  },

  // Whether words of a case are in the window.
  async isSeen(number, text) {
    const nodes = [...document.querySelectorAll(`.case[data-case="${number}"] :is(.notes li, .sentence, .question)`)];
    const node = nodes.find((one) => one.textContent.includes(text));
    const seen = () => node.checkVisibility() && probe.topOf(node) > -2 && probe.topOf(node) < innerHeight;
    for (let tries = 0; tries < 50 && !seen(); ++tries) await probe.wait(100);
    await probe.settled();
    return seen();
  },
};
