// Draws what is true of an entry: groups of details, each with its scene, its edit, and why.

import { marks, placeLink } from "../card.js";
import { h, show } from "../dom.js";
import { keyText, t } from "../texts.js";

/** Draws a state into an element; returns how many details differ from the state before, null if none was. */
export function drawDetails(element, shown, before, { places, why }) {
  const was = before && texts(before.card);
  const now = texts(shown.card);
  const facts = new Map(shown.answer.facts.map((fact) => [fact.id, fact]));
  const groups = shown.card.fields.map((field) =>
    h(
      "section",
      { class: "group" },
      h("h2", {}, field.title),
      h("dl", {}, field.lines.map((line) => detail(line, { was, places, why, sources: sourcesOf(line, shown.answer, facts) }))),
    ),
  );
  const gone = was ? [...was].filter(([label]) => !now.has(label)) : [];
  const empty = !groups.length && h("p", { class: "hint" }, shown.card.lines.at(-1)?.text ?? "");
  const faded = gone.length > 0 && h("section", { class: "group gone" }, h("h2", {}, t("entry.not_here")), h("dl", {}, gone.map(([label, text]) => h("div", { class: "detail" }, h("dt", {}, label), h("dd", {}, h("del", {}, text))))));
  const focused = element.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  show(element, groups, empty, faded, h("footer", { class: "as-of" }, shown.card.footer.map((line) => h("p", {}, line))));
  if (focused !== undefined) whyButton(element, focused)?.focus();
  if (!was) return null;
  return gone.length + [...now].filter(([label, text]) => was.get(label) !== text).length;
}

function detail(line, { was, places, why, sources }) {
  const old = was?.get(line.label);
  const changed = was && old !== line.text;
  const edits = [...new Set(sources.map(({ edit }) => edit).filter((edit) => edit !== null))];
  const who = [...new Set(sources.map(({ by }) => by).filter(Boolean))].join(", ");
  const from = line.mark ? marks(line.mark, places) : null;
  const told = edits.length > 0 && h("span", { class: "edit", title: who ? t("entry.by", { by: who }) : null }, edits.map((edit) => t("edit.short", { edit })).join(", "));
  const button = h("button", { type: "button", class: "quiet", "aria-label": t("entry.why_of", { key: line.label }), data: { key: sources[0].key }, onclick: () => why(sources[0].key) }, t("entry.why"));
  return h(
    "div",
    { class: `detail ${changed ? "changed" : ""}` },
    h("dt", {}, line.label),
    h("dd", {}, changed && old && [h("del", {}, old), " "], h("span", { class: "value" }, line.text), h("span", { class: "origin" }, from, told, button)),
  );
}

/** Returns the button that asks why a detail is as it is, if the detail is shown. */
export function whyButton(element, key) {
  return [...element.querySelectorAll("button[data-key]")].find((button) => button.dataset.key === key);
}

/** Returns the sources of a detail: its key, scene, edit, and who said it. */
function sourcesOf(line, { state, sources }, facts) {
  const key = Object.keys(state).find((one) => keyText(one) === line.label) ?? line.label;
  const ours = sources.filter(({ pointer }) => topKey(pointer) === key);
  const found = ours.map(({ from, edit, fact }) => ({ key, from, edit, by: facts.get(fact)?.by ?? "" }));
  return found.length ? found : [{ key, from: null, edit: null, by: "" }];
}

function topKey(pointer) {
  return pointer.slice(1).split("/")[0].replaceAll("~1", "/").replaceAll("~0", "~");
}

function texts(card) {
  return new Map(card.fields.flatMap((field) => field.lines.map((line) => [line.label, line.text])));
}

/** Returns a link to a scene, or its name. */
export function sceneLink(place, places) {
  return placeLink(place.id, places, place.title ? `${place.label} ${place.title}` : place.label) ?? place.label;
}
