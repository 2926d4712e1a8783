// Draws the server's cards: titles, lines with before → after, fields, footers. Buttons are their owner's matter.

import { freshId, h } from "./dom.js";
import { here } from "./session.js";
import { t } from "./texts.js";

/** Returns a card as an article. `places` finds scenes by label, `numbered` draws lines that can be picked. */
export function drawCard(card, { places = null, level = 3, numbered = null, after = null, footer = card.footer } = {}) {
  const id = freshId("card");
  const draw = (line) => numbered?.(line) ?? drawLine(line, places);
  return h(
    "article",
    { class: "card", "aria-labelledby": id, data: { colour: card.colour } },
    h("header", {}, h(`h${level}`, { id, class: "card-title" }, card.title), card.head && h("p", { class: "card-head" }, card.head)),
    card.lines.map(draw),
    card.fields.map((field) => h("section", {}, h(`h${level + 1}`, { class: "field-title" }, field.title), field.lines.map(draw))),
    footer.length > 0 && h("footer", {}, footer.map((text) => h("p", {}, text))),
    after,
  );
}

/** Returns one line of a card. */
export function drawLine(line, places = null) {
  const content = [
    line.label && h("span", { class: "label" }, line.label),
    line.before ? change(line) : h("span", { class: "text" }, line.text),
    line.mark && marks(line.mark, places),
  ];
  const style = `line ${line.style} depth-${Math.min(line.depth, 3)}`;
  const isQuote = line.style === "quote";
  return h(isQuote ? "blockquote" : "p", { class: style }, line.style === "warning" && warningSign(), spaced(content));
}

/** Returns links to the scenes that a mark names, or the mark as it is. */
export function marks(mark, places) {
  const parts = mark.split(", ").map((label) => placeLink(label, places) ?? label);
  return h("span", { class: "mark" }, parts.flatMap((part, index) => (index ? [", ", part] : [part])));
}

/** Returns a link to a place by its label or id, or null if the outline knows none. */
export function placeLink(written, places, text = null) {
  const node = places?.find(written);
  if (!node) return null;
  const words = text ?? node.label;
  return h("a", { href: here(["scene", node.id]), class: "place", title: node.title || null }, words);
}

function change(line) {
  return h(
    "span",
    { class: "change" },
    h("span", { class: "unseen" }, t("card.before")),
    h("del", {}, line.before),
    h("span", { class: "arrow", "aria-hidden": "true" }, " → "),
    h("span", { class: "unseen" }, t("card.after")),
    h("ins", {}, line.text),
  );
}

function warningSign() {
  return h("span", { class: "sign", "aria-hidden": "true" }, "!");
}

function spaced(content) {
  return content.filter(Boolean).flatMap((part, index) => (index ? [" ", part] : [part]));
}
