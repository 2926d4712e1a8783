// Finds entries and passages, and offers to make an entry of a name that has none.

import { get, post, sentenceOf } from "../api.js";
import { decideInDialog } from "../batch.js";
import { debounced, h, show } from "../dom.js";
import { announce } from "../frame.js";
import { noteAddress, goTo } from "../router.js";
import { at, entries, here, outline } from "../session.js";
import { noteBatch } from "../talk/channel.js";
import { t } from "../texts.js";
import { sceneLink } from "../lore/details.js";
import { TYPES } from "./entries.js";

const PAUSE_MS = 250;

/** Returns the view of the search. */
export async function view({ parameters, signal }) {
  const places = await outline();
  const asked = { q: parameters.q ?? "", type: parameters.type ?? "" };
  const results = h("div", { class: "results" });
  const names = h("datalist", { id: "names" });
  const find = async () => {
    noteAddress(here(["search"], asked));
    if (!asked.q.trim()) return show(results);
    results.setAttribute("aria-busy", "true");
    try {
      const { answer } = await get(at("/search"), asked, { signal });
      show(results, found(answer, places, signal));
      announce(t("search.found", { n: answer.entries.length + answer.scenes.length }));
    } catch (error) {
      if (error.name !== "AbortError") show(results, h("p", { class: "trouble", role: "alert" }, sentenceOf(error)));
    }
    return results.removeAttribute("aria-busy");
  };
  const suggest = debounced(async (typed) => {
    if (!typed.trim()) return;
    try {
      const { names: likely } = await get(at("/suggest"), { q: typed }, { signal });
      show(names, likely.map((name) => h("option", { value: name })));
    } catch {
      // suggestions are a help, no more
    }
  }, PAUSE_MS);
  const node = [h("h1", {}, t("nav.search")), form(asked, find, suggest, names), results];
  await find();
  return { title: t("nav.search"), className: "lore", node, shown: () => !asked.q && document.getElementById("query").focus(), keepsFocus: !asked.q };
}

function form(asked, find, suggest, names) {
  const field = h("input", { id: "query", type: "search", value: asked.q, maxlength: "500", list: "names", autocomplete: "off", oninput: ({ target }) => suggest(target.value) });
  const options = TYPES.map((type) => h("option", { value: type, selected: type === asked.type }, t(`types.${type}`)));
  const kind = h("select", { "aria-label": t("entries.kind") }, h("option", { value: "" }, t("types.all")), options);
  const send = (event) => {
    event.preventDefault();
    Object.assign(asked, { q: field.value, type: kind.value });
    find();
  };
  return h("form", { class: "search-form", role: "search", onsubmit: send }, h("label", { for: "query" }, t("search.label")), h("div", { class: "search-row" }, field, kind, h("button", { class: "primary" }, t("search.send"))), names);
}

function found(answer, places, signal) {
  const { entries: hits, scenes, moreEntries, moreScenes, noEntry, hint } = answer;
  const said = hint && h("p", { class: "hint" }, t(`search.${hint}`));
  const nothing = !hits.length && !scenes.length && !noEntry && h("p", { class: "empty" }, t("search.nothing"));
  return [
    said,
    nothing,
    noEntry && unknown(noEntry, places, signal),
    hits.length > 0 && h("section", {}, h("h2", {}, t("nav.entries")), h("ul", { class: "entry-list" }, hits.map((hit) => entryHit(hit))), rest(moreEntries)),
    scenes.length > 0 && h("section", {}, h("h2", {}, t("search.passages")), scenes.map((quote) => passage(quote, places)), rest(moreScenes)),
  ];
}

function entryHit({ entry, why, detail, quote }) {
  const because = why === "fact" || why === "alias" ? detail : (quote?.text ?? (why === "similar" ? t("search.similar") : ""));
  return h("li", {}, h("a", { href: here(["entry", entry.id]), data: { type: entry.type } }, h("span", { class: "name" }, entry.name), h("span", { class: "kind" }, t(`type.${entry.type}`)), because && h("span", { class: "aliases" }, because)));
}

function passage(quote, places) {
  return h("blockquote", { class: "passage" }, h("p", {}, quote.text), h("footer", {}, sceneLink(quote.scene, places), ` · ${t("why.paragraph", { n: quote.paragraph })}`));
}

function unknown({ name, scenes, first, quotes }, places, signal) {
  const trouble = h("p", { class: "trouble", role: "alert", hidden: true });
  const kind = h("select", { "aria-label": t("entries.kind") }, TYPES.map((type) => h("option", { value: type }, t(`type.${type}`))));
  const create = async () => {
    trouble.hidden = true;
    try {
      const batch = await decideInDialog(await post(`${at("/entries")}?ask=true`, { type: kind.value, name, staticTraits: {} }));
      await noteBatch(batch);
      const made = batch.status === "approved" && (await entries()).find((entry) => entry.name === name);
      if (made && !signal.aborted) goTo(here(["entry", made.id]));
    } catch (error) {
      trouble.textContent = sentenceOf(error);
      trouble.hidden = false;
    }
  };
  return h(
    "section",
    { class: "panel" },
    h("h2", {}, name),
    h("p", {}, t("search.no_entry", { n: scenes }), " ", sceneLink(first, places)),
    quotes.map((quote) => passage(quote, places)),
    h("div", { class: "actions" }, kind, h("button", { type: "button", class: "primary", onclick: create }, t("search.create"))),
    trouble,
  );
}

function rest(n) {
  return n > 0 && h("p", { class: "hint" }, t("search.more", { n }));
}
