// The first step: begin a series, or import a manuscript.

import { post, sentenceOf } from "../api.js";
import { h } from "../dom.js";
import { goTo, linkTo } from "../router.js";
import { loadMe, session } from "../session.js";
import { t } from "../texts.js";
import { importForm } from "./transfer.js";

/** Returns the view that begins a series. */
export function view() {
  const field = (id, required) => h("input", { id, required, maxlength: "200", autocomplete: "off" });
  const [series, book] = [field("series-name", true), field("book-title", false)];
  const trouble = h("p", { class: "trouble", role: "alert", hidden: true });
  const send = async (event) => {
    event.preventDefault();
    trouble.hidden = true;
    try {
      const batch = await post("/api/series", { series: series.value.trim(), book: book.value.trim() || null });
      const me = await loadMe();
      const found = me.series.find((one) => one.id === batch.seriesId || one.name === series.value.trim());
      if (found) goTo(linkTo(["s", found.id, "talk"]));
    } catch (error) {
      trouble.textContent = sentenceOf(error);
      trouble.hidden = false;
    }
  };
  const { person, series: mine } = session.me;
  const writes = person.operator || mine.some(({ role }) => role === "owner" || role === "editor");
  return {
    title: t("begin.title"),
    className: "lore narrow",
    node: [
      h("h1", {}, t("begin.title")),
      h("p", { class: "lead" }, t("begin.lead", { name: person.name })),
      h(
        "form",
        { class: "panel", onsubmit: send },
        h("h2", {}, t("begin.new")),
        h("div", { class: "form" }, h("label", { for: "series-name" }, t("begin.series")), series),
        h("div", { class: "form" }, h("label", { for: "book-title" }, t("begin.book")), book),
        trouble,
        h("div", { class: "actions" }, h("button", { class: "primary" }, t("begin.send"))),
      ),
      writes && h("section", { class: "panel" }, h("h2", {}, t("transfer.import")), importForm("")),
    ],
  };
}
