// The answer in a sentence on top, and what everything rests on below: workload, currency, ages, model error, sources.

function drawVerdict() {
  const whole = firstWhole();
  const best = whole ?? byCost[0] ?? null;
  const nodes = [];
  if (!N) nodes.push(el("p", { class: "sentence" }, say("nothing")));
  else {
    nodes.push(
      el("p", { class: "kicker" }, say(whole === null ? "no-whole" : "cheapest-whole")),
      el("p", { class: "sentence" }, ...verdictParts(best)),
      el("div", { class: "facts-row" }, el("dl", { class: "facts" },
        ...fact("fact-interval", `${money(costLow[best])} – ${money(costHigh[best])}`),
        ...fact("fact-epoch", duration(time[best])),
        ...fact("fact-price", money(get(best, "usd_per_hour"))),
        ...fact("fact-limit", limitText(best)),
        ...fact("fact-evidence", sayOr(`evidence-${get(best, "rate_evidence")}`, evidence(best))),
        ...fact("fact-age", days(get(best, "age_days")))), whyButton(best)));
  }
  const others = alsoRows(whole);
  if (others.length) nodes.push(el("ul", { class: "also" }, ...others.map(alsoItem)));
  byId("verdict").replaceChildren(...nodes);
  byId("remarks").replaceChildren(...D.notes[state.lang].map((text) => el("li", {}, text)));
}

function firstWhole() {
  for (let row = 0; row < N; row++) if (byCost[row] !== undefined && get(byCost[row], "gpu_share") === "whole") return byCost[row];
  return null;
}

const byCost = Array.from({ length: N }, (_, row) => row).sort((a, b) => cost[a] - cost[b] || a - b);

// The sentence with the cost made bold, wherever the language puts it.
function verdictParts(row) {
  const [before, after] = say("verdict", { card: together(counted(row)), provider: providerName(row), cost: "\u0000" }).split("\u0000");
  return [before, el("strong", {}, money(cost[row])), after];
}

// A short name is not broken into two lines.
const together = (name) => (name.length <= 20 ? name.replaceAll(" ", "\u00a0") : name);

const fact = (code, value) => [el("div", {}, el("dt", {}, say(code)), el("dd", {}, value))];

// Other rows worth a line: a cheaper slice, much faster for at most half as much again, the fastest, one's own.
function alsoRows(best) {
  const found = [];
  const first = byCost[0];
  if (best !== null && first !== best) found.push([shareOf(first) === "unknown" ? "also-unknown" : "also-slice", first]);
  if (best !== null) {
    const near = byCost.filter((row) => cost[row] <= 1.5 * cost[best] && get(row, "gpu_share") === "whole");
    const quick = near.reduce((one, other) => (time[other] < time[one] ? other : one), best);
    if (time[quick] < time[best] / 1.5) found.push(["also-knee", quick]);
    const fastest = byCost.reduce((one, other) => (time[other] < time[one] ? other : one), best);
    if (fastest !== quick && fastest !== best) found.push(["also-fastest", fastest]);
  }
  if (MINE !== null) found.push(["also-mine", MINE]);
  return found;
}

function alsoItem([code, row]) {
  const text = cost[row] > 0 ? say("also", { cost: money(cost[row]), time: duration(time[row]) }) : say("unpriced", { time: duration(time[row]) });
  const name = row === MINE ? counted(row) : say("offer-name", { card: counted(row), provider: providerName(row) });
  return el("li", {}, el("span", { class: "kicker" }, say(code)), el("span", { class: "also-name" }, name), el("span", { class: "sub" }, text), whyButton(row));
}

function table(heads, rows, right = []) {
  const side = (place) => (right.includes(place) ? "right" : null);
  return el("table", { class: "plain" },
    el("thead", {}, el("tr", {}, ...heads.map((head, place) => el("th", { scope: "col", class: side(place) }, head)))),
    el("tbody", {}, ...rows.map((cells) => el("tr", {}, ...cells.map((cell, place) => el("td", { class: side(place) }, cell))))));
}

function drawLeftOut() {
  const count = D.dropped.reduce((sum, [, n]) => sum + n, 0);
  byId("left-out-title").textContent = count ? say("left-out", { n: fixed(count, 0) }) : say("left-out-none");
  const rows = D.dropped.map(([reason, n, example]) => {
    const option = reason.split(":")[1];
    const words = option ? say("reason.filtered", { option }) : sayOr(`reason.${reason}`, reason);
    return [fixed(n, 0), words, el("span", { class: "muted" }, example)];
  });
  byId("left-out-table").replaceChildren(...(rows.length ? [scrolling(table([say("left-out-count"), say("left-out-reason"), say("left-out-example")], rows, [0]), "left-out-title")] : []));
}

const scrolling = (node, label) => el("div", { class: "scroll", tabindex: 0, role: "region", "aria-labelledby": label }, node);

function drawBasis() {
  byId("basis-parts").replaceChildren(workPart(), askedPart(), moneyPart(), modelPart(), dataPart(), sourcesPart());
}

const part = (code, ...children) => el("section", { class: `part ${code}` }, el("h3", { id: code }, say(code)), ...children);

const WORK_KEYS = ["name", "stack", "samples_per_epoch", "dataset_bytes", "bytes_per_sample", "read", "pipeline", "prep_ms_per_sample",
  "loader", "params", "flops_per_sample", "source"];

