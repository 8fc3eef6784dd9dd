// What a page about runs shows on demand; tables.js is before it.

const STEPS = 16; // classes v0 to v15 of the heat map
const MOST_TOPICS_WITH_VALUES = 25;
const MOST_SHOWN_RUNS = 3;

function format(value, digits = 4) {
  return value === null || value === undefined || Number.isNaN(value) ? "–" : value.toFixed(digits);
}

function formatSigned(value, digits = 4) {
  const text = format(value, digits);
  return value > 0 ? `+${text}` : text.replace("-", "−");
}

// No resample as extreme as the difference gives 0, which is less than 0.0001 only if there are many resamples.
function formatP(p) {
  if (p === 0) return "0";
  return p !== null && p < 0.0001 ? "< 0.0001" : format(p);
}

function formatBound(value) {
  return String(Number(value.toPrecision(4)));
}

const hashOf = (kind, name) => `#${kind}-${encodeURIComponent(name)}`;

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a percent sign that encodes nothing
  }
}

// The leaderboard

const board = byId("board");
const boardRows = [...board.tBodies[0].rows];
const measureHeads = [...board.tHead.querySelectorAll("th[data-measure]")];
const measureNames = measureHeads.map((head) => head.dataset.measure);
const firstMeasure = measureHeads[0].cellIndex;
const baselineRow = boardRows.find((row) => row.classList.contains("is-baseline"));

function boardCell(row, measure) {
  const cell = row.cells[firstMeasure + measure];
  const { value, low, high, p } = cell.dataset;
  const mark = cell.querySelector(".mark .hidden-text")?.textContent ?? "";
  return { mean: Number(value), low: Number(low), high: Number(high), p: p === undefined ? null : Number(p), mark };
}

function renumberBoard(column) {
  if (column < firstMeasure) return;
  const lessIsBetter = measureHeads[column - firstMeasure].dataset.first === "ascending";
  const keyed = boardRows.map((row) => ({ row, key: sortKey(row, column) }));
  keyed.sort((one, two) => compareKeys(one.key, two.key, lessIsBetter ? 1 : -1));
  let rank = 0;
  keyed.forEach(({ row, key }, index) => {
    if (index === 0 || key !== keyed[index - 1].key) rank = index + 1; // equal means share a rank
    row.querySelector(".rank").textContent = rank;
    for (const cell of row.cells) cell.classList.toggle("is-sorted", cell.cellIndex === column);
  });
}

function closeRun() {
  board.querySelector("tr.detail")?.remove();
  for (const row of board.querySelectorAll("tr.is-open")) {
    row.classList.remove("is-open");
    row.querySelector("a.name").setAttribute("aria-expanded", "false");
  }
}

function openRun(name) {
  const row = boardRows.find((one) => one.dataset.run === name);
  if (!row) return;
  closeRun();
  if (row.hidden) showAllRuns();
  row.classList.add("is-open");
  row.querySelector("a.name").setAttribute("aria-expanded", "true");
  const cell = element("td", { colspan: row.cells.length }, runDetails(row, name));
  row.after(element("tr", { class: "detail" }, cell));
  row.scrollIntoView({ block: "nearest" });
  byId("leaderboard").scrollIntoView({ block: "start" });
  row.scrollIntoView({ block: "center" });
}

function runDetails(row, name) {
  const cells = measureNames.map((_, measure) => boardCell(row, measure));
  const isTested = cells.some((cell) => cell.p !== null);
  const titles = ["Measure", "Mean", "Interval", ...(isTested ? ["Difference", "p", "Significant"] : [])];
  const rows = cells.map((cell, measure) => [
    measureNames[measure],
    format(cell.mean),
    `${format(cell.low)} – ${format(cell.high)}`,
    ...(isTested ? [formatSigned(cell.mean - boardCell(baselineRow, measure).mean), formatP(cell.p), cell.p === null ? "–" : cell.mark || "no"] : []),
  ]);
  const close = element("button", { type: "button" }, "Close");
  close.addEventListener("click", () => {
    closeRun();
    history.replaceState(null, "", "#leaderboard");
    row.querySelector("a.name").focus();
  });
  const actions = element("p", { class: "actions" }, close);
  const other = row === baselineRow || !baselineRow ? boardRows.find((one) => one !== row && one !== baselineRow) : baselineRow;
  if (other) {
    const address = compareHash(name, other.dataset.run, measureNames[0]);
    actions.append(element("a", { href: address }, `Compare with ${other.dataset.run} topic by topic`));
  }
  const group = row.querySelector(".group")?.textContent;
  const caption = group ? `Group ${group} by ${measureNames[0]}.` : isTested ? `Differences are from the baseline ${baselineRow.dataset.run}.` : "Means of the run.";
  return element("div", { class: "detail-box" }, element("h3", {}, name), scrolling(`Values of ${name}`, plainTable(titles, rows, caption)), actions);
}

