// The table: a page of rows, headings that sort, filters, and the row that is selected.

const PAGE = 50;

// key, heading, sorts by, set to the right
const HEADS = [
  ["rank", "head-rank", true], ["card", "head-card", false], ["vcpus", "head-vcpus", true], ["limit", "head-limit", false],
  ["rate", "head-rate", true], ["time", "head-time", true], ["cost", "head-cost", true], ["price", "head-price", true],
  ["age", "head-age", true],
];

function drawHead() {
  const cells = HEADS.map(([key, code, right]) => {
    const sorted = state.sort.key === key;
    const name = say(code, { currency: D.view.currency });
    const button = sortButton(key, name);
    const direction = sorted ? (state.sort.up ? "ascending" : "descending") : null;
    const more = key === "card" ? [el("span", { class: "divider", "aria-hidden": "true" }, "·"), sortButton("provider", say("head-provider"))] : [];
    return el("th", { scope: "col", class: `c-${key}${right ? " right" : ""}`, "aria-sort": direction, role: "columnheader" }, button, ...more);
  });
  cells.push(el("th", { scope: "col", class: "c-why", role: "columnheader" }, el("span", { class: "unseen" }, say("why"))));
  byId("table").tHead.replaceChildren(el("tr", { role: "row" }, ...cells));
}

function sortButton(key, name) {
  const sorted = state.sort.key === key;
  const arrow = sorted ? (state.sort.up ? "↑" : "↓") : "";
  return el("button", {
    type: "button", class: "sort", "data-sort": key, title: say("sorted-by", { name }), onclick: () => sortBy(key),
  }, name, el("span", { class: "arrow", "aria-hidden": "true" }, arrow));
}

function sortBy(key) {
  const { sort } = state;
  state.sort = { key, up: sort.key === key ? !sort.up : key !== "rate" && key !== "vcpus" };
  state.page = 0;
  update();
  byId("table").tHead.querySelector(`[data-sort="${key}"]`).focus();
}

function drawRows() {
  const rows = shown.slice(state.page * PAGE, (state.page + 1) * PAGE);
  const scale = costScale(rows);
  byId("table").tBodies[0].replaceChildren(...rows.map((row) => tableRow(row, scale)));
  byId("empty").hidden = rows.length > 0;
  byId("table").hidden = rows.length === 0;
  drawPager();
}

// One logarithmic scale for the rows of a page.
function costScale(rows) {
  let [low, high] = [Infinity, -Infinity];
  for (const row of rows) {
    if (costLow[row] > 0) low = Math.min(low, costLow[row]);
    if (costHigh[row] > 0) high = Math.max(high, costHigh[row]);
  }
  return low < high ? logScale(low, high, 2, RANGE_WIDTH - 2) : () => RANGE_WIDTH / 2;
}

const RANGE_WIDTH = 84;

function tableRow(row, scale) {
  const tied = get(row, "tied_with_best");
  const assumed = get(row, "assumed").includes("vcpus");
  const rank = el("td", { class: "c-rank right", role: "cell" }, tied && el("span", { class: "tied", title: say("tied") }, "="), `${row + 1}`);
  const cells = [
    rank,
    el("td", { class: "c-card", role: "cell" }, cardCell(row)),
    el("td", { class: "c-vcpus right", role: "cell" }, (assumed ? "~" : "") + count(get(row, "vcpus"))),
    el("td", { class: "c-limit", role: "cell" }, stageBar(row), el("span", { class: "limit-name" }, limitText(row))),
    el("td", { class: "c-rate right", role: "cell" }, significant(get(row, "samples_per_s")), sub(evidence(row), sayOr(`evidence-${get(row, "rate_evidence")}`, ""))),
    el("td", { class: "c-time right", role: "cell" }, duration(time[row])),
    el("td", { class: "c-cost right", role: "cell" }, el("div", { class: "cost" }, rangeGlyph(row, scale),
      el("span", { class: "cost-figures" }, el("strong", {}, money(cost[row])), sub(`${amount(costLow[row])}–${amount(costHigh[row])}`)))),
    el("td", { class: "c-price right", role: "cell" }, amount(get(row, "usd_per_gpu_hour")), phone(` ${say("head-price", { currency: D.view.currency })}`)),
    el("td", { class: "c-age right", role: "cell" }, get(row, "age_days") === null ? MISSING : [phone("· "), fixed(wholeDays(get(row, "age_days")), 0), phone(` ${say("days")}`)]),
    el("td", { class: "c-why", role: "cell" }, whyButton(row)),
  ];
  return el("tr", {
    id: `row-${row}`, role: "row", "aria-selected": row === state.selected ? "true" : null,
    onclick: () => select(row), onfocusin: () => select(row),
  }, ...cells);
}

