// An entry's timeline: the picture in story or reading order, and the same to read.

import { get, sentenceOf } from "../api.js";
import { h, show } from "../dom.js";
import { at } from "../session.js";
import { t } from "../texts.js";
import { sceneLink } from "./details.js";
import { factsOf, rowsOf } from "./facts.js";
import { drawPicture, drawTable } from "./picture.js";

const WIDEST_PX = 1136; // of `main.lore` without its padding
const NAMES_PX = 200;

const loaded = new WeakMap();

/** Draws the timeline into an element; what it needs is loaded once. */
export async function drawTimeline(element, { id, name, places, order, mark, pick, turn }) {
  const choice = (wanted) => h("button", { type: "button", class: "chip", "aria-pressed": String(wanted === order), onclick: () => turn(wanted) }, t(`order.${wanted}`));
  const head = h("div", { class: "panel-head" }, h("h2", {}, t("timeline.heading")), h("div", { class: "chips", role: "group", "aria-label": t("order.label") }, choice("story"), choice("reading")));
  const hadFocus = element.contains(document.activeElement);
  try {
    const { items, more } = await timelineOf(element, id);
    const axis = order === "story" ? places.inStoryOrder : places.scenes;
    const rows = rowsOf(factsOf(items, places), axis);
    const wasOpen = element.querySelector("details")?.open ?? false;
    const scrolled = element.querySelector(".timeline-frame")?.scrollLeft ?? 0;
    const nothing = !rows.length && h("p", { class: "hint" }, t("timeline.none"));
    const list = h("details", { open: wasOpen }, h("summary", {}, t("timeline.as_list")), drawTable(rows, axis, (scene) => sceneLink(scene, places)));
    show(element, head, nothing || [drawPicture(rows, axis, { name, mark, pick, room: roomFor() }), list], more > 0 && h("p", { class: "hint" }, t("timeline.more", { n: more })));
    const frame = element.querySelector(".timeline-frame");
    if (frame) frame.scrollLeft = scrolled;
    if (hadFocus) element.querySelector('[aria-pressed="true"]')?.focus();
  } catch (error) {
    if (error.name !== "AbortError") show(element, head, h("p", { class: "trouble" }, sentenceOf(error)));
  }
}

/** Forgets what was loaded: facts have changed. */
export function forgetTimeline(element) {
  loaded.delete(element);
}

/** Returns how wide a picture can be beside its names before it has to be scrolled. */
function roomFor() {
  const main = document.getElementById("main");
  const style = getComputedStyle(main);
  const inside = main.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  return Math.min(inside, WIDEST_PX) - NAMES_PX;
}

async function timelineOf(element, id) {
  if (!loaded.has(element)) loaded.set(element, get(at("/timeline"), { entry: id }));
  try {
    return (await loaded.get(element)).answer;
  } catch (error) {
    loaded.delete(element);
    throw error;
  }
}
