// Says why a detail is as it is: the facts behind it, each with its scene, its edit, and who said it where.

import { get, sentenceOf } from "../api.js";
import { focusOn, h, icon, show } from "../dom.js";
import { at, here } from "../session.js";
import { channel } from "../talk/channel.js";
import { dateText, keyText, t, valueText } from "../texts.js";
import { sceneLink } from "./details.js";

/** Draws the panel about one detail. */
export async function whyPanel(panel, { id, key, at: place, places, edits, close, takeFocus, signal }) {
  const head = h("div", { class: "why-head" }, h("h2", {}, t("why.title", { key: keyText(key) })), closer(close));
  panel.hidden = false;
  panel.onkeydown = (event) => event.key === "Escape" && close();
  try {
    const { answer } = await get(at(`/entries/${encodeURIComponent(id)}/why`), { key, at: place }, { signal });
    const byNumber = new Map(edits.map((edit) => [edit.edit, edit]));
    const chain = answer.chain.map((fact, index) => link(fact, key, { places, edit: byNumber.get(fact.edit), counts: index === answer.chain.length - 1 }));
    const quotes = answer.quotes.map((quote) => h("blockquote", {}, h("p", {}, quote.text), h("footer", {}, sceneLink(quote.scene, places), ` · ${t("why.paragraph", { n: quote.paragraph })}`)));
    show(
      panel,
      head,
      h("p", { class: "value" }, valueText(answer.value)),
      h("h3", {}, t("why.chain")),
      h("ol", { class: "chain" }, chain),
      quotes.length > 0 && [h("h3", {}, t("why.quotes")), quotes],
    );
  } catch (error) {
    if (error.name === "AbortError") return;
    show(panel, head, h("p", { class: "trouble", role: "alert" }, sentenceOf(error)));
  }
  if (takeFocus) focusOn(panel.querySelector("h2"));
}

function link(fact, key, { places, edit, counts }) {
  const says = fact.patch && typeof fact.patch === "object" && key in fact.patch ? valueText(fact.patch[key]) : valueText(fact.patch);
  const from = fact.from ? [t("why.from"), " ", sceneLink(fact.from, places)] : [t("why.always")];
  const until = fact.until ? [" · ", t("why.until"), " ", sceneLink(fact.until, places)] : [];
  const told = fact.told && fact.told !== fact.from?.label ? [" · ", t("why.told", { place: places.byLabel(fact.told)?.label ?? fact.told })] : [];
  const who = fact.edit === null ? null : [t("edit.by", { edit: fact.edit, by: fact.by ?? "", date: fact.recordedAt ? dateText(fact.recordedAt, true) : "" })];
  const approved = edit && edit.approvedBy !== edit.proposedBy ? h("p", { class: "origin" }, t("why.approved", { by: edit.approvedBy })) : null;
  return h(
    "li",
    { class: counts ? "counts" : "" },
    h("p", { class: "says" }, says, counts && h("span", { class: "badge" }, t("why.counts"))),
    h("p", { class: "origin" }, from, until, told),
    who && h("p", { class: "origin" }, who),
    approved,
    h("p", { class: "origin" }, saidIn(edit)),
    fact.note && h("p", { class: "origin" }, fact.note),
  );
}

/** Returns where an edit was said: in this conversation, with the words if they are at hand, or elsewhere. */
function saidIn(edit) {
  if (!edit?.source) return null;
  if (edit.source !== channel.conversation.id) return t("why.elsewhere");
  const exchange = channel.exchanges.ofEdit(edit.edit);
  const link = h("a", { href: here(["talk"], { edit: edit.edit }) }, t("why.here"));
  return [link, exchange?.question && `: “${exchange.question}”`];
}

function closer(close) {
  return h("button", { type: "button", class: "round small", "aria-label": t("why.close"), title: t("why.close"), onclick: close }, icon("close"));
}
