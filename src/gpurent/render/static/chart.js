// Cost per epoch against epoch time: one mark an offer, both axes logarithmic.

const MOST_MARKS = 2000;
const BEST_KEPT = 500;
const CELL = 4; // px: of marks that lie on each other one is drawn when there are too many

const TIME_TICKS = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 18000, 36000, 86400, 172800, 432000,
  864000, 2592000, 8640000, 31536000, 315360000, 3153600000];

const chart = { rows: [], x: [], y: [], node: null, active: null, overlay: null, tip: null };

function logScale(low, high, from, to) {
  const [a, b] = [Math.log(low), Math.log(high)];
  return (value) => from + ((Math.log(value) - a) / (b - a)) * (to - from);
}

const FEWEST_TICKS = 3; // fewer on the usual steps: even steps instead
const DECADES_OF_TENS = 4; // over so many decades only powers of ten are named

function costTicks(low, high) {
  const found = [];
  const digits = Math.log10(high / low) > DECADES_OF_TENS ? [1] : [1, 2, 5];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
    for (const digit of digits) found.push(Number(`${digit}e${power}`));
  }
  return orEven(found, low, high);
}

// The ticks that lie between two values; where they are few, even steps of 1, 2 or 5.
function orEven(ticks, low, high) {
  const inside = ticks.filter((value) => value >= low && value <= high);
  if (inside.length >= FEWEST_TICKS) return inside;
  const rough = (high - low) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((digit) => digit * power).find((each) => each >= rough);
  const even = [];
  for (let count = Math.ceil(low / step); count * step <= high; count++) even.push(Number((count * step).toPrecision(6)));
  return even;
}

// Steps of time are even in the unit the axis speaks of.
function timeTicks(low, high) {
  const unit = [86400, 3600, 60].find((size) => high >= 2 * size) || 1;
  return orEven(TIME_TICKS.map((tick) => tick / unit), low / unit, high / unit).map((tick) => tick * unit);
}

// Of these values those whose words stand far enough from each other.
function spaced(values, scale, room) {
  let last = null;
  return values.filter((value) => {
    if (last !== null && Math.abs(scale(value) - last) < room) return false;
    last = scale(value);
    return true;
  });
}

// The span of a column with room around it, more before than after: there the names of the frontier stand.
function extent(rows, column, before, after) {
  let [low, high] = [Infinity, -Infinity];
  for (const row of rows) {
    if (!(column[row] > 0)) continue;
    low = Math.min(low, column[row]);
    high = Math.max(high, column[row]);
  }
  if (!(low <= high)) return [1, 10];
  const span = Math.max(3, high / low);
  return [low / span ** before, high * span ** after];
}

const SHAPES = {
  whole: (x, y, size) => `M${x - size},${y}a${size},${size} 0 1,0 ${2 * size},0a${size},${size} 0 1,0 ${-2 * size},0Z`,
  slice: (x, y, size) => `M${x},${y - size * 1.3}l${size * 1.3},${size * 1.3}l${-size * 1.3},${size * 1.3}l${-size * 1.3},${-size * 1.3}Z`,
  unknown: (x, y, size) => `M${x},${y - size * 1.2}l${size * 1.15},${size * 2}l${-size * 2.3},0Z`,
  mine: (x, y, size) => `M${x - size},${y}h${2 * size}M${x},${y - size}v${2 * size}`,
};
const shape = (row, x, y, size) => SHAPES[row === MINE ? "mine" : shareOf(row)](round(x), round(y), size);
const round = (value) => Math.round(value * 10) / 10;

function drawn(rows, best, x, y) {
  if (rows.length <= MOST_MARKS) return rows;
  const kept = new Set(best);
  const ordered = [...rows].sort((a, b) => a - b);
  ordered.slice(0, BEST_KEPT).forEach((row) => kept.add(row));
  if (state.selected !== null && state.selected !== MINE && rows.includes(state.selected)) kept.add(state.selected);
  const cells = new Set();
  for (const row of ordered) {
    if (kept.size >= MOST_MARKS) break;
    const cell = `${Math.round(x(time[row]) / CELL)},${Math.round(y(cost[row]) / CELL)}`;
    if (!cells.has(cell)) kept.add(row);
    cells.add(cell);
  }
  return ordered.filter((row) => kept.has(row));
}

