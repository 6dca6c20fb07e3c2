// The one script of the report. It filters the findings that the page holds, opens the one that
// the address names, copies, and draws diagrams. It asks for nothing from anywhere, and
// makes no markup out of text.
"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const shownAtOnce = 200;
  const list = byId("findings-list"), form = byId("filters"), status = byId("shown"), more = byId("more");

  // Findings beyond the first page stand in templates, where they cost no layout.
  const items = list ? [...list.children] : [];
  for (const t of document.querySelectorAll("template.more")) items.push(...t.content.querySelectorAll("li.finding"));
  // What filters ask for is read once, before the first key: asking ten thousand elements takes too long for a key.
  const keys = items.map((it) => ({ severity: it.dataset.severity, server: it.dataset.server, rule: it.dataset.rule, text: it.textContent.toLowerCase() }));
  let limit = shownAtOnce, matches = items;

  function show() {
    list.replaceChildren(...matches.slice(0, limit));
    status.textContent = matches.length === items.length && matches.length <= limit
      ? `All ${items.length} findings are shown.`
      : `${matches.length} of ${items.length} findings match; ${Math.min(limit, matches.length)} are shown.`;
    more.hidden = matches.length <= limit;
  }

  function filter() {
    const severities = new Set([...form.querySelectorAll("input[name=severity]:checked")].map((b) => b.value));
    const server = byId("by-server").value, rule = byId("by-rule").value;
    const words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    matches = items.filter((_, i) =>
      severities.has(keys[i].severity) && (!server || keys[i].server === server) &&
      (!rule || keys[i].rule === rule) && words.every((w) => keys[i].text.includes(w)));
    limit = shownAtOnce;
    show();
  }

  // A finding that the address names is shown whatever the filters say.
  function follow() {
    const id = decodeURIComponent(location.hash.slice(1));
    const at = id ? items.findIndex((it) => it.id === id) : -1;
    if (at < 0) return;
    if (!items[at].isConnected) {
      matches = [items[at]];
      show();
    }
    items[at].querySelector("details").open = true;
    items[at].scrollIntoView();
  }

  // The filters offer what the findings have.
  function offer() {
    const element = (name, attributes, ...inside) => {
      const el = Object.assign(document.createElement(name), attributes);
      el.append(...inside);
      return el;
    };
    for (const name of ["critical", "high", "medium", "low", "info"]) {
      const n = items.filter((it) => it.dataset.severity === name).length;
      if (!n) continue;
      const text = element("span", { className: name }, ` ${name} (${n})`);
      byId("by-severity").append(element("label", {}, element("input", { type: "checkbox", name: "severity", value: name, defaultChecked: true }), text), " ");
    }
    const servers = new Set(items.map((it) => it.dataset.server)), rules = new Map(items.map((it) => [it.dataset.rule, it.dataset.name]));
    for (const server of [...servers].filter(Boolean).sort()) byId("by-server").append(element("option", { value: server }, server));
    for (const rule of [...rules.keys()].sort()) byId("by-rule").append(element("option", { value: rule }, rule + " " + rules.get(rule)));
  }

  const setAll = (open) => { for (const d of list.querySelectorAll("details")) d.open = open; };

  if (list && form) {
    offer();
    form.hidden = false;
    form.addEventListener("input", filter);
    form.addEventListener("reset", () => setTimeout(filter));
    form.addEventListener("submit", (e) => { e.preventDefault(); filter(); });
    more.addEventListener("click", () => { limit += shownAtOnce; show(); });
    byId("expand").addEventListener("click", () => setAll(true));
    byId("collapse").addEventListener("click", () => setAll(false));
    addEventListener("hashchange", follow);
    addEventListener("beforeprint", () => { limit = matches.length; show(); setAll(true); });
    show();
    follow();
  }

  document.addEventListener("click", async (e) => {
    const button = e.target.closest("button.copy");
    if (!button) return;
    const from = byId(button.dataset.from) ?? button.closest(".inside").querySelector(".copied");
    try {
      await navigator.clipboard.writeText(from.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(from); // then the user's own keys copy
      button.textContent = "Selected";
    }
  });

  // A diagram is drawn from the table below it, which says the same in words: a lifeline for each end, beyond most of them
  // one for all others, and an arrow for each row.
  const svgOf = (name, attributes, text) => {
    const el = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [k, v] of Object.entries(attributes)) el.setAttribute(k, v);
    if (text !== undefined) el.textContent = text;
    return el;
  };
  const short = (s, n) => { const c = [...s]; return c.length > n ? c.slice(0, n - 1).join("") + "…" : s; };
  function draw(table) {
    const most = 12, apart = 260, first = 130, top = 64, step = 34, names = [];
    const heads = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
    const from = heads.indexOf("From"), to = heads.indexOf("To"), what = heads.indexOf("What");
    const place = (cell) => {
      const name = cell.textContent;
      if (!names.includes(name) && names.length <= most) names.push(names.length < most ? name : "others");
      return first + (names.includes(name) ? names.indexOf(name) : most) * apart;
    };
    const arrows = [...table.tBodies[0].rows].map((row, i) => {
      const x1 = place(row.cells[from]), x2 = place(row.cells[to]), y = top + i * step, bad = row.querySelector(".high, a") ? " bad" : "", turn = x2 < x1 ? 180 : 0;
      const label = short((from > 0 ? row.cells[0].textContent + " " : "") + row.cells[what].textContent, 38);
      return [svgOf("line", { class: "way" + bad, x1, y1: y, x2, y2: y }), svgOf("path", { class: "head" + bad, d: "M0 0 L-9 -4.5 L-9 4.5 Z", transform: `translate(${x2} ${y}) rotate(${turn})` }),
        svgOf("text", { x: (x1 + x2) / 2, y: y - 6, "text-anchor": "middle", class: bad }, label)];
    });
    const width = 2 * first + (names.length - 1) * apart, height = top + arrows.length * step;
    const svg = svgOf("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Diagram; the table below says the same" });
    names.forEach((name, i) => svg.append(svgOf("line", { class: "life", x1: first + i * apart, y1: 34, x2: first + i * apart, y2: height }),
      svgOf("text", { x: first + i * apart, y: 22, "text-anchor": "middle" }, short(name, 30))));
    svg.append(...arrows.flat());
    return svg;
  }
  for (const place of document.querySelectorAll("[data-figure]")) {
    const table = place.parentElement.querySelector("table");
    if (table) place.replaceChildren(draw(table));
  }
})();

// In a viewer, which must not look into the page, the page tells how far it is scrolled and goes back there.
(() => {
  if (parent === window) return;
  addEventListener("scroll", () => parent.postMessage(scrollY, "*"), { passive: true });
  addEventListener("message", (e) => { if (e.source === parent && typeof e.data === "number") scrollTo(0, e.data); });
})();
