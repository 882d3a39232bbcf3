// The offers as columns, which of them pass the filters, and in which order.

const N = D.n;
const MINE = D.mine ? N : null; // the user's own machine is the row after the last

function at(column, row) {
  const packed = D.columns[column];
  if ("all" in packed) return packed.all;
  return "of" in packed ? packed.of[packed.at[row]] : packed.is[row];
}

const machineOf = Array.from({ length: N + (D.mine ? 1 : 0) }, (_, row) => at(D.machine_of, row));

function get(row, key) {
  return key in D.offers ? at(D.offers[key], row) : at(D.machines[key], machineOf[row]);
}

function numbers(key) {
  return Float64Array.from(machineOf, (_, row) => get(row, key) ?? NaN);
}
const cost = numbers("cost_per_epoch_usd");
const costLow = numbers("cost_per_epoch_usd_low");
const costHigh = numbers("cost_per_epoch_usd_high");
const time = numbers("steady_epoch_s");
const price = numbers("usd_per_gpu_hour");

const SLICES = ["mig", "vgpu", "timeslice"];
function shareOf(row) {
  const share = get(row, "gpu_share");
  return SLICES.includes(share) ? "slice" : share;
}

// The name of a row's card: of one of several, what their names have in common.
function cardName(row) {
  const gpu = get(row, "gpu");
  if (gpu !== null) return D.names[gpu] || gpu;
  const names = get(row, "gpu_candidates").map((id) => (D.names[id] || id).split(" "));
  if (!names.length) return get(row, "gpu_text");
  const common = names[0].filter((word, place) => names.every((words) => words[place] === word));
  const first = names[0].findIndex((word, place) => names.some((words) => words[place] !== word));
  return (first < 0 ? names[0] : common.slice(0, first)).join(" ") || get(row, "gpu_text");
}

function counted(row) {
  const count = get(row, "gpu_count");
  return count > 1 ? `${count} × ${cardName(row)}` : cardName(row);
}

function providerName(row) {
  const via = get(row, "via");
  const called = (id) => D.providers[id] || id;
  return called(get(row, "provider")) + (via ? ` (${called(via)})` : "");
}

function offerName(row) {
  if (row === MINE) return `${counted(row)} (${say("mine")})`;
  return say("offer-name", { card: counted(row), provider: providerName(row) });
}

// Small words beside a card's name: which slice, how many cards the seller's words can mean.
function badges(row) {
  const share = get(row, "gpu_share");
  const found = [];
  const candidates = get(row, "gpu_candidates");
  if (get(row, "gpu") === null && candidates.length) {
    found.push([say("one-of", { n: candidates.length }), candidates.map((id) => D.names[id] || id).join(", ")]);
  }
  if (share !== "whole") {
    const memory = get(row, "gpu_memory_gib");
    const detail = get(row, "share_profile") || (memory ? `${significant(memory)} GiB` : "");
    found.push([say(`badge-${share}`, { detail }).trim(), ""]);
  }
  const warned = get(row, "warnings").filter((code) => code !== "ambiguous-card");
  if (warned.length) found.push(["!", warned.map((code) => sayOr(`warning.${code}`, code)).join("\n")]);
  if (get(row, "purchase") !== "on-demand" && row !== MINE) found.push([say(`purchase-${get(row, "purchase")}`), ""]);
  return found;
}

const STAGES = ["read", "prep", "compute", "sync"];
const STAGE_OF_LIMIT = { gpu: "compute", cpu: "prep", disk: "read", sync: "sync" };

// The work of each stage: seconds a sample of the whole offer, in the order of STAGES.
function stages(row) {
  const per = (key) => (get(row, key) ? 1 / get(row, key) : 0);
  const gpus = per("gpu_samples_per_s");
  const alone = get(row, "sync_efficiency") ?? 1;
  return [per("disk_samples_per_s"), per("cpu_samples_per_s"), gpus * Math.min(1, alone), gpus * Math.max(0, 1 - alone)];
}

function limitText(row) {
  const also = get(row, "limit_also");
  const limit = get(row, "limit");
  if (!limit) return MISSING;
  return sayOr(`limit-${limit}`, limit) + (also ? ` + ${sayOr(`limit-${also}`, also)}` : "");
}

const SORTS = {
  rank: (row) => row,
  card: (row) => cardName(row).toLowerCase(),
  provider: (row) => providerName(row).toLowerCase(),
  vcpus: (row) => get(row, "vcpus") ?? -1,
  limit: (row) => get(row, "limit") || "",
  rate: (row) => get(row, "samples_per_s") ?? -1,
  time: (row) => time[row],
  cost: (row) => cost[row],
  price: (row) => price[row],
  age: (row) => get(row, "age_days") ?? 1e9,
};

const haystack = Array.from({ length: N }, (_, row) =>
  [cardName(row), get(row, "gpu") || get(row, "gpu_candidates").join(" "), get(row, "gpu_text")].join(" ").toLowerCase(),
);

function passes(row) {
  const wanted = state.filter;
  if (wanted.card && !haystack[row].includes(wanted.card)) return false;
  if (wanted.provider && get(row, "provider") !== wanted.provider) return false;
  if (wanted.share && shareOf(row) !== wanted.share) return false;
  if (wanted.purchase && get(row, "purchase") !== wanted.purchase) return false;
  if (wanted.limit && get(row, "limit") !== wanted.limit && get(row, "limit_also") !== wanted.limit) return false;
  return wanted.price === null || !(price[row] * D.view.rate > wanted.price);
}

let shown = []; // rows that pass, in the order of the table

function choose() {
  const key = SORTS[state.sort.key];
  const rows = Array.from({ length: N }, (_, row) => row).filter(passes);
  if (state.sort.key !== "rank") {
    const keys = new Map(rows.map((row) => [row, key(row)]));
    rows.sort((one, other) => {
      const [a, b] = [keys.get(one), keys.get(other)];
      return a < b ? -1 : a > b ? 1 : one - other;
    });
  }
  shown = state.sort.up ? rows : rows.reverse();
}

// The rows none of these beats in both time and cost, fastest first.
function frontier(rows) {
  const ordered = rows.filter((row) => time[row] > 0 && cost[row] > 0);
  ordered.sort((a, b) => time[a] - time[b] || cost[a] - cost[b]);
  let least = Infinity;
  return ordered.filter((row) => cost[row] < least && ((least = cost[row]), true));
}
