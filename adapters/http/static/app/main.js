// Starts the page, and draws the view that the address names.

import { hooks, Problem, sentenceOf } from "./api.js";
import { focusOn, h, show } from "./dom.js";
import { askToken, drawFrame, drawNavigation } from "./frame.js";
import { goTo, linkTo, route } from "./router.js";
import { loadMe, openSeries, session } from "./session.js";
import { speak, t, wantedLanguage } from "./texts.js";
import { keepTalking } from "./talk/channel.js";
import { applyTheme } from "./views/settings.js";

const SLOW_MS = 300;
const VIEWS = {
  talk: () => import("./views/talk.js"),
  entries: () => import("./views/entries.js"),
  entry: () => import("./views/entry.js"),
  outline: () => import("./views/outline.js"),
  scene: () => import("./views/scene.js"),
  search: () => import("./views/search.js"),
  proposals: () => import("./views/proposals.js"),
  history: () => import("./views/history.js"),
  loose: () => import("./views/loose.js"),
  transfer: () => import("./views/transfer.js"),
  settings: () => import("./views/settings.js"),
  more: () => import("./views/more.js"),
  begin: () => import("./views/begin.js"),
};
const UNDER = { entry: "entries", scene: "outline" };

let main;
let drawn = null;
let isFirst = true;

async function boot() {
  applyTheme();
  await speak(wantedLanguage());
  main = drawFrame();
  drawNavigation("");
  hooks.wantsToken = askToken;
  window.addEventListener("hashchange", draw);
  await draw();
}

async function draw() {
  drawn?.abort.abort();
  drawn?.dispose?.();
  const mine = { abort: new AbortController() };
  drawn = mine;
  const waiting = setTimeout(() => drawn === mine && show(main, h("p", { class: "waiting" }, t("frame.loading"))), SLOW_MS);
  try {
    if (!session.me) await loadMe();
    const found = await view(mine);
    if (drawn !== mine) {
      found?.dispose?.();
      return;
    }
    if (found) place(found, mine);
  } catch (error) {
    if (drawn === mine && error.name !== "AbortError") fail(error);
  } finally {
    clearTimeout(waiting);
  }
}

/** Returns what the address names, drawn, or null if it led elsewhere. */
async function view(mine) {
  const { parts, parameters } = route();
  const [first, id, name = "talk", ...rest] = parts;
  if (first === "s") {
    const series = openSeries(id) ?? (await loadMe(), openSeries(id));
    if (!series) throw new Problem(404, "not_found", t("error.no_series"));
    const known = name in VIEWS ? name : "talk";
    drawNavigation(UNDER[known] ?? known);
    await keepTalking(series);
    const module = await VIEWS[known]();
    return module.view({ parts: rest, parameters, signal: mine.abort.signal });
  }
  const [only] = session.me.series;
  if (first !== "begin" && only) {
    location.replace(linkTo(["s", localStorage.getItem("series") && byId(localStorage.getItem("series")) ? localStorage.getItem("series") : only.id, "talk"]));
    return null;
  }
  drawNavigation("");
  return (await VIEWS.begin()).view({ parts, parameters, signal: mine.abort.signal });
}

function byId(id) {
  return session.me.series.some((one) => one.id === id);
}

function place(found, mine) {
  mine.dispose = found.dispose;
  if (session.series) localStorage.setItem("series", session.series.id);
  document.title = [found.title, session.series?.name, "LoreKeeper"].filter(Boolean).join(" · ");
  main.className = found.className ?? "";
  show(main, found.node);
  found.shown?.();
  if (!isFirst && !found.keepsFocus) focusOn(main.querySelector("h1"));
  if (!found.keepsScroll) window.scrollTo(0, 0);
  isFirst = false;
}

function fail(error) {
  const again = h("button", { type: "button", class: "primary", onclick: () => goTo(location.hash) }, t("error.again"));
  show(main, h("section", { class: "failure" }, h("h1", {}, t("error.title")), h("p", { role: "alert" }, sentenceOf(error)), again));
}

boot();
