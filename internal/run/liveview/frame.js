// The page around the pages: it shows the file that the address names, and loads it again when the
// server tells that it has changed. The pages are sandboxed; ours tell how far they are scrolled.
"use strict";
const frame = document.querySelector("iframe"), state = document.getElementById("state"), files = document.querySelectorAll("a[data-page]");
const chosen = () => Number(location.hash.slice(1)) || 0;
let place = 0;
const load = () => {
  frame.addEventListener("load", () => frame.contentWindow.postMessage(place, "*"), { once: true });
  if (files[chosen()]) frame.contentWindow.location.replace(files[chosen()].dataset.page);
};
addEventListener("message", (e) => { if (e.source === frame.contentWindow && typeof e.data === "number") place = e.data; });
addEventListener("hashchange", () => { place = 0; load(); });
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
