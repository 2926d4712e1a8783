// All edits, newest first, each to be taken back.

import { get } from "../api.js";
import { h, show } from "../dom.js";
import { drawEdit } from "../lore/edits.js";
import { at, outline } from "../session.js";
import { t } from "../texts.js";

/** Returns the view of the history. */
export async function view({ signal }) {
  const places = await outline();
  const node = h("div");
  const seen = new Map();
  const load = async (until = "") => {
    const { answer } = await get(at("/history"), { until }, { signal });
    answer.items.forEach((item) => seen.set(item.edit, item));
    draw(answer.more);
  };
  const again = async () => {
    seen.clear();
    await load();
  };
  const draw = (more) => {
    const items = [...seen.values()].sort((a, b) => b.edit - a.edit);
    const oldest = items.at(-1)?.edit;
    const older = more > 0 && oldest > 1 && h("button", { type: "button", onclick: () => load(String(oldest - 1)) }, t("history.older", { n: more }));
    show(node, items.length ? h("ol", { class: "edits" }, items.map((edit) => drawEdit(edit, places, again))) : h("p", { class: "empty" }, t("history.none")), older);
  };
  await load();
  return { title: t("nav.history"), className: "lore", node: [h("h1", {}, t("nav.history")), node] };
}