function workPart() {
  const { workload, options } = D;
  const shownAs = {
    samples_per_epoch: (value) => fixed(value, 0), dataset_bytes: bytes, bytes_per_sample: bytes,
    read: (value) => sayOr(`read-${value}`, value), loader: (value) => sayOr(`loader-${value}`, value),
    prep_ms_per_sample: (value) => `${significant(value)} ms`, params: (value) => significant(value / 1e6) + " M",
    flops_per_sample: (value) => `${significant(value / 1e9)} GFLOP`, source: (value) => sourceNodes(String(value)),
  };
  const facts = WORK_KEYS.filter((key) => workload[key] !== undefined).map((key) => [say(`work-${key}`), (shownAs[key] || String)(workload[key])]);
  facts.splice(2, 0, [say("work-precision"), sayOr(`precision-${options.precision}`, options.precision)], [say("work-batch"), fixed(options.batch, 0)], [say("work-epochs"), count(options.epochs)]);
  return part("basis-workload", el("dl", { class: "pairs" }, ...facts.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, ...[value].flat())])));
}

const SHOWN_ELSEWHERE = ["precision", "batch", "epochs", "setup", "currency", "sort"];
const OPTION_OF = { min_vram_gib: "min-vram", ram_gib: "ram", max_age_days: "max-age", anchors: "anchor" };

// The filters and choices this page was made with, as options of the command.
function askedPart() {
  const spoken = (value) => {
    if (Array.isArray(value)) return value.join(", ");
    if (typeof value !== "object") return String(value);
    if ("low" in value && "high" in value) return `${value.low ?? ""}..${value.high ?? ""}`;
    return Object.entries(value).map(([key, part]) => `${key}=${part}`).join(", ");
  };
  const asked = Object.entries(D.options).filter(([key, value]) => value !== null && !SHOWN_ELSEWHERE.includes(key) && spoken(value) !== "" && value !== false);
  return part("basis-asked", el("dl", { class: "pairs" }, ...asked.flatMap(([key, value]) => [
    el("dt", { class: "option" }, `--${OPTION_OF[key] || key.replaceAll("_", "-")}`), el("dd", {}, value === true ? MISSING : spoken(value))])));
}

function moneyPart() {
  const lines = D.exchange.map(([currency, rate, day, age]) => say("money-rate", { currency, rate: significant(rate, 5), day: day || MISSING, age: days(age) }));
  if (!lines.length) lines.push(say("money-usd"));
  if (D.view.currency !== "USD") lines.push(say("money-view", { currency: D.view.currency, rate: significant(D.view.rate, 5) }));
  return part("basis-money", el("ul", { class: "lines" }, ...lines.map((line) => el("li", {}, line))), el("p", { class: "sub" }, say("money-source")));
}

function modelPart() {
  const wrong = (value) => (value === null ? MISSING : `${significant(value * 100, 2)} %`);
  const rows = D.errors.map(([name, median, p90, n]) => [sayOr(`score-${name}`, name), wrong(median), wrong(p90), fixed(n, 0)]);
  const heads = [say("score-what"), say("score-median"), say("score-p90"), say("score-n")];
  return part("basis-model", el("p", {}, say("interval-note")),
    scrolling(table(heads, rows, [1, 2, 3]), "basis-model"), el("p", { class: "sub below" }, ...withCode(say("score-note"))));
}

function dataPart() {
  const { source, providers } = D.data;
  const from = source === "catalogue" || source === "collected" ? say(`source-${source}`) : say("source-file", { file: source });
  const ranked = new Map();
  for (let row = 0; row < N; row++) {
    const of = ranked.get(get(row, "provider")) || { n: 0, age: null };
    const age = get(row, "age_days");
    ranked.set(get(row, "provider"), { n: of.n + 1, age: age === null ? of.age : Math.min(of.age ?? Infinity, age) });
  }
  const names = [...new Set([...providers.map((entry) => entry.provider), ...ranked.keys()])].sort();
  const told = new Map(providers.map((entry) => [entry.provider, entry]));
  const rows = names.map((name) => {
    const entry = told.get(name) || {};
    const of = ranked.get(name) || { n: 0, age: null };
    const when = entry.collected_at ? (Date.parse(D.generated_at) - Date.parse(entry.collected_at)) / 864e5 : of.age;
    return [D.providers[name] || name, (entry.collected_at || MISSING).slice(0, 10), when === null ? MISSING : fixed(wholeDays(when), 0), fixed(of.n, 0), say(`complete-${entry.complete ?? null}`)];
  });
  const heads = ["provider", "collected", "age", "ranked", "complete"].map((name) => say(`data-${name}`));
  return part("basis-data", el("p", { class: "sub" }, ...withCode(from)), scrolling(table(heads, rows, [2, 3]), "basis-data"));
}

function sourcesPart() {
  if (!Object.keys(D.sources).length) return "";
  return part("basis-sources", el("div", { class: "scroll tall", tabindex: 0, role: "region", "aria-labelledby": "basis-sources" },
    el("ul", { class: "sources" }, ...Object.keys(D.sources).sort().map(sourceItem))));
}

function drawFoot() {
  const { version, tables } = D.made_by;
  byId("foot").textContent = say("made", { version, tables, day: D.generated_at.slice(0, 10) });
}
