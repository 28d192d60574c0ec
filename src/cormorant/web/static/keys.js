// Single keys: "/" goes to the search box, "j" and "k" to the next and the previous result, Enter opens it.
// They are off while somebody types. Whoever switches them off is not sent this file at all.
(() => {
  "use strict";
  const hits = () => [...document.querySelectorAll(".hit")];

  const mark = (hit) => {
    for (const each of hits()) each.classList.toggle("at", each === hit);
  };

  const typing = (element) => element.isContentEditable || element.matches("input, textarea, select");

  // The link gets the focus, so that Enter, Tab and a screen reader go on from there by themselves.
  const move = (by) => {
    const all = hits();
    const next = all[all.findIndex((hit) => hit.matches(".at")) + by];
    const link = next && next.querySelector("h2 a");
    if (link) link.focus();
  };

  const search = () => {
    const box = document.getElementById("q");
    if (!box) return false;
    box.focus();
    box.select();
    return true;
  };

  // Where a click has taken the focus away, the marked result is still the one that opens.
  const open = () => {
    const link = document.activeElement === document.body && document.querySelector(".hit.at h2 a");
    if (link) link.click();
    return Boolean(link);
  };

  document.addEventListener("focusin", (event) => {
    const hit = event.target.closest(".hit");
    if (hit) mark(hit);
  });

  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (typing(event.target)) return;
    if (event.key === "j") move(1);
    else if (event.key === "k") move(-1);
    else if (event.key === "/" && search()) event.preventDefault();
    else if (event.key === "Enter" && open()) event.preventDefault();
  });

  // What a page says of these keys is true only where this runs.
  for (const hint of document.querySelectorAll("[data-keys]")) hint.hidden = false;
})();