function drawChart() {
  const figure = byId("chart");
  const width = Math.max(280, figure.clientWidth);
  const narrow = width < 560;
  const height = narrow ? 340 : 440;
  const edge = { left: narrow ? 54 : 60, right: 14, top: 36, bottom: 46 };
  const rows = shown.filter((row) => time[row] > 0 && cost[row] > 0);
  const all = MINE !== null && time[MINE] > 0 ? [...rows, MINE] : rows;
  const [t0, t1] = extent(all, time, narrow ? 0.05 : 0.17, 0.04);
  const [c0, c1] = extent(all, cost, 0.14, 0.05);
  const x = logScale(t0, t1, edge.left, width - edge.right);
  const y = logScale(c0, c1, height - edge.bottom, edge.top);
  const best = frontier(rows);
  const marks = drawn(rows, best, x, y).sort((a, b) => time[a] - time[b] || a - b);
  const onFrontier = new Set(best);

  const root = svg("svg", {
    viewBox: `0 0 ${width} ${height}`, width, height, role: "listbox", tabindex: rows.length ? 0 : null,
    "aria-label": say("chart-name", { n: marks.length }), "aria-describedby": "chart-help",
    onkeydown: chartKey, onfocus: () => chart.active === null && marks.length && activate(firstActive(best)),
    onblur: () => activate(null), onpointermove: chartPoint, onpointerleave: () => activate(null), onclick: chartClick,
  });
  root.append(axes(width, height, edge, x, y, [t0, t1], [c0, c1]));
  const clip = svg("clipPath", { id: "plot" }, svg("rect", {
    x: edge.left, y: edge.top, width: width - edge.left - edge.right, height: height - edge.top - edge.bottom,
  }));
  root.append(svg("defs", { role: "presentation" }, clip));
  const plot = svg("g", { "clip-path": "url(#plot)", role: "presentation" });
  if (best.length) plot.append(svg("path", { class: "frontier-line", d: stairs(best, x, y, width - edge.right), role: "presentation" }));
  const layers = [svg("g", { class: "marks", role: "presentation" }), svg("g", { class: "marks best", role: "presentation" })];
  chart.nodes = new Map();
  for (const row of marks) {
    const mark = svg("path", {
      class: `mark ${shareOf(row)}`, d: shape(row, x(time[row]), y(cost[row]), onFrontier.has(row) ? 5 : narrow ? 2.8 : 3.8),
      id: `mark-${row}`, role: "option", "aria-selected": row === state.selected ? "true" : "false", "aria-label": markText(row),
    });
    chart.nodes.set(row, mark);
    layers[onFrontier.has(row) ? 1 : 0].append(mark);
  }
  plot.append(...layers);
  const own = MINE === null ? [] : mineMark(x, y, width, height, edge);
  root.append(plot, labels(best, x, y, edge, width, narrow), ...own);
  chart.overlay = svg("g", { class: "overlay", role: "presentation" });
  root.append(chart.overlay);
  Object.assign(chart, { rows: marks, scaleX: x, scaleY: y, node: root, width, height, edge, active: null });
  chart.tip = el("div", { class: "tip", role: "status", hidden: true });
  figure.replaceChildren(root, chart.tip);
  const thinned = byId("thinned");
  thinned.hidden = marks.length === rows.length;
  thinned.textContent = thinned.hidden ? "" : say("thinned", {
    drawn: fixed(marks.length, 0), n: fixed(rows.length, 0), best: Math.min(BEST_KEPT, rows.length),
  });
  showSelected();
}

