// Open proposals of the series, wherever they were made.

import { get } from "../api.js";
import { BatchCard } from "../batch.js";
import { h } from "../dom.js";
import { showProposals } from "../frame.js";
import { at } from "../session.js";
import { noteBatch } from "../talk/channel.js";
import { t } from "../texts.js";

/** Returns the list of open proposals. */
export async function view({ signal }) {
  const { proposals } = await get(at("/proposals"), {}, { signal });
  showProposals(proposals.length);
  const list = h("div", { class: "stack" });
  const add = (batch) => list.append(new BatchCard(batch, { level: 2, changed: heard }).node);
  const heard = (batch, { undo = false } = {}) => {
    noteBatch(batch);
    if (undo) add(batch);
  };
  proposals.forEach(add);
  const nothing = !proposals.length && h("p", { class: "empty" }, t("proposals.none"));
  return { title: t("nav.proposals"), className: "lore", node: [h("h1", {}, t("nav.proposals")), nothing || h("p", { class: "hint" }, t("proposals.hint")), list] };
}
