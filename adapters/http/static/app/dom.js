// Builds elements. Text from anywhere goes in as text only, never as markup.

const SVG = "http://www.w3.org/2000/svg";

/** Returns an element: `on…` are listeners, `data` its dataset, true and false set and drop attributes. */
export function h(name, given = {}, ...children) {
  return filled(document.createElement(name), given, children);
}

/** Returns an SVG element. */
export function s(name, given = {}, ...children) {
  return filled(document.createElementNS(SVG, name), given, children);
}

/** Shows these children in an element instead of what it held. */
export function show(element, ...children) {
  element.replaceChildren(...flat(children));
  return element;
}

/** Returns a number that no element of this page uses as an id yet. */
export function freshId(stem) {
  freshId.last = (freshId.last ?? 0) + 1;
  return `${stem}-${freshId.last}`;
}

/** Returns a line drawing from the small set that the page knows. */
export function icon(name) {
  const paths = (ICONS[name] ?? []).map((d) => s("path", { d }));
  return s("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, paths);
}

/** Gives the focus to an element that is not a control, such as a heading. */
export function focusOn(element) {
  if (!element) return;
  if (!element.hasAttribute("tabindex")) element.setAttribute("tabindex", "-1");
  element.focus({ preventScroll: false });
}

/** Returns a function that calls `work` once nothing has called it for so long. */
export function debounced(work, pauseMs) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...given), pauseMs);
  };
}

function filled(element, given, children) {
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "data") Object.assign(element.dataset, value);
    else if (name === "value" || name === "checked" || name === "selected") element[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...flat(children));
  if ("value" in given && element.localName === "select") element.value = given.value;
  return element;
}

function flat(children) {
  return children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
}

const ICONS = {
  talk: ["M4 5h16v11H9l-5 4z"],
  entries: ["M6 4h12v16H6z", "M9 8h6M9 12h6M9 16h3"],
  outline: ["M4 6h16M8 12h12M8 18h12M4 12h.01M4 18h.01"],
  search: ["M10.5 4a6.500 6.500 0 1 0 0 13 6.500 6.500 0 0 0 0-13z", "M15.500 15.500 20 20"],
  proposals: ["M5 4h14v16H5z", "m8.500 12 2.500 2.500 4.500-5"],
  history: ["M12 4a8 8 0 1 1-7.500 5.200", "M4 4v5h5", "M12 8v4.500l3 2"],
  loose: ["M9 7H7a5 5 0 0 0 0 10h2M15 7h2a5 5 0 0 1 0 10h-2", "M12 4v2M12 18v2"],
  transfer: ["M12 4v11", "m7.500 11 4.500 4.500 4.500-4.500", "M5 20h14"],
  settings: ["M4 7h10M18 7h2M4 17h2M10 17h10", "M16 5v4M8 15v4"],
  more: ["M5 12h.01M12 12h.01M19 12h.01"],
  up: ["m6 14 6-6 6 6"],
  down: ["m6 10 6 6 6-6"],
  grip: ["M9 6h.01M15 6h.01M9 12h.01M15 12h.01M9 18h.01M15 18h.01"],
  send: ["M5 12h13", "m12.500 6 6 6-6 6"],
  stop: ["M7 7h10v10H7z"],
  close: ["m6 6 12 12M18 6 6 18"],
};
