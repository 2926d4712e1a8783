// Draws an entry's timeline: chapters along the top, one row a detail, a bar as long as a value is true.

import { h, s } from "../dom.js";
import { keyText, placeText, t, valueText } from "../texts.js";

const ROW = 44;
const HEAD = 46;
const NARROWEST = 34;
const MANY = 60;
const NARROWEST_OF_MANY = 12;
const WIDEST = 110;
const LETTER = 7.2; // how wide a letter is, about
const BOLD = 8.6;

/** Returns the picture with a column of names that stays where it is while the rest is scrolled. */
export function drawPicture(rows, axis, { name, mark, pick, room }) {
  const width = Math.min(Math.max(Math.floor(room / Math.max(axis.length, 1)), axis.length > MANY ? NARROWEST_OF_MANY : NARROWEST), WIDEST);
  const size = { width: axis.length * width, height: HEAD + rows.length * ROW };
  const picture = s(
    "svg",
    { class: "timeline", viewBox: `0 0 ${size.width} ${size.height}`, width: size.width, height: size.height, role: "img", "aria-label": t("timeline.alt", { name }) },
    chapters(axis, width, size.height),
    rows.map((row, index) => bars(row, index, axis, width, pick)),
    line(axis, width, size.height, mark),
  );
  const names = h("div", { class: "timeline-names", "aria-hidden": "true" }, rows.map((row) => h("div", {}, keyText(row.key))));
  return h("div", { class: "timeline-frame", tabindex: "0", role: "region", "aria-label": t("timeline.title", { name }) }, names, picture);
}

/** Returns the same as a table for those who read rather than look. */
export function drawTable(rows, axis, link) {
  const cells = rows.flatMap((row) =>
    row.spans.map((span, index) =>
      h(
        "tr",
        {},
        index === 0 && h("th", { scope: "rowgroup", rowspan: String(row.spans.length) }, keyText(row.key)),
        h("td", {}, valueText(span.value)),
        h("td", {}, link(axis[span.start]), span.to > span.start && [" – ", link(axis[span.to])]),
      ),
    ),
  );
  const head = ["timeline.detail", "timeline.value", "timeline.scenes"].map((key) => h("th", { scope: "col" }, t(key)));
  return h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": t("timeline.as_list") }, h("table", { class: "timeline-table" }, h("thead", {}, h("tr", {}, head)), h("tbody", {}, cells)));
}

function chapters(axis, width, height) {
  const groups = [];
  axis.forEach((scene, at) => {
    const last = groups.at(-1);
    if (last?.chapter === scene.parent) last.to = at;
    else groups.push({ chapter: scene.parent, start: at, to: at });
  });
  const drawn = groups.map(({ chapter, start, to }, index) => {
    const [x, wide] = [start * width, (to - start + 1) * width];
    return s(
      "g",
      {},
      s("rect", { class: index % 2 ? "stripe odd" : "stripe", x, y: 0, width: wide, height }),
      s("text", { class: "chapter", x: x + 6, y: 16 }, cut(chapter.label, wide - 6, BOLD)),
      s("title", {}, placeText(chapter)),
    );
  });
  const scenes = width < NARROWEST ? null : axis.map((scene, at) => s("text", { class: `scene ${scene.mode}`, x: at * width + 6, y: 34 }, `.${scene.label.split(".").pop()}`, s("title", {}, placeText(scene))));
  return [drawn, scenes];
}

function bars(row, index, axis, width, pick) {
  const y = HEAD + index * ROW;
  const drawn = row.spans.map((span, at) => {
    const [x, wide] = [span.start * width + 2, (span.to - span.start + 1) * width - 4];
    const words = valueText(span.value);
    return s(
      "g",
      { class: `bar tone-${at % 3}`, onclick: () => pick(axis[span.start]) },
      s("rect", { x, y: y + 8, width: wide, height: ROW - 16, rx: 6 }),
      s("text", { x: x + 8, y: y + ROW / 2 + 4 }, cut(words, wide - 12)),
      s("title", {}, `${keyText(row.key)}: ${words}\n${placeText(axis[span.start])} – ${placeText(axis[span.to])}`),
    );
  });
  return [s("line", { class: "rule", x1: 0, x2: axis.length * width, y1: y, y2: y }), drawn];
}

function line(axis, width, height, mark) {
  const at = axis.findIndex((scene) => scene.id === mark);
  if (at < 0) return null;
  const x = (at + 1) * width - 1;
  return s("line", { class: "now", x1: x, x2: x, y1: 0, y2: height });
}

/** Returns what of a text fits into a width. */
function cut(text, width, letter = LETTER) {
  const fits = Math.floor(width / letter);
  if (text.length <= fits) return text;
  return fits > 3 ? `${text.slice(0, fits - 1).trimEnd()}…` : "";
}
