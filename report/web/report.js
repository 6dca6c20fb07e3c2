// The one script of the report. It filters the findings that the page holds, opens the one that
// the address names, copies, and draws the graph of flows. It asks for nothing from anywhere, and
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

  const setAll = (open) => { for (const d of list.querySelectorAll("details")) d.open = open; };

  if (list && form) {
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

  // The graph is drawn from the table of flows, which says the same in words.
  const table = byId("flows-table"), place = byId("flows-graph");
  if (!table || !place || typeof dagre === "undefined") return;
  const svgOf = (name, attributes, text) => {
    const el = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [k, v] of Object.entries(attributes)) el.setAttribute(k, v);
    if (text !== undefined) el.textContent = text;
    return el;
  };
  const short = (s, n) => { const c = [...s]; return c.length > n ? c.slice(0, n - 1).join("") + "…" : s; };
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: "LR", nodesep: 24, ranksep: 110, marginx: 12, marginy: 12 });
  graph.setDefaultEdgeLabel(() => ({}));
  const node = (cell) => {
    const name = cell.dataset.name, server = cell.dataset.server;
    const id = JSON.stringify([server, name]);
    if (!graph.hasNode(id)) {
      const label = short(name, 28), below = short(server, 28);
      graph.setNode(id, { label, below, width: 24 + 8 * Math.max(label.length, below.length, 6), height: below ? 44 : 30 });
    }
    return id;
  };
  let n = 0;
  for (const row of table.tBodies[0].rows) {
    const label = short(row.dataset.label, 24);
    graph.setEdge(node(row.cells[0]), node(row.cells[1]), { label, bad: row.dataset.bad === "yes", width: 8 * label.length, height: 16, labelpos: "c" }, String(n++));
  }
  dagre.layout(graph);
  const size = graph.graph();
  const svg = svgOf("svg", { width: Math.ceil(size.width), height: Math.ceil(size.height), viewBox: `0 0 ${Math.ceil(size.width)} ${Math.ceil(size.height)}`, role: "img", "aria-labelledby": "flows-title" });
  for (const e of graph.edges()) {
    const edge = graph.edge(e), p = edge.points, bad = edge.bad ? " bad" : "";
    svg.append(svgOf("path", { class: "way" + bad, d: "M" + p.map((q) => `${q.x.toFixed(1)} ${q.y.toFixed(1)}`).join(" L") }));
    const a = p[p.length - 2], b = p[p.length - 1], turn = Math.atan2(b.y - a.y, b.x - a.x) * 180 / Math.PI;
    svg.append(svgOf("path", { class: "head" + bad, d: "M0 0 L-9 -4.5 L-9 4.5 Z", transform: `translate(${b.x.toFixed(1)} ${b.y.toFixed(1)}) rotate(${turn.toFixed(1)})` }));
    if (edge.label) svg.append(svgOf("text", { x: edge.x, y: edge.y - 4, "text-anchor": "middle", class: edge.bad ? "bad" : "soft" }, edge.label));
  }
  for (const id of graph.nodes()) {
    const v = graph.node(id);
    svg.append(svgOf("rect", { class: "box", x: v.x - v.width / 2, y: v.y - v.height / 2, width: v.width, height: v.height, rx: 4 }));
    svg.append(svgOf("text", { x: v.x, y: v.below ? v.y - 3 : v.y + 4, "text-anchor": "middle" }, v.label));
    if (v.below) svg.append(svgOf("text", { x: v.x, y: v.y + 14, "text-anchor": "middle", class: "soft" }, v.below));
  }
  place.replaceChildren(svg);
})();

// In a viewer, which must not look into the page, the page tells how far it is scrolled and goes back there.
(() => {
  if (parent === window) return;
  addEventListener("scroll", () => parent.postMessage(scrollY, "*"), { passive: true });
  addEventListener("message", (e) => { if (e.source === parent && typeof e.data === "number") scrollTo(0, e.data); });
})();