function plainTable(titles, rows, caption) {
  const head = element("thead", {}, element("tr", {}, ...titles.map((title, column) => element("th", { scope: "col", class: column ? null : "text" }, title))));
  const body = element("tbody", {}, ...rows.map((values) => element("tr", {}, element("th", { scope: "row", class: "text" }, values[0]), ...values.slice(1).map((value) => element("td", {}, value)))));
  return element("table", {}, element("caption", {}, caption), head, body);
}

function scrolling(label, table) {
  return element("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": label }, table);
}

for (const row of boardRows) row.querySelector("a.name").setAttribute("aria-expanded", "false");
board.addEventListener("sorted", (event) => renumberBoard(event.detail.column));
board.tHead.addEventListener("click", closeRun, true);
board.addEventListener("click", (event) => {
  const link = event.target.closest("tr.is-open a.name");
  if (!link) return;
  event.preventDefault();
  closeRun();
  history.replaceState(null, "", "#leaderboard");
});
byId("filter-runs").addEventListener("input", closeRun);
const showAllRuns = makeFilter({
  input: byId("filter-runs"), items: boardRows, textOf: (row) => row.dataset.run,
  count: byId("count-of-runs"), nothing: byId("no-run"), noun: "run",
});

// Figures: elements whose id ends in run-<index> show the name of their run

function labelFigure(figure) {
  const svg = figure.querySelector("svg");
  const drawing = figure.querySelector(".drawing");
  const live = figure.querySelector("[aria-live]");
  const parts = partsByRun(svg);
  if (!parts.size) return;
  const label = element("span", { class: "pointed-name", "aria-hidden": "true", hidden: true });
  drawing.append(label);
  // A picture has no parts for a screen reader; a group has.
  svg.setAttribute("role", "group");
  const stops = [...parts].map(([index, groups]) => makeStop(groups, boardRows[index].dataset.run));
  stops[0].setAttribute("tabindex", "0");

  const runOf = (node) => node.closest?.("g.run")?.dataset.index;
  const leave = () => {
    label.hidden = true;
    for (const group of svg.querySelectorAll("g.is-pointed")) group.classList.remove("is-pointed");
  };
  const point = (index) => {
    leave();
    const groups = parts.get(Number(index));
    for (const group of groups) group.classList.add("is-pointed");
    label.textContent = live.textContent = boardRows[index].dataset.run;
    label.hidden = false;
    placeLabel(label, drawing, groups[0]);
  };
  const open = (index) => {
    location.hash = hashOf("run", boardRows[index].dataset.run);
  };
  const pointOrLeave = (event) => (runOf(event.target) === undefined ? leave() : point(runOf(event.target)));
  svg.addEventListener("pointerover", pointOrLeave);
  svg.addEventListener("pointerleave", leave);
  svg.addEventListener("focusin", pointOrLeave);
  svg.addEventListener("focusout", leave);
  svg.addEventListener("click", (event) => {
    const index = runOf(event.target);
    if (index !== undefined && event.pointerType !== "touch") open(index); // a finger reads the name
  });
  svg.addEventListener("keydown", (event) => {
    if (event.key === "Enter") open(runOf(event.target));
    moveStop(stops, event);
  });
}

function partsByRun(svg) {
  const parts = new Map();
  for (const group of svg.querySelectorAll("g[id]")) {
    const index = Number(group.id.match(/(?:^|-)run-(\d+)$/)?.[1] ?? NaN);
    if (!boardRows[index]) continue;
    group.removeAttribute("id"); // run-<name> is a row of the leaderboard
    group.classList.add("run");
    group.dataset.index = index;
    parts.set(index, [...(parts.get(index) ?? []), group]);
  }
  return new Map([...parts].sort(([one], [two]) => one - two));
}

