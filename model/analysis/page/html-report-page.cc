// SPDX-License-Identifier: GPL-2.0-only

#include "html-report-page.h"

namespace ns3
{

const char* const HtmlReportPage::STYLE = R"css(
:root {
  color-scheme: light dark;
  --page: #ffffff; --panel: #f5f6f8; --text: #1b1f24; --soft: #505a66; --line: #d3d8de;
  --warn-page: #fff4e5; --warn-text: #7a3e00;
  --c0: #2563b5; --c1: #c2410c; --c2: #15803d; --c3: #7e22ce; --c4: #b4235a; --c5: #0e7490;
  --c6: #a16207; --c7: #57606a;
}
@media (prefers-color-scheme: dark) {
  :root:not(.paper) {
    --page: #14171c; --panel: #1e232a; --text: #e8ebef; --soft: #aab4c0; --line: #3b434d;
    --warn-page: #3a2a10; --warn-text: #ffd9a0;
    --c0: #7ab0ff; --c1: #ff9d5c; --c2: #6fd08c; --c3: #c79bff; --c4: #ff8fb3; --c5: #5cd0e6;
    --c6: #e5c04b; --c7: #b3bcc7;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--page); color: var(--text);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif;
  overflow-wrap: anywhere;
}
main, header, footer { max-width: 76rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 1.75rem; }
footer { padding-bottom: 2rem; color: var(--soft); font-size: .9rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .5rem; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .5rem; padding-top: .75rem; border-top: 1px solid var(--line); }
p { margin: .5rem 0; max-width: 48rem; }
a { color: var(--c0); }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; list-style: none; margin: 1rem 0 0; padding: 0; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: .75rem; margin: 1rem 0; }
.facts div { background: var(--panel); border-radius: .5rem; padding: .6rem .9rem; }
.facts dt { color: var(--soft); font-size: .85rem; }
.facts dd { margin: 0; font-size: 1.2rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; margin: 1rem 0; max-width: 100%; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
caption { text-align: left; font-weight: 600; padding-bottom: .35rem; }
th, td { text-align: left; vertical-align: top; padding: .25rem .9rem .25rem 0; border-bottom: 1px solid var(--line); }
td { min-width: 3rem; }
thead th { color: var(--soft); font-weight: 600; vertical-align: bottom; }
tbody th { font-weight: 400; }
.n { text-align: right; white-space: nowrap; }
#table-parts td:last-child { min-width: 16rem; }
#table-recoveries td:last-child { min-width: 12.5rem; }
#settings td, #derived td { overflow-wrap: anywhere; }
figure { margin: 1rem 0 1.5rem; }
figure > div { position: relative; width: 100%; }
figcaption, .left-out, .note { color: var(--soft); font-size: .9rem; max-width: 48rem; }
.warn { background: var(--warn-page); color: var(--warn-text); border-radius: .5rem; padding: .6rem .9rem; }
summary { cursor: pointer; font-weight: 600; }
@media (max-width: 40rem) {
  main, header, footer { padding-left: .8rem; padding-right: .8rem; }
  h1 { font-size: 1.3rem; }
  table { font-size: .8rem; }
  .facts { grid-template-columns: 1fr 1fr; }
  .facts dd { font-size: 1rem; }
}
@media print {
  :root {
    --page: #ffffff; --panel: #ffffff; --text: #000000; --soft: #333333; --line: #999999;
    --warn-page: #ffffff; --warn-text: #000000;
  }
  nav { display: none; }
  main, header, footer { max-width: none; }
  .scroll { overflow: visible; }
  table { font-size: .7rem; }
  figure, tr { break-inside: avoid; }
  h2 { break-after: avoid; }
}
)css";

const char* const HtmlReportPage::SCRIPT = R"js(
"use strict";
(function () {
  const root = document.documentElement;
  const charts = [];
  const value = (name) => getComputedStyle(root).getPropertyValue(name).trim();
  const narrow = window.matchMedia("(max-width: 40rem)");

  // Colours of the page, for a configuration whose data sets have numbers of the palette.
  function paint(config) {
    Chart.defaults.color = value("--text");
    Chart.defaults.borderColor = value("--line");
    for (const set of config.data.datasets) {
      const color = value("--c" + (set.color % 8));
      set.borderColor = color;
      set.backgroundColor = color;
      if (set.color >= 8) {
        set.borderDash = [6, 3];
      }
    }
    for (const scale of Object.values(config.options.scales)) {
      scale.grid = Object.assign(scale.grid || {}, { color: value("--line") });
      scale.ticks = Object.assign(scale.ticks || {}, { color: value("--soft") });
      if (scale.title) {
        scale.title.color = value("--text");
      }
    }
    config.options.plugins.legend.labels.color = value("--text");
  }

  // What all charts have in common.
  function complete(config) {
    const options = config.options;
    options.animation = false;
    options.responsive = true;
    options.maintainAspectRatio = false;
    options.plugins = {
      legend: { labels: { boxWidth: 14, boxHeight: 10, font: { size: 12 } }, position: "top" }
    };
    if (config.spans) {
      // Charts of the same time have the same place for the names of their lines.
      options.scales.y.afterFit = (scale) => { scale.width = narrow.matches ? 84 : 120; };
      options.scales.y.ticks = { autoSkip: false, font: { size: narrow.matches ? 10 : 12 } };
      options.layout = { padding: { right: 12 } };
      for (const set of config.data.datasets) {
        Object.assign(set, { grouped: false, barPercentage: 0.9, categoryPercentage: 0.9,
                             minBarLength: 1.5 });
      }
      options.plugins.tooltip = { callbacks: {
        title: (items) => items.length ? items[0].raw.y : "",
        label: (item) => [item.dataset.label + ": " + item.raw.note,
                          item.raw.x[0].toFixed(3) + " to " + item.raw.x[1].toFixed(3) + " ms"]
      } };
    } else if (config.type === "line") {
      for (const set of config.data.datasets) {
        Object.assign(set, { borderWidth: 2, pointRadius: 0, pointHitRadius: 6 });
      }
      const x = options.scales.x;
      x.ticks = { maxRotation: 0, autoSkip: true, callback: (number) => {
        // Powers of ten only: others overlap on narrow screens.
        const exponent = Math.log10(number);
        return Math.abs(exponent - Math.round(exponent)) < 1e-9 ? String(number) : "";
      } };
    } else {
      for (const set of config.data.datasets) {
        Object.assign(set, set.type === "line" ? { borderWidth: 2, pointRadius: 4 }
                                               : { maxBarThickness: 48 });
      }
    }
  }

  function repaint() {
    for (const chart of charts) {
      paint(chart.config);
      chart.update("none");
    }
  }

  function draw() {
    const data = JSON.parse(document.getElementById("data").textContent);
    for (const one of data.charts) {
      complete(one.config);
      paint(one.config);
      charts.push(new Chart(document.getElementById(one.id), one.config));
    }
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
    window.addEventListener("beforeprint", () => {
      root.classList.add("paper");
      document.querySelectorAll("details").forEach((details) => { details.open = true; });
      repaint();
    });
    window.addEventListener("afterprint", () => { root.classList.remove("paper"); repaint(); });
    root.dataset.charts = String(charts.length);
  }

  try {
    draw();
  } catch (error) {
    root.dataset.failed = String(error);
    const note = document.getElementById("no-charts");
    note.textContent = "The charts could not be drawn (" + error + "); the tables have all numbers.";
    note.hidden = false;
  }
})();
)js";

} // namespace ns3