function axes(width, height, edge, x, y, [t0, t1], [c0, c1]) {
  const group = svg("g", { class: "axes", "aria-hidden": "true" });
  const bottom = height - edge.bottom;
  for (const value of spaced(timeTicks(t0, t1), x, 62)) {
    group.append(svg("line", { class: "grid", x1: x(value), x2: x(value), y1: edge.top, y2: bottom }));
    group.append(svg("text", { x: x(value), y: bottom + 16, "text-anchor": "middle" }, tickTime(value)));
  }
  const costs = costTicks(c0 * D.view.rate, c1 * D.view.rate).map((tick) => tick / D.view.rate);
  for (const value of spaced(costs, y, 24)) {
    group.append(svg("line", { class: "grid", x1: edge.left, x2: width - edge.right, y1: y(value), y2: y(value) }));
    group.append(svg("text", { x: edge.left - 8, y: y(value) + 4, "text-anchor": "end" }, tickMoney(value)));
  }
  group.append(svg("line", { class: "axis", x1: edge.left, x2: width - edge.right, y1: bottom, y2: bottom }));
  group.append(svg("line", { class: "axis", x1: edge.left, x2: edge.left, y1: edge.top, y2: bottom }));
  group.append(svg("text", { class: "axis-name", x: width - edge.right, y: height - 8, "text-anchor": "end" }, `${say("axis-time")} →`));
  group.append(svg("text", { class: "axis-name", x: 0, y: 13 }, `↑ ${say("axis-cost", { currency: D.view.currency })}`));
  return group;
}

function tickTime(seconds) {
  for (const [size, unit] of [[86400, "d"], [3600, "h"], [60, "min"]]) {
    if (seconds >= size) return say(`unit-${unit}`, { n: plainNumber(seconds / size) });
  }
  return say("unit-s", { n: plainNumber(seconds) });
}

function tickMoney(usd) {
  const value = Number((usd * D.view.rate).toPrecision(4));
  if (value < 1e-3) return SYMBOL.trim() + value.toExponential().replace("e-", "e−");
  const [size, letter] = [[1e9, "B"], [1e6, "M"], [1e4, "k"]].find(([least]) => value >= least) || [1, ""];
  return SYMBOL.trim() + plainNumber(value / (letter === "k" ? 1e3 : size)) + letter;
}

function stairs(best, x, y, right) {
  const points = best.map((row) => [round(x(time[row])), round(y(cost[row]))]);
  let path = `M${points[0][0]},${-10}V${points[0][1]}`;
  for (const [px, py] of points.slice(1)) path += `H${px}V${py}`;
  return `${path}H${right}`;
}

function mineMark(x, y, width, height, edge) {
  if (!(time[MINE] > 0)) return [];
  const px = x(time[MINE]);
  const made = [svg("line", { class: "mine-line", x1: px, x2: px, y1: edge.top, y2: height - edge.bottom, role: "presentation" })];
  const priced = cost[MINE] > 0;
  const py = priced ? y(cost[MINE]) : null;
  if (priced) made.push(svg("line", { class: "mine-line", x1: edge.left, x2: width - edge.right, y1: py, y2: py, role: "presentation" }));
  if (priced) made.push(svg("path", { class: "mine-mark", d: shape(MINE, px, py, 8), role: "presentation" }));
  const left = px > width - 140;
  made.push(svg("text", {
    class: "mine-name", x: px + (left ? -8 : 8), y: edge.top - 5, "text-anchor": left ? "end" : "start", "aria-hidden": "true",
  }, say("mine")));
  return made;
}

