// What is said and how numbers look: sentences by code in the chosen language, digits as the command line shows them.

const D = JSON.parse(document.getElementById("data").textContent);
const state = {
  lang: D.lang,
  sort: { key: "rank", up: true },
  filter: { card: "", provider: "", share: "", purchase: "", limit: "", price: null },
  page: 0,
  selected: null,
};
const MISSING = "–";

function known(code) {
  const [area, name] = split(code);
  return D.words[state.lang][area] !== undefined && D.words[state.lang][area][name] !== undefined;
}

function split(code) {
  const dot = code.indexOf(".");
  return dot < 0 ? ["page", code] : [code.slice(0, dot), code.slice(dot + 1)];
}

// The sentence of a code; codes without an area are the page's own.
function say(code, values) {
  const [area, name] = split(code);
  const text = D.words[state.lang][area][name];
  return values ? text.replace(/\{(\w+)\}/g, (whole, key) => (key in values ? String(values[key]) : whole)) : text;
}

// A sentence whose `words` are commands.
function withCode(text) {
  return text.split("`").map((words, place) => (place % 2 ? el("code", {}, words) : words));
}

function sayOr(code, fallback) {
  return known(code) ? say(code) : fallback;
}

// An element with attributes and children; text is always text, never markup.
function el(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function svg(tag, attributes, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? "" : String(value));
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

const byId = (id) => document.getElementById(id);

// Rounded as Python rounds, thousands set apart.
function fixed(value, places) {
  const [whole, part] = value.toFixed(places).split(".");
  return whole.replace(/\B(?=(\d{3})+$)/g, ",") + (part ? `.${part}` : "");
}

const isKnown = (value) => typeof value === "number" && Number.isFinite(value);

// A number to a few significant digits, thousands set apart; missing is a dash.
function significant(value, digits = 3) {
  if (!isKnown(value)) return MISSING;
  if (value === 0) return "0";
  const rounded = Number(value.toPrecision(digits));
  const places = digits - 1 - Math.floor(Math.log10(Math.abs(value)));
  return fixed(rounded, Math.max(0, places));
}

// A number of a scale: its own digits, no more.
function plainNumber(value) {
  const short = Number(value.toPrecision(4));
  return fixed(short, (String(short).split(".")[1] || "").length);
}

// A count that is whole is shown whole.
function count(value) {
  return Number.isInteger(value) ? fixed(value, 0) : significant(value);
}

// A value of the chain, as `--explain` shows it.
function chainValue(value) {
  if (value === null || value === undefined) return MISSING;
  if (typeof value !== "number") return String(value);
  return Number.isInteger(value) && Math.abs(value) < 1e12 ? fixed(value, 0) : significant(value, 4);
}

function symbolOf(currency) {
  try {
    const options = { style: "currency", currency, currencyDisplay: "narrowSymbol" };
    const parts = new Intl.NumberFormat("en-US", options).formatToParts(1);
    const symbol = parts.find((part) => part.type === "currency").value;
    return symbol.length > 1 ? `${symbol} ` : symbol;
  } catch {
    return `${currency} `;
  }
}
const SYMBOL = symbolOf(D.view.currency);

// US dollars in the currency of the view.
function money(usd, digits = 3) {
  return isKnown(usd) ? SYMBOL + significant(usd * D.view.rate, digits) : MISSING;
}

function amount(usd) {
  return isKnown(usd) ? significant(usd * D.view.rate) : MISSING;
}

function duration(seconds) {
  if (!isKnown(seconds)) return MISSING;
  for (const [size, unit, least] of [[86400, "d", 172800], [3600, "h", 5400], [60, "min", 90]]) {
    if (seconds >= least) return say(`unit-${unit}`, { n: significant(seconds / size) });
  }
  return say("unit-s", { n: significant(seconds) });
}

// Days as the command line counts them.
const wholeDays = (age) => Math.max(0, Math.round(age));

function days(age) {
  if (age === null || age === undefined) return say("age-unknown");
  const whole = wholeDays(age);
  return whole < 1 ? say("today") : whole === 1 ? say("yesterday") : say("ago", { n: fixed(whole, 0) });
}

function percent(share) {
  return `${share > 0 && share < 0.005 ? "<1" : Math.round(share * 100)} %`;
}

function bytes(count) {
  for (const [size, unit] of [[1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "kB"]]) {
    if (count >= size) return `${significant(count / size)} ${unit}`;
  }
  return `${significant(count)} B`;
}
