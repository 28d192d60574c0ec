// Suggestions under the search box, as a list that the arrow keys go through: https://www.w3.org/WAI/ARIA/apg/patterns/combobox/
// The focus stays in the box. Enter opens what is marked, or searches; Escape puts the list away.
(() => {
  "use strict";
  const WAIT_MS = 150, LEAST = 2, LONGEST = 200;
  const box = document.getElementById("q");
  const place = box && box.closest("search");
  if (!place) return;

  const make = (name, given = {}, ...inside) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(given)) made.setAttribute(key, value);
    made.append(...inside);
    return made;
  };
  const list = make("div", {class: "suggest", id: "suggestions", role: "listbox", "aria-label": "Suggestions"});
  const told = make("p", {class: "hide", role: "status"});
  list.hidden = true;
  place.append(list, told);

  for (const [name, value] of Object.entries({
    role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": list.id,
  })) box.setAttribute(name, value);

  const options = () => [...list.querySelectorAll("[role=option]")];
  const marked = () => list.querySelector(".at");

  const mark = (option) => {
    for (const each of options()) {
      each.classList.toggle("at", each === option);
      each.setAttribute("aria-selected", String(each === option));
    }
    if (option) {
      box.setAttribute("aria-activedescendant", option.id);
      option.scrollIntoView({block: "nearest"});
    } else box.removeAttribute("aria-activedescendant");
  };

  const close = () => {
    list.hidden = true;
    mark(null);
    box.setAttribute("aria-expanded", "false");
  };

  const lens = () => {
    const drawn = place.querySelector(".ask > .i");
    return drawn ? [drawn.cloneNode(true)] : [];
  };

  // What was typed is bold where the suggestion begins so; the index knows words without their accents.
  const text = (said, typed) => {
    const same = said.toLowerCase().startsWith(typed.toLowerCase());
    return same ? make("span", {}, make("b", {}, said.slice(0, typed.length)), said.slice(typed.length))
      : make("span", {}, said);
  };

  const option = (number, address, ...inside) =>
    make("li", {role: "presentation"}, make("a", {
      role: "option", id: `suggestion-${number}`, "aria-selected": "false", tabindex: "-1", href: address,
    }, ...inside));

  // What else was chosen goes along, as it does with Enter: where to look, the order, groups.
  const chosen = () => [...new FormData(box.form)].filter(([name, value]) => name !== "q" && value);
  const found = (wording) => `/search?${new URLSearchParams([["q", wording], ...chosen()])}`;

  const there = (each) => /^https?:\/\//.test(each.url) ? each.url : `/cached/${each.id}`;

  const show = (answer, typed) => {
    const searches = answer.wordings.map((each, at) => option(at, found(each.text), ...lens(), text(each.text, typed)));
    const documents = answer.documents.map((each, at) =>
      option(searches.length + at, there(each), make("span", {}, each.title), make("span", {}, each.source)));
    list.replaceChildren();
    if (searches.length) list.append(make("ul", {role: "group", "aria-label": "Searches"}, ...searches));
    if (documents.length) {
      const name = make("li", {role: "presentation", class: "group-name", id: "suggested-documents"}, "Documents");
      list.append(make("ul", {role: "group", "aria-labelledby": name.id}, name, ...documents));
    }
    const count = searches.length + documents.length;
    told.textContent = count === 1 ? "1 suggestion" : `${count || "No"} suggestions`;
    if (!count) return close();
    mark(null);
    list.hidden = false;
    box.setAttribute("aria-expanded", "true");
  };

  let waiting = 0, asking = null;
  const stop = () => {
    clearTimeout(waiting);
    if (asking) asking.abort();
    asking = null;
  };

  const ask = async () => {
    const typed = box.value.trimStart();
    if (typed.trim().length < LEAST || typed.length > LONGEST) return close();
    const mine = asking = new AbortController();
    const sources = chosen().filter(([name]) => name === "source");
    const asked = new URLSearchParams([["q", typed], ...sources]);
    try {
      const answer = await fetch(`/api/v1/suggest?${asked}`, {signal: mine.signal});
      if (!answer.ok) return close();
      const said = await answer.json();
      if (asking === mine && document.activeElement === box) show(said, typed);
    } catch {
      if (asking === mine) close(); // nobody answers: the box goes on without suggestions
    }
  };

  box.addEventListener("input", (event) => {
    stop();
    if (!event.isComposing) waiting = setTimeout(ask, WAIT_MS);
  });
  box.addEventListener("compositionend", () => {
    stop();
    waiting = setTimeout(ask, WAIT_MS);
  });
  box.addEventListener("blur", () => {
    stop();
    close();
  });
  // A press on a suggestion must not take the focus from the box, or the list would be gone before the click.
  list.addEventListener("mousedown", (event) => event.preventDefault());
  box.form.addEventListener("submit", () => {
    stop();
    close();
  });
  addEventListener("pagehide", close);

  const step = (by) => {
    const all = options();
    const at = all.indexOf(marked()) + by;
    mark(at === -2 ? all[all.length - 1] : all[at] || null);
  };

  box.addEventListener("keydown", (event) => {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && !list.hidden) {
      stop();
      close();
    } else if (event.key === "ArrowDown" && list.hidden) ask();
    else if (event.key === "ArrowDown") step(1);
    else if (event.key === "ArrowUp" && !list.hidden) step(-1);
    else if (event.key === "Enter" && !list.hidden && marked()) marked().click();
    else return;
    event.preventDefault();
  });
})();
