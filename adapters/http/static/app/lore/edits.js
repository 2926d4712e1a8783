// Lists edits with what they did, and takes them back by a card.

import { post, sentenceOf } from "../api.js";
import { decideInDialog } from "../batch.js";
import { h, show } from "../dom.js";
import { at, here } from "../session.js";
import { noteBatch } from "../talk/channel.js";
import { dateText, keyText, t, valueText } from "../texts.js";
import { sceneLink } from "./details.js";

/** Draws the edits of an entry into an element; `again` is called after one was taken back. */
export function drawEdits(element, { name, edits, places, again }) {
  if (!edits.length) {
    show(element);
    return;
  }
  const list = h("ol", { class: "edits" }, edits.map((edit) => drawEdit(edit, places, again)));
  show(element, h("details", {}, h("summary", {}, h("h2", {}, t("history.of", { name }))), list));
}

/** Returns one edit as an item of a list. */
export function drawEdit(edit, places, again) {
  const trouble = h("p", { class: "trouble", role: "alert", hidden: true });
  const takeBack = async () => {
    trouble.hidden = true;
    try {
      const batch = await post(`${at("/undo")}?ask=true`, { change: edit.edit });
      const last = await decideInDialog(batch);
      await noteBatch(last);
      if (last.status === "approved") await again();
    } catch (error) {
      trouble.textContent = sentenceOf(error);
      trouble.hidden = false;
    }
  };
  const by = edit.proposedBy === edit.approvedBy ? edit.proposedBy : t("history.both", { proposed: edit.proposedBy, approved: edit.approvedBy });
  const undone = edit.undoneBy !== null;
  const button = h("button", { type: "button", class: "quiet", "aria-label": t("history.take_back_of", { edit: edit.edit }), onclick: takeBack }, t("history.take_back"));
  const state = undone ? h("span", { class: "badge" }, t("history.undone", { edit: edit.undoneBy })) : button;
  return h(
    "li",
    { class: undone ? "undone" : "" },
    h("div", { class: "edit-head" }, h("h3", {}, t("edit.number", { edit: edit.edit })), h("span", { class: "origin" }, [by, dateText(edit.recordedAt, true)].filter(Boolean).join(" · ")), state),
    lines(edit.lines, places),
    trouble,
  );
}

const SHOWN = 6;

function lines(all, places) {
  const drawn = all.map((line) => h("li", {}, drawLine(line, places)));
  if (drawn.length <= SHOWN) return h("ul", {}, drawn);
  const rest = drawn.slice(SHOWN - 1);
  return [h("ul", {}, drawn.slice(0, SHOWN - 1)), h("details", {}, h("summary", {}, t("history.more_lines", { n: rest.length })), h("ul", {}, rest))];
}

function drawLine(line, places) {
  const who = line.entry && h("a", { href: here(["entry", line.entry.id]) }, line.entry.name);
  const what = line.kind === "fact" || line.kind === "struck" ? keyText(line.key) : t(`did.${line.kind}`);
  const before = line.before !== null && h("del", {}, valueText(line.before));
  const after = line.after !== null && (line.kind === "struck" ? null : h("ins", {}, valueText(line.after)));
  const struck = line.kind === "struck" && h("span", { class: "badge" }, t("did.struck"));
  const place = line.place && sceneLink(line.place, places);
  const parts = [who, h("span", { class: "label" }, what), before, before && after && "→", after, struck, place && h("span", { class: "mark" }, place)];
  return parts.filter(Boolean).flatMap((part, index) => (index ? [" ", part] : [part]));
}
