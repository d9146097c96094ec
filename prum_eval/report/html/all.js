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