// Names of the offers on the frontier, in the empty corner below and left of them, where they do not touch.
function labels(best, x, y, edge, width, narrow) {
  const group = svg("g", { class: "labels", "aria-hidden": "true" });
  const taken = MINE !== null && cost[MINE] > 0 ? [[x(time[MINE]) - 9, y(cost[MINE]) - 9, x(time[MINE]) + 9, y(cost[MINE]) + 9]] : [];
  const byCost = [...best].sort((a, b) => cost[a] - cost[b]);
  const order = [byCost[0], best[0], ...best].filter((row) => row !== undefined);
  for (const row of new Set(order)) {
    const text = counted(row);
    const wide = widthOf(text);
    const [px, py] = [x(time[row]), y(cost[row])];
    const places = [[px - 8 - wide, py + 14], [px - 9 - wide, py + 4], [px - wide / 2, py + 25],
      [Math.max(edge.left + 4, px - 8 - wide), py + 19], [px + 9, py + 14]];
    for (const [left, base] of places.slice(0, narrow ? 3 : 5)) {
      const box = [left, base - 11, left + wide, base + 3];
      const inside = box[0] > edge.left + 3 && box[2] < width - edge.right && box[3] < chartBottom(narrow);
      if (!inside || taken.some((other) => overlap(box, other)) || covers(box, best.filter((other) => other !== row), x, y, 9) || covers(box, [row], x, y, 3) || crosses(box, best, x, y)) continue;
      taken.push(box);
      group.append(svg("text", { x: round(left), y: round(base) }, text));
      break;
    }
  }
  return group;
}

const measure = document.createElement("canvas").getContext("2d");
function widthOf(text) {
  measure.font = `600 12px ${getComputedStyle(document.body).fontFamily}`;
  return measure.measureText(text).width;
}

const chartBottom = (narrow) => (narrow ? 340 : 440) - 48;
const overlap = (a, b) => a[0] < b[2] + 4 && b[0] < a[2] + 4 && a[1] < b[3] + 1 && b[1] < a[3] + 1;
const covers = (box, rows, x, y, room) =>
  rows.some((row) => overlap(box, [x(time[row]) - room, y(cost[row]) - room, x(time[row]) + room, y(cost[row]) + room]));

// Whether the line between two of the frontier's offers runs through a box.
function crosses(box, best, x, y) {
  return best.slice(1).some((row, place) => {
    const [px, top, bottom] = [x(time[row]), y(cost[best[place]]), y(cost[row])];
    const [from, level] = [x(time[best[place]]), top];
    return (px > box[0] && px < box[2] && top < box[3] && bottom > box[1]) || (level > box[1] && level < box[3] && from < box[2] && px > box[0]);
  });
}

function markText(row) {
  return say("mark", {
    offer: offerName(row), cost: money(cost[row]), low: money(costLow[row]), high: money(costHigh[row]), time: duration(time[row]),
  });
}

function firstActive(best) {
  return state.selected !== null && chart.nodes.has(state.selected) ? state.selected : best[best.length - 1] ?? chart.rows[0];
}

// Show a mark's interval and words; null: none.
function activate(row) {
  if (row === chart.active) return;
  chart.active = row;
  if (row === null) {
    chart.tip.hidden = true;
    chart.node.removeAttribute("aria-activedescendant");
  } else {
    chart.node.setAttribute("aria-activedescendant", `mark-${row}`);
  }
  showSelected();
  if (row !== null) showTip(row);
}

function showTip(row) {
  const [px, py] = [chart.scaleX(time[row]), chart.scaleY(cost[row])];
  chart.tip.replaceChildren(
    el("strong", {}, counted(row)),
    el("span", { class: "muted" }, [providerName(row), get(row, "sku") || get(row, "listing")].filter(Boolean).join(" · ")),
    el("span", {}, say("also", { cost: money(cost[row]), time: duration(time[row]) })),
    el("span", { class: "muted" }, `10–90 %: ${money(costLow[row])} – ${money(costHigh[row])}`),
    el("span", { class: "muted" }, say("mark-price", { price: money(get(row, "usd_per_gpu_hour")), limit: limitText(row) })),
  );
  chart.tip.hidden = false;
  const box = chart.tip.getBoundingClientRect();
  const left = px + 14 + box.width > chart.width ? px - 14 - box.width : px + 14;
  chart.tip.style.left = `${Math.max(0, Math.min(chart.width - box.width, left))}px`;
  chart.tip.style.top = `${Math.max(0, Math.min(chart.height - box.height - 8, py - box.height - 10))}px`;
}

