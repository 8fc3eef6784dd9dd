// Tables that can be sorted and lists that can be filtered. Names come from input files, so they are only ever set as text.

const byId = (id) => document.getElementById(id);

function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children);
  return node;
}

function makeSortable(table) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const mark = element("span", { class: "sort-mark", "aria-hidden": "true" });
    const button = element("button", { type: "button" }, element("span", {}, ...head.childNodes), mark);
    head.append(button);
    button.addEventListener("click", () => {
      const before = head.getAttribute("aria-sort");
      const first = head.dataset.first ?? "ascending";
      const opposite = first === "ascending" ? "descending" : "ascending";
      sortTable(table, column, before === first ? opposite : first);
    });
  });
  showSortMarks(heads);
}

function showSortMarks(heads) {
  const marks = { ascending: "↑", descending: "↓" };
  for (const head of heads) head.querySelector(".sort-mark").textContent = marks[head.getAttribute("aria-sort")] ?? "↕";
}

function sortTable(table, column, direction) {
  const heads = [...table.tHead.rows[0].cells];
  for (const head of heads) head.removeAttribute("aria-sort");
  heads[column].setAttribute("aria-sort", direction);
  showSortMarks(heads);
  const rows = [...table.tBodies[0].rows].map((row) => ({ row, key: sortKey(row, column) }));
  const sign = direction === "ascending" ? 1 : -1;
  rows.sort((one, two) => compareKeys(one.key, two.key, sign));
  table.tBodies[0].append(...rows.map(({ row }) => row));
  table.dispatchEvent(new CustomEvent("sorted", { detail: { column } }));
}

function sortKey(row, column) {
  const cell = row.cells[column];
  if (cell.dataset.value !== undefined) return Number(cell.dataset.value);
  return column === 0 && row.dataset.run !== undefined ? row.dataset.run : cell.textContent.trim();
}

function compareKeys(one, two, sign) {
  if (typeof one === "string") return sign * one.localeCompare(two, undefined, { numeric: true });
  if (Number.isNaN(one) || Number.isNaN(two)) return Number.isNaN(one) - Number.isNaN(two); // undefined values last
  return sign * (one - two);
}

function makeFilter({ input, items, textOf, count, nothing, noun }) {
  const texts = items.map((item) => textOf(item).toLowerCase());
  const apply = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    items.forEach((item, index) => {
      item.hidden = !words.every((word) => texts[index].includes(word));
      found += !item.hidden;
    });
    count.textContent = words.length ? `${found} of ${items.length} ${noun}s` : "";
    nothing.hidden = found > 0;
    nothing.textContent = found ? "" : `Nothing found: no ${noun} matches “${input.value}”.`;
  };
  input.addEventListener("input", apply);
  return () => {
    input.value = "";
    apply();
  };
}

document.documentElement.classList.add("js");
document.querySelectorAll("table.sortable").forEach(makeSortable);
