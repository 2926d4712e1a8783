// What lost its scene, does not fit, or waits for a place.

import { get } from "../api.js";
import { h } from "../dom.js";
import { at, here, outline } from "../session.js";
import { keyText, t, valueText } from "../texts.js";
import { sceneLink } from "../lore/details.js";

const KINDS = ["lost_from", "lost_until", "lost_told", "lost_scope", "does_not_fit", "undated", "not_revealed"];

/** Returns the list of loose ends. */
export async function view({ signal }) {
  const [places, { answer }] = await Promise.all([outline(), get(at("/loose-ends"), {}, { signal })]);
  const groups = KINDS.map((kind) => [kind, answer.items.filter((item) => item.kind === kind)]).filter(([, items]) => items.length);
  const drawn = groups.map(([kind, items]) => h("section", { class: "panel" }, h("h2", {}, t(`loose.${kind}`)), h("p", { class: "hint" }, t(`loose.${kind}_hint`)), h("ul", { class: "rows" }, bySubject(items).map((alike) => h("li", {}, row(alike, places))))));
  const nothing = !groups.length && h("p", { class: "empty" }, t("loose.none"));
  return { title: t("nav.loose"), className: "lore", node: [h("h1", {}, t("nav.loose")), nothing, drawn] };
}

function bySubject(items) {
  const found = new Map();
  items.forEach((item, place) => {
    const key = item.entry?.id ?? place;
    found.set(key, [...(found.get(key) ?? []), item]);
  });
  return [...found.values()];
}

function row(items, places) {
  const [{ entry, scene }] = items;
  const who = entry && h("a", { href: here(["entry", entry.id]) }, entry.name);
  const says = items.flatMap((item) => lacking(item));
  const where = scene && sceneLink(scene, places);
  const order = scene && h("a", { class: "button small", href: here(["outline"], { order: "story" }) }, t("loose.place"));
  const numbers = new Set(items.map(({ fact }) => fact?.edit).filter(Boolean));
  const edits = [...numbers].map((edit) => h("span", { class: "origin" }, t("edit.short", { edit })));
  return [who, ...says, where, ...edits, order].filter(Boolean).flatMap((part, index) => (index ? [" · ", part] : [part]));
}

function lacking({ entry, fact, scene }) {
  if (entry && !fact && !scene) return [h("span", {}, t("loose.whole"))];
  const patch = fact?.patch && typeof fact.patch === "object" ? fact.patch : {};
  return Object.entries(patch).map(([key, value]) => h("span", {}, h("span", { class: "label" }, keyText(key)), " ", valueText(value)));
}
