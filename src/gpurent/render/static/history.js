// Prices over the nights, drawn by uPlot; the part is not there when no night was collected.

const COLOURS = 6;
const history = { cards: [], unit: "price", chosen: new Set(), plot: null };

function setUpHistory() {
  if (!D.history.length) return;
  const best = new Map();
  for (let row = 0; row < N; row++) {
    const card = get(row, "gpu");
    if (card !== null && !(best.get(card) <= cost[row])) best.set(card, cost[row]);
  }
  history.cards = [...D.history].sort((a, b) => (best.get(a.card) ?? 1e9) - (best.get(b.card) ?? 1e9)).slice(0, 12);
  history.cards.slice(0, 4).forEach((each) => history.chosen.add(each.card));
  byId("history").hidden = false;
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawHistory);
}

const historyValues = (each) => (history.unit === "price" ? each.usd_per_gpu_hour : each.cost_per_epoch_usd);
const historyName = (card) => D.names[card] || card;

function drawHistory() {
  if (!D.history.length) return;
  const unit = (name) => el("button", { type: "button", "aria-pressed": history.unit === name ? "true" : "false", onclick: () => {
    history.unit = name;
    drawHistory();
    byId("history-unit").querySelector('[aria-pressed="true"]').focus();
  } }, say(`history-${name}`));
  byId("history-unit").replaceChildren(unit("price"), unit("cost"));
  const chosen = history.cards.filter((each) => history.chosen.has(each.card));
  const chips = history.cards.map((each) => {
    const place = chosen.indexOf(each);
    const box = el("input", { type: "checkbox", checked: place >= 0, disabled: place < 0 && chosen.length >= COLOURS, onchange: (event) => {
      history.chosen[event.target.checked ? "add" : "delete"](each.card);
      drawHistory();
      byId(`history-${each.card}`).focus();
    }, id: `history-${each.card}` });
    return el("label", { class: `chip${place >= 0 ? ` line-${place}` : ""}` }, box, historyName(each.card));
  });
  byId("history-cards").replaceChildren(byId("history-cards").firstElementChild, ...chips);
  plotHistory(chosen);
  tableHistory(chosen);
}

function plotHistory(chosen) {
  const holder = byId("history-chart");
  if (history.plot) history.plot.destroy();
  history.plot = null;
  holder.replaceChildren();
  if (!chosen.length || typeof uPlot === "undefined") return;
  const start = Date.parse(chosen[0].days[0]) / 1000;
  const nights = chosen[0].days.map((_, place) => start + place * 86400);
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => {
    const probe = el("span", { class: name });
    holder.append(probe);
    const found = getComputedStyle(probe).color;
    probe.remove();
    return found;
  };
  const [ink, grid] = [colour("probe-ink"), colour("probe-line")];
  const axis = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 }, font: `12px ${style.fontFamily || "sans-serif"}` };
  const day = (seconds) => new Date(seconds * 1000).toISOString().slice(0, 10);
  const told = (_, value) => (value === null || value === undefined ? MISSING : `$${significant(value)}`);
  history.plot = new uPlot({
    width: Math.max(260, holder.clientWidth), height: 280, cursor: { drag: { x: true, y: false } }, legend: { live: true }, hooks: { ready: [(plot) => plot.setLegend({ idx: nights.length - 1 })] },
    scales: { x: { time: true }, y: { range: (_, low, high) => [0, (high || 1) * 1.08] } },
    axes: [
      { ...axis, space: 90, values: (_, splits) => splits.map((value) => day(value)) },
      { ...axis, size: 68, values: (_, splits) => splits.map((value) => `$${fixed(value, decimals(splits[1] - splits[0]))}`) },
    ],
    series: [
      { label: say("history-on"), value: (_, value) => (value === null ? MISSING : day(value)) },
      ...chosen.map((each, place) => ({ label: historyName(each.card), stroke: colour(`line-${place}`), width: 2, value: told, spanGaps: false, points: { size: 5 } })),
    ],
  }, [nights, ...chosen.map((each) => historyValues(each))], holder);
  const canvas = holder.querySelector("canvas");
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", say("history-chart", { what: say(`history-${history.unit}`), cards: chosen.map((each) => historyName(each.card)).join(", ") }));
}

const decimals = (step) => Math.max(0, -Math.floor(Math.log10(step || 1) + 1e-9));

function tableHistory(chosen) {
  const rows = chosen.map((each) => {
    const values = historyValues(each);
    const known = values.map((value, place) => [value, place]).filter(([value]) => value !== null);
    if (!known.length) return [historyName(each.card), MISSING, MISSING, MISSING, MISSING, MISSING];
    const [first, last] = [known[0][0], known[known.length - 1][0]];
    const [lowest, on] = known.reduce((one, other) => (other[0] < one[0] ? other : one));
    const change = (last / first - 1) * 100;
    return [historyName(each.card), significant(first), significant(lowest), each.days[on], significant(last), `${change > 0 ? "+" : change < 0 ? "−" : ""}${fixed(Math.abs(change), 1)} %`];
  });
  const heads = ["card", "first", "lowest", "on", "now", "change"].map((name) => say(`history-${name}`));
  byId("history-table").replaceChildren(table(heads, rows, [1, 2, 4, 5]));
}