function makeStop([first], name) {
  first.setAttribute("role", "img");
  first.setAttribute("aria-label", name);
  first.setAttribute("tabindex", "-1");
  return first;
}

function moveStop(stops, event) {
  const index = stops.indexOf(event.target);
  const last = stops.length - 1;
  const targets = { ArrowDown: index + 1, ArrowRight: index + 1, ArrowUp: index - 1, ArrowLeft: index - 1, Home: 0, End: last };
  const next = stops[targets[event.key]];
  if (!next) return;
  event.preventDefault();
  event.target.setAttribute("tabindex", "-1");
  next.setAttribute("tabindex", "0");
  next.focus();
}

function placeLabel(label, drawing, group) {
  const inside = drawing.getBoundingClientRect();
  const box = group.getBoundingClientRect();
  const left = box.left + box.width / 2 - inside.left - label.offsetWidth / 2;
  const top = box.top - inside.top - label.offsetHeight - 4;
  label.style.left = `${drawing.scrollLeft + Math.max(0, Math.min(left, inside.width - label.offsetWidth))}px`;
  label.style.top = `${drawing.scrollTop + (top < 0 ? box.bottom - inside.top + 4 : top)}px`;
}

document.querySelectorAll("#figures figure").forEach(labelFigure);

// The block of data

async function readData() {
  const text = atob(byId("data").textContent.trim());
  const packed = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) packed[index] = text.charCodeAt(index);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

function fillSelect(select, names, chosen = 0) {
  select.replaceChildren(...names.map((name, index) => element("option", { value: index }, name)));
  select.value = chosen;
}

function share(measure, value) {
  const { low, high } = measure;
  return high > low ? Math.min(1, Math.max(0, (value - low) / (high - low))) : 0;
}

function topicTitle(topic) {
  return topic.text ? `${topic.id} “${topic.text}”` : topic.id;
}

const defined = (values) => values.filter((value) => value !== null);

function mean(values) {
  return values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : null;
}

function variance(values) {
  const center = mean(values);
  return values.length ? mean(values.map((value) => (value - center) ** 2)) : null;
}

// The heat map

function startHeatMap(data, showTopic) {
  const table = byId("heat");
  const [measures, order, withValues, status] = ["heat-measure", "heat-order", "heat-values", "heat-status"].map(byId);
  fillSelect(measures, measureNames);
  withValues.checked = data.topics.length <= MOST_TOPICS_WITH_VALUES;
  let topics = [];

  const render = () => {
    const measure = Number(measures.value);
    const values = data.values[measure];
    topics = orderTopics(data, measure, order.value);
    table.classList.toggle("has-values", withValues.checked);
    table.style.setProperty("--cell", withValues.checked ? "2.5rem" : data.topics.length <= 60 ? "1.25rem" : ".8rem");
    table.replaceChildren(
      element("caption", { class: "hidden-text" }, `${measureNames[measure]} of each run, best first, in each topic`),
      heatHead(data, topics),
      heatBody(data, values, topics, data.measures[measure], withValues.checked),
    );
    status.textContent = "Point at a cell, or use the arrow keys, to see its value.";
    renderHeatLegend(data.measures[measure]);
  };
  const positionOf = (cell) => ({ run: cell.parentNode.sectionRowIndex, topic: topics[cell.cellIndex - 1] });
  const describe = (cell) => {
    const { run, topic } = positionOf(cell);
    const value = data.values[measures.value][run][topic];
    const link = element("a", { href: hashOf("topic", data.topics[topic].id) }, "Open topic");
    link.addEventListener("click", (event) => {
      event.preventDefault();
      showTopic(topic, run);
    });
    status.replaceChildren(
      element("b", {}, data.runs[run]), `, topic ${topicTitle(data.topics[topic])}: `, element("b", {}, format(value)), " · ", link,
    );
  };
  const focus = (cell) => {
    table.querySelector("td[tabindex='0']")?.setAttribute("tabindex", "-1");
    cell.setAttribute("tabindex", "0");
    cell.focus();
  };

  table.addEventListener("pointerover", (event) => event.target.matches("td") && describe(event.target));
  table.addEventListener("focusin", (event) => event.target.matches("td") && describe(event.target));
  table.addEventListener("click", (event) => {
    if (!event.target.matches("td")) return;
    const { run, topic } = positionOf(event.target);
    focus(event.target);
    if (event.pointerType !== "touch") showTopic(topic, run); // a finger first reads the value, then follows the link
  });
  table.addEventListener("keydown", (event) => {
    if (!event.target.matches("td")) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      const { run, topic } = positionOf(event.target);
      showTopic(topic, run);
    }
    const next = neighbor(table, event.target, event);
    if (!next) return;
    event.preventDefault();
    focus(next);
  });
  for (const control of [measures, order, withValues]) control.addEventListener("change", render);
  whenNear(byId("heatmap"), render);
}

