"use strict";
// Sort a table by the column whose head is clicked: numbers from the highest, texts from the first; again turns it round.
// Cells carry their value in data-value; empty ones, which have none, stay last. The average row (in tfoot) stays below.
document.addEventListener("click", (event) => {
  const button = event.target.closest("thead button");
  if (!button) return;
  const head = button.closest("th");
  const body = button.closest("table").tBodies[0];
  const column = head.cellIndex;
  const numbers = head.dataset.kind === "number";
  const was = head.getAttribute("aria-sort");
  const way = was ? (was === "ascending" ? "descending" : "ascending") : numbers ? "descending" : "ascending";
  const sign = way === "ascending" ? 1 : -1;
  const value = (row) => row.cells[column].dataset.value;
  const texts = new Intl.Collator("en", { numeric: true });
  const compare = (a, b) => {
    const x = value(a), y = value(b);
    if (x === "" || y === "") return (x === "") - (y === "");
    return sign * (numbers ? Number(x) - Number(y) : texts.compare(x, y));
  };
  const rows = Array.from(body.rows).sort(compare);
  for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", way);
  body.append(...rows);
});

// Runs and topics that are chosen: their lines stand out in every drawing, their rows in every table.
const choice = (() => {
  const chosen = { run: new Set(), topic: new Set() };
  const pointed = { run: null, topic: null };

  function show() {
    for (const kind of ["run", "topic"]) {
      const keys = new Set(chosen[kind]);
      if (pointed[kind] !== null) keys.add(pointed[kind]);
      document.body.classList.toggle(`choosing-${kind}`, keys.size > 0);
      for (const one of document.querySelectorAll(`[data-${kind}]`)) {
        const key = one.dataset[kind];
        one.classList.toggle("on", keys.has(key));
        if (one.hasAttribute("aria-pressed")) one.setAttribute("aria-pressed", String(chosen[kind].has(key)));
      }
    }
  }

  function point(kind, key) {
    if (pointed[kind] === key) return;
    pointed[kind] = key;
    show();
  }

  function keep(kind, key) {
    if (!chosen[kind].delete(key)) chosen[kind].add(key);
    show();
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button.run, button.topic");
    if (button) keep(button.classList[0], button.dataset[button.classList[0]]);
  });
  for (const [name, on] of [["mouseover", true], ["mouseout", false], ["focusin", true], ["focusout", false]]) {
    document.addEventListener(name, (event) => {
      const button = event.target.closest && event.target.closest("button.run, button.topic");
      if (button) point(button.classList[0], on ? button.dataset[button.classList[0]] : null);
    });
  }
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.target.matches("input, select")) return;
    chosen.run.clear();
    chosen.topic.clear();
    show();
    for (const one of document.querySelectorAll(".readout")) one.textContent = "";
  });

  return { show, point, keep };
})();
