// The page around the pages: it shows the file that the address names, and loads it again when the
// server tells that it has changed.
"use strict";
const frame = document.querySelector("iframe"), state = document.getElementById("state");
const chosen = () => Number(location.hash.slice(1)) || 0;
const load = () => {
  const place = frame.contentWindow.scrollY;
  frame.addEventListener("load", () => frame.contentWindow.scrollTo(0, place), { once: true });
  frame.contentWindow.location.replace("page/" + chosen());
};
addEventListener("hashchange", load);
let changes = 0;
const events = new EventSource("events");
events.addEventListener("open", () => { state.textContent = "following changes"; if (changes > 0) load(); });
events.addEventListener("error", () => { changes++; state.textContent = "the viewer has ended or is away"; });
events.addEventListener("message", (e) => {
  changes++;
  if (Number(e.data) === chosen()) load();
  state.textContent = "following changes, " + changes + " so far";
});
if (chosen() > 0) load();