function orderTopics(data, measure, order) {
  const topics = data.topics.map((_, topic) => topic);
  if (order === "id") return topics;
  const statistic = order === "mean" ? mean : variance;
  const keys = topics.map((topic) => statistic(defined(data.values[measure].map((row) => row[topic]))) ?? NaN);
  const sign = order === "mean" && data.measures[measure].less_is_better ? 1 : -1;
  return topics.sort((one, two) => compareKeys(keys[one], keys[two], sign) || one - two);
}

function heatHead(data, topics) {
  const heads = topics.map((topic) => {
    const { id, text } = data.topics[topic];
    return element("th", { scope: "col", title: text ? `${id} ${text}` : id }, element("span", {}, id));
  });
  return element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "Run"), ...heads));
}

function heatBody(data, values, topics, measure, withValues) {
  const body = document.createElement("tbody");
  data.runs.forEach((name, run) => {
    const row = body.insertRow();
    row.append(element("th", { scope: "row", title: name }, name));
    for (const topic of topics) {
      const value = values[run][topic];
      const cell = row.insertCell();
      cell.className = value === null ? "undefined" : `v${Math.round(share(measure, value) * (STEPS - 1))}`;
      cell.tabIndex = -1;
      if (withValues) cell.textContent = format(value, 2);
      else cell.ariaLabel = format(value);
    }
  });
  const first = body.querySelector("td");
  if (first) first.tabIndex = 0;
  return body;
}

function renderHeatLegend(measure) {
  const steps = Array.from({ length: STEPS }, (_, step) => element("i", { class: `v${step}` }));
  const scale = element("span", { class: "scale" }, formatBound(measure.low), " ", ...steps, " ", formatBound(measure.high));
  byId("heat-legend").replaceChildren(scale, element("span", {}, `${measure.name}; ${measure.less_is_better ? "less" : "more"} is better`));
}

function neighbor(table, cell, event) {
  const rows = table.tBodies[0].rows;
  const row = cell.parentNode.sectionRowIndex;
  const column = cell.cellIndex;
  const lastColumn = cell.parentNode.cells.length - 1;
  const lastRow = rows.length - 1;
  const moves = {
    ArrowRight: [row, column + 1], ArrowLeft: [row, column - 1], ArrowDown: [row + 1, column], ArrowUp: [row - 1, column],
    Home: [event.ctrlKey ? 0 : row, 1], End: [event.ctrlKey ? lastRow : row, lastColumn],
    PageDown: [Math.min(lastRow, row + 10), column], PageUp: [Math.max(0, row - 10), column],
  };
  const move = moves[event.key];
  return move && move[1] >= 1 ? rows[move[0]]?.cells[move[1]] : undefined;
}

function whenNear(node, action) {
  const observer = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && run(), { rootMargin: "400px" });
  const run = () => {
    observer.disconnect();
    window.removeEventListener("beforeprint", run);
    action();
  };
  observer.observe(node);
  window.addEventListener("beforeprint", run);
}

// The comparison of two runs

function compareHash(a, b, measure) {
  return `#compare?${new URLSearchParams({ a, b, m: measure })}`;
}

