// Ties the parts together: language, theme, filters, size, and the first drawing.

function setting() {
  const { options, workload } = D;
  return say("setting", {
    precision: sayOr(`precision-${options.precision}`, options.precision), batch: options.batch, epochs: count(options.epochs),
    samples: fixed(workload.samples_per_epoch, 0), sample: sayOr(`sample-${workload.sample}`, workload.sample), setup: say(`setup-${options.setup}`),
  });
}

function speak(lang) {
  state.lang = lang;
  document.documentElement.lang = lang === "zh" ? "zh-CN" : "en";
  document.title = `${D.title[lang]} · gpurent`;
  for (const node of document.querySelectorAll("[data-say]")) node.textContent = say(node.dataset.say);
  for (const node of document.querySelectorAll("[data-say-label]")) node.setAttribute("aria-label", say(node.dataset.sayLabel));
  for (const button of document.querySelectorAll("[data-lang]")) button.setAttribute("aria-pressed", String(button.dataset.lang === lang));
  byId("title").textContent = D.title[lang];
  byId("setting").textContent = setting();
  drawVerdict();
  drawLegend();
  drawStageLegend();
  drawFilters();
  update();
  drawLeftOut();
  drawBasis();
  drawHistory();
  drawFoot();
}

function paint(theme) {
  if (theme === "auto") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.dataset.theme = theme;
  for (const button of document.querySelectorAll("[data-theme-choice]")) button.setAttribute("aria-pressed", String(button.dataset.themeChoice === theme));
  drawHistory();
}

for (const button of document.querySelectorAll("[data-lang]")) button.addEventListener("click", () => speak(button.dataset.lang));
for (const button of document.querySelectorAll("[data-theme-choice]")) button.addEventListener("click", () => paint(button.dataset.themeChoice));

const form = byId("filter-form");
form.addEventListener("input", readFilters);
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("reset", () => setTimeout(readFilters));
byId("why").addEventListener("close", () => why.opener && why.opener.isConnected && why.opener.focus());
byId("why").addEventListener("click", (event) => event.target === byId("why") && closeWhy());
if (matchMedia("(max-width: 700px)").matches) byId("filters-box").open = false;

let drawnWidth = 0;
new ResizeObserver(() => {
  const width = byId("chart").clientWidth;
  if (width && Math.abs(width - drawnWidth) > 8) {
    if (drawnWidth) {
      drawChart();
      drawHistory();
    }
    drawnWidth = width;
  }
}).observe(byId("chart"));

byId("live").hidden = false;
if (!N) for (const name of ["frontier", "filters", "offers"]) byId(name).hidden = true;
setUpHistory();
speak(D.lang);
document.documentElement.dataset.ready = "yes";
