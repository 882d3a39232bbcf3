// "Why": the chain of one offer from the seller's words to cost per epoch, alone or beside another.

const BESIDE = 200; // rows offered for comparison: the first of the table as it is filtered and sorted
const why = { first: null, second: null, opener: null };

function openWhy(row) {
  why.first = row;
  why.second = null;
  why.opener = document.activeElement;
  drawWhy();
  const dialog = byId("why");
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
  dialog.querySelector(".close").focus();
}

function closeWhy() {
  byId("why").close();
}

function drawWhy() {
  const rows = why.second === null ? [why.first] : [why.first, why.second];
  const { first } = why;
  const title = first === MINE ? offerName(first) : say("offer-rank", { rank: first + 1, offer: offerName(first) });
  byId("why").replaceChildren(
    el("header", { class: "why-head" },
      el("h2", { id: "why-title" }, title),
      el("button", { type: "button", class: "close", onclick: closeWhy }, say("close"))),
    el("div", { class: "why-body" },
      el("label", { class: "beside" }, el("span", {}, say("beside")), besideSelect()),
      el("div", { class: rows.length > 1 ? "cards two" : "cards" }, ...rows.map((row, place) => summary(row, rows.length > 1 ? "AB"[place] : ""))),
      chainTable(rows),
      adviceList(rows),
      sourcesList(rows)),
  );
}

function besideSelect() {
  const option = (row, text) => el("option", { value: row, selected: row === why.second }, text);
  const rows = shown.slice(0, BESIDE).filter((row) => row !== why.first);
  const choice = el("select", { id: "why-beside", onchange: (event) => {
    why.second = event.target.value === "" ? null : Number(event.target.value);
    drawWhy();
    byId("why-beside").focus();
  } }, el("option", { value: "" }, say("beside-none")));
  if (MINE !== null && why.first !== MINE) choice.append(option(MINE, offerName(MINE)));
  choice.append(...rows.map((row) => option(row, say("offer-rank", { rank: row + 1, offer: offerName(row) }))));
  return choice;
}

function summary(row, letter) {
  const warnings = get(row, "warnings").map((code) => el("li", {}, sayOr(`warning.${code}`, code)));
  const place = [get(row, "sku") || get(row, "listing"), get(row, "region"), get(row, "country"), row === MINE ? null : get(row, "offer_id")];
  const facts = get(row, "assumed").map((key) => sayOr(`fact-${key}`, key));
  return el("section", { class: "summary" },
    el("h3", {}, letter && el("span", { class: "letter" }, letter), counted(row), ...badges(row).map(([text, title]) => el("span", { class: "badge", title: title || null }, text))),
    el("p", { class: "sub" }, [row === MINE ? say("mine") : providerName(row), ...place].filter(Boolean).join(" · ")),
    figure(row),
    stageBar(row), el("span", { class: "limit-name" }, limitText(row)),
    facts.length ? el("p", { class: "sub" }, say("why-assumed", { facts: facts.join(state.lang === "zh" ? "、" : ", ") })) : null,
    warnings.length ? el("ul", { class: "warnings" }, ...warnings) : null);
}

function figure(row) {
  if (!(cost[row] > 0)) return el("p", { class: "figure" }, say("unpriced", { time: duration(time[row]) }));
  return el("p", { class: "figure" }, el("strong", {}, money(cost[row])), ` ${say("head-cost").toLowerCase()}`,
    sub(`${money(costLow[row])} – ${money(costHigh[row])} · ${duration(time[row])}`));
}

function lineAt(line, row) {
  const place = line[3] === "offer" ? row : machineOf[row];
  return [at(line[4], place), at(line[5], place)];
}

// The stage that holds the slower (or only) row back, as `--explain` marks it.
function guiltyStage(rows) {
  const slow = rows.reduce((one, other) => ((get(other, "samples_per_s") ?? 0) < (get(one, "samples_per_s") ?? 0) ? other : one));
  return STAGE_OF_LIMIT[get(slow, "limit") || "gpu"] || "compute";
}

function chainTable(rows) {
  const two = rows.length > 1;
  const guilty = guiltyStage(rows);
  const heads = [say("chain-number"), ...(two ? ["A", "B", say("ratio")] : [""]), say("explain.source")];
  const table = el("table", { class: two ? "chain two" : "chain" }, el("thead", {}, el("tr", {}, ...heads.map((head, place) =>
    el(head ? "th" : "td", { scope: head ? "col" : null, class: place > 0 && place < heads.length - 1 ? "right" : null }, head)))));
  let [stage, body] = ["", null];
  for (const line of D.chain) {
    if (line[0] !== stage) {
      stage = line[0];
      body = el("tbody", {}, el("tr", { class: "stage-head" }, el("th", { colspan: heads.length, scope: "rowgroup" },
        STAGES.includes(stage) ? svg("svg", { width: 12, height: 10, "aria-hidden": "true" }, svg("rect", { class: `stage limit ${stage}`, width: 10, height: 10, rx: 1 })) : null,
        el("span", {}, say(`explain.stage-${stage}`)))));
      table.append(body);
    }
    body.append(chainRow(line, rows, line[2] && line[0] === guilty));
  }
  return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-labelledby": "why-title" }, table);
}