function startComparison(data, topicLink) {
  const [selectA, selectB, measures] = ["compare-a", "compare-b", "compare-measure"].map(byId);
  const other = data.baseline === null || data.baseline === 0 ? 1 : data.baseline;
  fillSelect(selectA, data.runs, 0);
  fillSelect(selectB, data.runs, other);
  fillSelect(measures, measureNames);
  const choice = () => [selectA, selectB, measures].map((select) => Number(select.value));
  const render = () => renderComparison(data, ...choice(), topicLink);
  for (const select of [selectA, selectB, measures]) {
    select.addEventListener("change", () => {
      const [a, b, measure] = choice();
      history.replaceState(null, "", compareHash(data.runs[a], data.runs[b], measureNames[measure]));
      render();
    });
  }
  whenNear(byId("compare"), render);
  return (parameters) => {
    const wanted = [[selectA, data.runs, "a"], [selectB, data.runs, "b"], [measures, measureNames, "m"]];
    for (const [select, names, parameter] of wanted) {
      const index = names.indexOf(parameters.get(parameter));
      if (index >= 0) select.value = index;
    }
    render();
    byId("compare").scrollIntoView();
  };
}

function renderComparison(data, a, b, measureIndex, topicLink) {
  const measure = data.measures[measureIndex];
  const [valuesA, valuesB] = [a, b].map((run) => data.values[measureIndex][run]);
  const sign = measure.less_is_better ? -1 : 1;
  const isDefined = (topic) => valuesA[topic] !== null && valuesB[topic] !== null;
  const rows = data.topics
    .map((_, topic) => topic)
    .filter(isDefined)
    .map((topic) => ({ topic, difference: valuesA[topic] - valuesB[topic] }))
    .sort((one, two) => sign * (two.difference - one.difference) || one.topic - two.topic);
  const largest = Math.max(...rows.map(({ difference }) => Math.abs(difference)), Number.MIN_VALUE);
  const titles = [
    element("th", { scope: "col", class: "topic" }, "Topic"),
    element("th", { scope: "col", class: "value" }, "A", element("span", { class: "value-name" }, `: ${data.runs[a]}`)),
    element("th", { scope: "col", class: "value" }, "B", element("span", { class: "value-name" }, `: ${data.runs[b]}`)),
    element("th", { scope: "col", class: "difference" }, "A − B"),
    element("th", { scope: "col", class: "bar-cell" }, element("span", { class: "hidden-text" }, "Bar")),
  ];
  const body = rows.map(({ topic, difference }) => element(
    "tr", {},
    element("th", { scope: "row", class: "topic", title: topicTitle(data.topics[topic]) }, topicLink(topic, a, b), ` ${data.topics[topic].text}`),
    element("td", {}, format(valuesA[topic])),
    element("td", {}, format(valuesB[topic])),
    element("td", {}, formatSigned(difference)),
    element("td", { class: "bar-cell" }, differenceBar(difference / largest, sign)),
  ));
  byId("comparison").replaceChildren(
    element("caption", { class: "hidden-text" }, `${measure.name} of ${data.runs[a]} and ${data.runs[b]} by topic, sorted by difference`),
    element("thead", {}, element("tr", {}, ...titles)),
    element("tbody", {}, ...body),
  );
  byId("comparison").classList.add("first-column-sticks");
  byId("compare-summary").replaceChildren(...comparisonSummary(data, a, b, measureIndex, rows, sign));
}

function differenceBar(part, sign) {
  const bar = element("span", { class: part * sign > 0 ? "fill-better" : "fill-worse" });
  const size = 50 * Math.abs(part);
  bar.style.setProperty("--start", `${part < 0 ? 50 - size : 50}%`);
  bar.style.setProperty("--size", `${size}%`);
  return element("span", { class: "track" }, ...(part ? [bar] : []));
}

function comparisonSummary(data, a, b, measure, rows, sign) {
  if (a === b) return [element("p", {}, "A and B are the same run; choose two runs.")];
  const advantages = rows.map(({ difference }) => sign * difference);
  const wins = advantages.filter((value) => value > 0).length;
  const losses = advantages.filter((value) => value < 0).length;
  const item = (text, value, color) => element("li", {}, `${text}: `, element("b", { class: color }, value));
  const counts = element(
    "ul", { class: "counts" },
    item("topics where A is better", wins, "better"),
    item("equal", rows.length - wins - losses),
    item("B is better", losses, "worse"),
    item("mean of A − B", formatSigned(mean(rows.map(({ difference }) => difference)))),
  );
  return [counts, element("p", { class: "muted" }, comparisonTest(data, a, b, measure))];
}