const sub = (text, title) => el("span", { class: "sub", title: title || null }, text);
const phone = (text) => el("span", { class: "phone" }, text); // units that the headings say on a wide screen
const evidence = (row) => (get(row, "rate_evidence") ? sayOr(`evidence.${get(row, "rate_evidence")}`, get(row, "rate_evidence")) : MISSING);

function cardCell(row) {
  const badgeNodes = badges(row).map(([text, title]) => el("span", { class: "badge", title: title || null }, text));
  const place = [providerName(row), get(row, "sku") || get(row, "listing"), get(row, "region")].filter(Boolean).join(" · ");
  return [el("span", { class: "card-name" }, counted(row), ...badgeNodes), el("span", { class: "sub place", title: place }, place)];
}

function whyButton(row) {
  return el("button", {
    type: "button", class: "why-button", "aria-label": say("why-of", { offer: offerName(row) }),
    onclick: (event) => (event.stopPropagation(), openWhy(row)),
  }, say("why"));
}

const BAR = 116;

// One bar: the work of each stage beside the others; the limit in full colour.
function stageBar(row) {
  const work = stages(row);
  const sum = work.reduce((total, each) => total + each, 0) || 1;
  const limits = [get(row, "limit"), get(row, "limit_also")].map((limit) => STAGE_OF_LIMIT[limit]);
  const told = say("stages", {
    ...Object.fromEntries(STAGES.map((stage, place) => [stage, percent(work[place] / sum)])), limit: limitText(row),
  });
  const bar = svg("svg", { class: "stages", width: BAR, height: 10, viewBox: `0 0 ${BAR} 10`, role: "img", "aria-label": told });
  bar.append(svg("title", {}, told));
  let x = 0;
  STAGES.forEach((stage, place) => {
    const width = (work[place] / sum) * BAR;
    if (width >= 0.5) {
      bar.append(svg("rect", { class: `stage ${stage}${limits.includes(stage) ? " limit" : ""}`, x: round(x), y: 0, width: round(Math.max(0.5, width - 1)), height: 10, rx: 1 }));
    }
    x += width;
  });
  return bar;
}

// The interval on the scale of its page, so that two rows can be compared at a glance.
function rangeGlyph(row, scale) {
  const glyph = svg("svg", { class: "range", width: RANGE_WIDTH, height: 12, viewBox: `0 0 ${RANGE_WIDTH} 12`, "aria-hidden": "true" });
  if (!(costLow[row] > 0)) return glyph;
  const [low, mid, high] = [scale(costLow[row]), scale(cost[row]), scale(costHigh[row])].map(round);
  glyph.append(svg("line", { class: "rail", x1: 2, x2: RANGE_WIDTH - 2, y1: 6, y2: 6 }));
  glyph.append(svg("line", { class: "reach", x1: low, x2: Math.max(high, low + 1), y1: 6, y2: 6 }), svg("circle", { cx: mid, cy: 6, r: 2.6 }));
  return glyph;
}