function chainRow(line, rows, guilty) {
  const told = rows.map((row) => lineAt(line, row));
  const values = told.map(([value]) => value);
  const ratio = rows.length > 1 ? [el("td", { class: "right" }, ratioText(values))] : [];
  const name = sayOr(`explain.line-${line[1]}`, line[1]);
  return el("tr", { class: guilty ? "guilty" : null },
    el("th", { scope: "row" }, name, guilty ? el("span", { class: "held" }, say("held-back")) : null),
    ...values.map((value) => el("td", { class: "right" }, line[1] === "share" && known(`share-${value}`) ? say(`share-${value}`) : chainValue(value))),
    ...ratio,
    el("td", { class: "source" }, ...sourceCell(told.map(([, source]) => source))));
}

// The sources of a line's values, each once, set apart; a dash says nothing.
function sourceCell(sources) {
  const named = [...new Set(sources)].filter((source) => source && !/^[-–]( |$)/.test(source));
  return named.flatMap((source, place) => [...(place ? [" | "] : []), ...sourceNodes(source)]);
}

function ratioText([first, second]) {
  if (typeof first !== "number" || typeof second !== "number" || !first || !second) return "";
  return fixed(first / second, 2);
}

// A link, if an address is a plain https one.
function link(address, text, title) {
  try {
    if (new URL(address).protocol === "https:") {
      return el("a", { href: address, target: "_blank", rel: "noopener noreferrer", title: title || address }, text);
    }
  } catch { /* not an address */ }
  return text;
}

function shortAddress(address) {
  try {
    const url = new URL(address);
    const path = url.pathname.split("/").filter(Boolean);
    return path.length > 1 ? `${url.hostname}/…/${path[path.length - 1]}` : url.hostname + url.pathname;
  } catch {
    return address;
  }
}

// A source as `--explain` words it, its keys of sources.csv and its addresses as links.
function sourceNodes(text) {
  const address = /^(https:\/\/\S+)(.*)$/.exec(text);
  if (address) return [link(address[1], shortAddress(address[1])), address[2]];
  return text.split(/([A-Za-z0-9.-]+)/).map((word) => {
    const source = D.sources[word];
    return source ? link(source[1], word, source[0]) : word;
  });
}

function adviceList(rows) {
  const slow = rows.reduce((one, other) => ((get(other, "samples_per_s") ?? 0) < (get(one, "samples_per_s") ?? 0) ? other : one));
  const advice = D.advice[slow];
  const command = `gpurent compare -w ${D.workload.name} --explain ${rows[0] === MINE ? "mine" : get(rows[0], "offer_id").slice(0, 8)}`;
  if (!advice) return rows[0] === MINE ? null : el("p", { class: "sub" }, say("why-command"), " ", el("code", {}, command));
  const before = cost[slow];
  const items = advice.map((each) => {
    const values = { ...each.values };
    if (each.samples_per_s !== null) {
      const change = each.cost_per_epoch_usd && before ? each.cost_per_epoch_usd / before - 1 : null;
      values.rate = significant(each.samples_per_s);
      values.usd = money(each.cost_per_epoch_usd);
      values.change = change === null ? MISSING : `${change > 0 ? "+" : ""}${Math.round(change * 100)} %`;
    }
    return el("li", {}, say(`explain.${each.code}`, values));
  });
  return el("section", {}, el("h3", {}, say("explain.try")),
    el("ul", { class: "advice" }, ...(items.length ? items : [el("li", {}, say("explain.nothing-to-try"))])));
}

// The public sources the chain names, with what they are and their licence.
function sourcesList(rows) {
  const words = new Set();
  for (const line of D.chain) {
    for (const row of rows) for (const word of lineAt(line, row)[1].split(/[^A-Za-z0-9.-]+/)) if (word in D.sources) words.add(word);
  }
  if (!words.size) return null;
  return el("section", {}, el("h3", {}, say("why-sources")), el("ul", { class: "sources" }, ...[...words].sort().map(sourceItem)));
}

function sourceItem(key) {
  const [what, address, version, date, licence] = D.sources[key];
  return el("li", {}, el("strong", {}, key), " ", what, el("span", { class: "sub" },
    link(address, shortAddress(address)), ` ${[version.slice(0, 12), date, licence].filter(Boolean).join(" · ")}`));
}