function comparisonTest(data, a, b, measure) {
  const tested = a === data.baseline ? b : b === data.baseline ? a : null;
  const cell = tested === null ? null : boardCell(boardRows.find((row) => row.dataset.run === data.runs[tested]), measure);
  if (!cell || cell.p === null) return "This describes the topics of this collection; it is not a significance test.";
  const verdict = cell.mark ? `${data.runs[tested]} is significantly ${cell.mark}` : "the difference is not significant";
  const p = formatP(cell.p);
  const equals = p.startsWith("<") ? "" : "= ";
  const correction = "corrected" in board.dataset ? " after correction" : "";
  return `Test against the baseline ${data.runs[data.baseline]}: p ${equals}${p}${correction}; ${verdict}.`;
}

// Topics

function startTopics(data) {
  const list = byId("list-of-topics");
  const measures = byId("measure-of-topics");
  const second = data.baseline === null || data.baseline === 0 ? 1 : data.baseline;
  const shown = [0, second].filter((run) => run < data.runs.length);
  fillSelect(measures, measureNames);
  const items = data.topics.map((topic, index) => topicItem(data, topic, index, shown));
  list.append(...items);
  const drawStrips = () => items.forEach((item, topic) => renderStrip(item, data, topic, Number(measures.value)));
  drawStrips();
  renderStripLegend(data, Number(measures.value));
  measures.addEventListener("change", () => {
    drawStrips();
    renderStripLegend(data, Number(measures.value));
  });
  const showAll = makeFilter({
    input: byId("filter-topics"), items, textOf: (item) => item.querySelector(".topic-title").textContent,
    count: byId("count-of-topics"), nothing: byId("no-topic"), noun: "topic",
  });
  return (topic, ...runs) => {
    const wanted = runs.filter((run) => !shown.includes(run));
    if (wanted.length) shown.splice(0, shown.length, ...new Set([...runs, ...shown].slice(0, Math.max(runs.length, 2))));
    if (items[topic].hidden) showAll();
    if (items[topic].open) renderTopic(items[topic], data, topic, shown);
    items[topic].open = true;
    renderTopicOnce(items[topic], data, topic, shown);
    items[topic].scrollIntoView();
    items[topic].querySelector("summary").focus({ preventScroll: true });
  };
}

function topicItem(data, topic, index, shown) {
  const title = element("span", { class: "topic-title" }, element("b", {}, topic.id), topic.text);
  const summary = element("summary", {}, title, element("span", { class: "strip-place" }), element("span", { class: "topic-mean" }));
  const item = element("details", { class: "topic", id: `topic-${encodeURIComponent(topic.id)}` }, summary);
  item.addEventListener("toggle", () => item.open && renderTopicOnce(item, data, index, shown));
  return item;
}

function renderStrip(item, data, topic, measureIndex) {
  const measure = data.measures[measureIndex];
  const values = data.values[measureIndex].map((row) => row[topic]);
  const all = defined(values);
  const mark = (value) => (value === null || value === undefined ? "" : `M${share(measure, value).toFixed(4)} 0V1`);
  const svg = svgElement("svg", { class: "strip", viewBox: "0 0 1 1", preserveAspectRatio: "none", "aria-hidden": "true" });
  svg.append(svgElement("path", { d: all.map(mark).join("") }));
  if (data.baseline !== null) svg.append(svgElement("path", { class: "is-baseline", d: mark(values[data.baseline]) }));
  svg.append(svgElement("path", { class: "is-best", d: mark(values[0]) }));
  const range = all.length ? `values from ${format(Math.min(...all), 2)} to ${format(Math.max(...all), 2)}, mean ` : "";
  item.querySelector(".strip-place").replaceChildren(svg, element("span", { class: "hidden-text" }, range));
  item.querySelector(".topic-mean").replaceChildren(format(mean(all), 3));
}

function svgElement(tag, attributes) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}

function renderStripLegend(data, measureIndex) {
  const { name, low, high } = data.measures[measureIndex];
  const key = (kind, text) => element("span", {}, element("i", { class: `key ${kind}` }), text);
  const keys = [
    element("span", {}, `${name} from ${formatBound(low)} to ${formatBound(high)}, with the mean of all runs:`),
    key("any", "a run"),
    key("is-best", `${data.runs[0]} (first of the leaderboard)`),
  ];
  if (data.baseline > 0) keys.push(key("is-baseline", `${data.runs[data.baseline]} (baseline)`));
  byId("legend-of-topics").replaceChildren(...keys);
}