function drawStageLegend() {
  const parts = STAGES.map((stage) => el("span", { class: "key" },
    svg("svg", { width: 14, height: 10, "aria-hidden": "true" }, svg("rect", { class: `stage limit ${stage}`, width: 12, height: 10, rx: 1 })), say(`stage-${stage}`)));
  byId("stage-legend").replaceChildren(...parts);
}

function drawPager() {
  const pages = Math.ceil(shown.length / PAGE);
  const pager = byId("pager");
  pager.hidden = pages < 2;
  if (pages < 2) return;
  const go = (page) => () => {
    state.page = page;
    drawRows();
    byId("offers").scrollIntoView({ block: "start" });
    byId("offers").focus({ preventScroll: true });
  };
  const last = Math.min(shown.length, (state.page + 1) * PAGE);
  pager.replaceChildren(
    el("button", { type: "button", disabled: state.page === 0, onclick: go(state.page - 1) }, `← ${say("previous")}`),
    el("span", {}, say("page-of", { from: fixed(state.page * PAGE + 1, 0), to: fixed(last, 0), n: fixed(shown.length, 0) })),
    el("button", { type: "button", disabled: state.page >= pages - 1, onclick: go(state.page + 1) }, `${say("next")} →`),
  );
}

// Select a row in table and chart; with `follow` the table turns to it.
function select(row, follow) {
  const before = state.selected;
  state.selected = row;
  if (row === MINE) return showSelected();
  const place = shown.indexOf(row);
  if (follow && place >= 0 && Math.floor(place / PAGE) !== state.page) {
    state.page = Math.floor(place / PAGE);
    drawRows();
  }
  if (before === row && !follow) return undefined;
  for (const old of byId("table").querySelectorAll("tr[aria-selected]")) old.removeAttribute("aria-selected");
  const line = byId(`row-${row}`);
  if (line) line.setAttribute("aria-selected", "true");
  if (line && follow) line.scrollIntoView({ block: "nearest" });
  if (chart.nodes && chart.nodes.has(before)) chart.nodes.get(before).setAttribute("aria-selected", "false");
  if (chart.nodes && chart.nodes.has(row)) chart.nodes.get(row).setAttribute("aria-selected", "true");
  return showSelected();
}

function choices(id, values, label, chosen) {
  const options = [...values].sort().map((value) => el("option", { value, selected: value === chosen }, label(value)));
  byId(id).replaceChildren(el("option", { value: "" }, say("any")), ...options);
}

function drawFilters() {
  const all = Array.from({ length: N }, (_, row) => row);
  const of = (key) => new Set(all.map((row) => get(row, key)).filter(Boolean));
  const { filter } = state;
  choices("filter-provider", of("provider"), (value) => D.providers[value] || value, filter.provider);
  choices("filter-share", new Set(all.map(shareOf)), (value) => say(`share-${value}`), filter.share);
  choices("filter-purchase", of("purchase"), (value) => sayOr(`purchase-${value}`, value), filter.purchase);
  choices("filter-limit", of("limit"), (value) => sayOr(`limit-${value}`, value), filter.limit);
  byId("filter-price-label").textContent = say("filter-price", { currency: D.view.currency });
  const cards = new Set(all.map(cardName));
  byId("card-list").replaceChildren(...[...cards].sort().map((value) => el("option", { value })));
}

function readFilters() {
  const limit = parseFloat(byId("filter-price").value);
  state.filter = {
    card: byId("filter-card").value.trim().toLowerCase(),
    provider: byId("filter-provider").value,
    share: byId("filter-share").value,
    purchase: byId("filter-purchase").value,
    limit: byId("filter-limit").value,
    price: Number.isFinite(limit) ? limit : null,
  };
  state.page = 0;
  update();
}

// Choose anew and draw what depends on it.
function update() {
  choose();
  const all = shown.length === N;
  byId("shown").textContent = say(all ? "shown-all" : "shown", { shown: fixed(shown.length, 0), n: fixed(N, 0) });
  drawHead();
  drawRows();
  drawChart();
}