// The interval of the selected and of the active mark, and a ring around each.
function showSelected() {
  if (!chart.overlay) return;
  const parts = [];
  for (const row of new Set([state.selected, chart.active])) {
    if (row === null || row === MINE || !(time[row] > 0)) continue;
    const [px, py] = [chart.scaleX(time[row]), chart.scaleY(cost[row])];
    const { edge, width, height } = chart;
    const inY = (value) => Math.max(edge.top, Math.min(height - edge.bottom, chart.scaleY(value)));
    const inX = (value) => Math.max(edge.left, Math.min(width - edge.right, chart.scaleX(value)));
    const rate = get(row, "samples_per_s");
    const [slow, fast] = [get(row, "samples_per_s_low"), get(row, "samples_per_s_high")];
    if (costLow[row] > 0) parts.push(whisker(px, inY(costLow[row]), px, inY(costHigh[row])));
    if (slow > 0) parts.push(whisker(inX((time[row] * rate) / fast), py, inX((time[row] * rate) / slow), py));
    parts.push(svg("path", { class: "ring", d: shape(row, px, py, 7) }));
  }
  chart.overlay.replaceChildren(...parts);
}

function whisker(x1, y1, x2, y2) {
  return svg("line", { class: "whisker", x1: round(x1), y1: round(y1), x2: round(x2), y2: round(y2) });
}

function chartKey(event) {
  const place = chart.rows.indexOf(chart.active);
  const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowUp: 1, ArrowDown: -1, PageDown: 10, PageUp: -10 };
  if (event.key in steps) {
    const next = place < 0 ? 0 : (place + steps[event.key] + chart.rows.length) % chart.rows.length;
    activate(chart.rows[next]);
  } else if (event.key === "Home") activate(chart.rows[0]);
  else if (event.key === "End") activate(chart.rows[chart.rows.length - 1]);
  else if (event.key === "Enter" && chart.active !== null) {
    select(chart.active);
    openWhy(chart.active);
  } else if (event.key === " " && chart.active !== null) select(chart.active);
  else if (event.key === "Escape") activate(null);
  else return;
  event.preventDefault();
}

function nearest(event) {
  const box = chart.node.getBoundingClientRect();
  const [px, py] = [event.clientX - box.left, event.clientY - box.top];
  let [found, least] = [null, 22 * 22];
  for (const row of chart.rows) {
    const far = (chart.scaleX(time[row]) - px) ** 2 + (chart.scaleY(cost[row]) - py) ** 2;
    if (far < least) [found, least] = [row, far];
  }
  return found;
}

function chartPoint(event) {
  activate(nearest(event));
}

function chartClick(event) {
  const row = nearest(event);
  if (row !== null) select(row, true);
}

function drawLegend() {
  const key = (name, row, extra) => el("span", { class: "key" }, svg("svg", { width: 16, height: 14, "aria-hidden": "true" }, row), say(`legend-${name}`), extra);
  const parts = ["whole", "slice", "unknown"]
    .filter((name) => name === "whole" || hasShare(name))
    .map((name) => key(name, svg("path", { class: `mark ${name}`, d: SHAPES[name](8, 7, 4) })));
  parts.push(key("frontier", svg("g", {}, svg("path", { class: "frontier-line", d: "M1,3H8V11H15" }), svg("path", { class: "mark best-mark", d: SHAPES.whole(8, 7, 3.6) }))));
  if (MINE !== null) parts.push(key("mine", svg("path", { class: "mine-mark", d: SHAPES.mine(8, 7, 5) })));
  byId("legend").replaceChildren(...parts);
}

const sharesHere = new Set(Array.from({ length: N }, (_, row) => shareOf(row)));
const hasShare = (name) => sharesHere.has(name);