function renderTopicOnce(item, data, topic, shown) {
  if (!item.querySelector(".topic-body")) renderTopic(item, data, topic, shown);
}

function renderTopic(item, data, topic, shown) {
  const { id } = data.topics[topic];
  const content = element("div");
  const update = () => content.replaceChildren(...topicContent(data, topic, shown));
  const selects = Array.from({ length: Math.min(MOST_SHOWN_RUNS, data.runs.length) }, (_, slot) => runSelect(data, shown, slot));
  selects.forEach((select) => select.addEventListener("change", () => {
    shown.splice(0, shown.length, ...new Set(selects.map((one) => Number(one.value)).filter((run) => run >= 0)));
    update();
  }));
  const labels = selects.map((select, slot) => element("label", {}, `Run ${slot + 1}`, select));
  const link = element("p", {}, element("a", { href: hashOf("topic", id) }, `Link to topic ${id}`));
  item.querySelector(".topic-body")?.remove();
  item.append(element("div", { class: "topic-body" }, element("div", { class: "controls" }, ...labels), content, link));
  update();
}

function runSelect(data, shown, slot) {
  const select = element("select");
  const none = slot ? [element("option", { value: -1 }, "none")] : [];
  select.append(...none, ...data.runs.map((name, run) => element("option", { value: run }, name)));
  select.value = shown[slot] ?? -1;
  return select;
}

function topicContent(data, topic, runs) {
  const parts = [];
  if (data.rankings) {
    const grades = new Map(data.judged[topic]);
    const lists = runs.map((run) => documentList(data, topic, run, grades));
    if (data.has_intents) parts.push(element("h3", {}, "Intents"), scrolling("Intents", intentTable(data, topic, runs, grades)));
    parts.push(element("h3", {}, `First ${data.cutoff} documents`), element("div", { class: "run-lists" }, ...lists));
  }
  parts.push(element("h3", {}, "Values"), scrolling("Values", valueTable(data, topic, runs)));
  if (data.trees?.[topic]) parts.push(element("h3", {}, "Hierarchy of intents"), element("pre", { tabindex: "0", role: "group", "aria-label": "Hierarchy of intents" }, data.trees[topic]));
  return parts;
}

function gradeOf(grades, document, intent) {
  return grades.get(document)?.find(([one]) => one === intent)?.[1] ?? 0;
}

function intentTable(data, topic, runs, grades) {
  const intents = data.intents[topic];
  const hasImportance = intents.some((intent) => intent.importance);
  const ranksOf = (run, intent) => data.rankings[run][topic].flatMap((document, index) => (gradeOf(grades, document, intent) > 0 ? [index + 1] : []));
  const titles = [["Intent", "text"], ["Probability"], ...(hasImportance ? [["Importance", "text"]] : []), ["Runs that cover it"], ...runs.map((run) => [`Ranks in ${data.runs[run]}`, "run-head"])];
  const rows = intents.map((intent, index) => {
    const covering = data.runs.filter((_, run) => ranksOf(run, index).length).length;
    return element(
      "tr", {},
      element("th", { scope: "row", class: "text description" }, element("b", {}, intent.id), ` ${intent.text ?? ""}`),
      element("td", {}, format(intent.probability, 3)),
      ...(hasImportance ? [element("td", { class: "text" }, intent.importance ?? "–")] : []),
      element("td", {}, `${covering} of ${data.runs.length}`),
      ...runs.map((run) => element("td", {}, ranksOf(run, index).join(", ") || "–")),
    );
  });
  return element(
    "table", { class: "intents" },
    element("caption", { class: "hidden-text" }, `Intents of topic ${data.topics[topic].id}`),
    element("thead", {}, element("tr", {}, ...titles.map(([title, name]) => element("th", { scope: "col", class: name }, title)))),
    element("tbody", {}, ...rows),
  );
}

function documentList(data, topic, run, grades) {
  const rows = data.rankings[run][topic].map((document, index) => element(
    "tr", {},
    element("td", {}, index + 1),
    element("th", { scope: "row", class: "text doc" }, data.documents[topic][document]),
    element("td", { class: "text" }, ...judgment(data, topic, grades.get(document))),
  ));
  const titles = [["Rank", "rank-column"], ["Document", "text"], [data.has_intents ? "Intent: grade" : "Grade", "text grade-column"]];
  const table = element(
    "table", { class: "documents" },
    element("caption", { class: "hidden-text" }, `Documents of ${data.runs[run]}`),
    element("thead", {}, element("tr", {}, ...titles.map(([title, name]) => element("th", { scope: "col", class: name }, title)))),
    element("tbody", {}, ...rows),
  );
  const name = element("h4", { class: "run-name" }, data.runs[run]);
  return element("div", {}, name, rows.length ? table : element("p", { class: "muted" }, "The run has no documents for this topic."));
}

function judgment(data, topic, pairs) {
  if (pairs === undefined) return [element("span", { class: "muted" }, "not judged")];
  const relevant = pairs.filter(([, grade]) => grade > 0);
  if (!relevant.length) return [element("span", { class: "muted" }, "not relevant")];
  // A space between the grades, for screen readers and for copies of the text.
  return relevant.flatMap(([intent, grade]) => [element("span", { class: "grade" }, data.has_intents ? `${data.intents[topic][intent].id}: ${grade}` : grade), " "]);
}

function valueTable(data, topic, runs) {
  const titles = ["Measure", ...runs.map((run) => data.runs[run])];
  const rows = measureNames.map((name, measure) => [name, ...runs.map((run) => format(data.values[measure][run][topic]))]);
  return plainTable(titles, rows, `Values of topic ${data.topics[topic].id}`);
}

// Downloads

function csvText(value) {
  const text = String(value);
  // Spreadsheets read text that starts like this as a formula.
  const safe = /^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const csvNumber = (value) => (value === null ? "" : String(value));

function download(name, lines) {
  const address = URL.createObjectURL(new Blob([`${lines.join("\n")}\n`], { type: "text/csv" }));
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

function valueLines(data) {
  const lines = ["run,query_id,measure,value"];
  data.runs.forEach((run, i) => data.topics.forEach((topic, j) => measureNames.forEach((measure, k) => {
    lines.push([csvText(run), csvText(topic.id), csvText(measure), csvNumber(data.values[k][i][j])].join(","));
  })));
  return lines;
}

function boardLines() {
  const lines = ["run,measure,mean,low,high,p"];
  for (const row of boardRows) {
    measureNames.forEach((measure, index) => {
      const { mean, low, high, p } = boardCell(row, index);
      lines.push([csvText(row.dataset.run), csvText(measure), ...[mean, low, high, p].map(csvNumber)].join(","));
    });
  }
  return lines;
}

// Start

function followHash(openTopic, compare, topicIndex) {
  const raw = location.hash.slice(1);
  const hash = decoded(raw);
  if (raw.startsWith("compare?")) compare?.(new URLSearchParams(raw.slice("compare?".length)));
  else if (hash.startsWith("topic-") && topicIndex.has(hash.slice(6))) openTopic(topicIndex.get(hash.slice(6)));
  else if (hash.startsWith("run-")) openRun(hash.slice(4));
  else if (!hash) closeRun(); // back to where no run was open
}

async function start() {
  const data = await readData();
  const topicIndex = new Map(data.topics.map((topic, index) => [topic.id, index]));
  const openTopic = startTopics(data);
  const showTopic = (topic, ...runs) => {
    history.pushState(null, "", hashOf("topic", data.topics[topic].id));
    openTopic(topic, ...runs);
  };
  const topicLink = (topic, ...runs) => {
    const link = element("a", { href: hashOf("topic", data.topics[topic].id) }, data.topics[topic].id);
    link.addEventListener("click", (event) => {
      event.preventDefault();
      showTopic(topic, ...runs);
    });
    return link;
  };
  startHeatMap(data, showTopic);
  const compare = byId("compare") ? startComparison(data, topicLink) : null;
  byId("download-values").addEventListener("click", () => download("values.csv", valueLines(data)));
  byId("download-board").addEventListener("click", () => download("leaderboard.csv", boardLines()));
  const follow = () => followHash(openTopic, compare, topicIndex);
  window.addEventListener("hashchange", follow);
  if (location.hash) follow();
  document.documentElement.dataset.ready = "true";
}

start().catch((error) => {
  byId("broken").hidden = false;
  byId("broken").textContent = `The details cannot be shown in this browser: ${error.message}. The leaderboard and the figures can.`;
  throw error;
});
