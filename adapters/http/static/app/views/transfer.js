// Books in, with a look at what importing them would do; the whole series out.

import { download, post, sentenceOf, upload } from "../api.js";
import { BatchCard } from "../batch.js";
import { focusOn, h, show } from "../dom.js";
import { announce } from "../frame.js";
import { linkTo } from "../router.js";
import { at, forget, loadMe, session } from "../session.js";
import { noteBatch } from "../talk/channel.js";
import { t } from "../texts.js";

const KINDS = ".epub,.docx,.md,.markdown,.txt,.zip,.csv,.tsv,.xlsx,.json,.lorebook";

/** Returns the view of import and export. */
export function view() {
  const { operator } = session.me.person;
  const may = operator || session.series.role === "owner";
  const writes = operator || ["owner", "editor"].includes(session.series.role);
  return {
    title: t("nav.transfer"),
    className: "lore narrow",
    node: [
      h("h1", {}, t("nav.transfer")),
      h("section", { class: "panel" }, h("h2", {}, t("transfer.import")), writes ? importForm(session.series.name) : h("p", { class: "hint" }, t("transfer.writers"))),
      may && h("section", { class: "panel" }, h("h2", {}, t("transfer.export")), exporter()),
    ],
  };
}

/** Returns the form that reads books, shows what would happen, and imports them. */
export function importForm(series) {
  const files = h("input", { id: "files", type: "file", multiple: true, required: true, accept: KINDS });
  const name = h("input", { id: "import-series", maxlength: "200", value: series });
  const review = h("div", { class: "review", "aria-live": "polite" });
  const read = h("button", { class: "primary" }, t("transfer.read"));
  const send = async (event) => {
    event.preventDefault();
    read.disabled = true;
    show(review, h("p", { class: "waiting" }, t("transfer.reading")));
    const form = new FormData();
    [...files.files].forEach((file) => form.append("files", file));
    form.append("series", name.value.trim());
    try {
      const report = await upload("/api/imports", form);
      show(review, reviewed(report, name.value.trim(), review));
      focusOn(review.querySelector("h3"));
    } catch (error) {
      show(review, h("p", { class: "trouble", role: "alert" }, sentenceOf(error)));
    }
    read.disabled = false;
  };
  return [
    h(
      "form",
      { onsubmit: send },
      h("p", { class: "hint" }, t("transfer.hint")),
      h("div", { class: "form" }, h("label", { for: "files" }, t("transfer.files")), files),
      h("div", { class: "form" }, h("label", { for: "import-series" }, t("transfer.series")), name),
      h("div", { class: "actions" }, read),
    ),
    review,
  ];
}

function reviewed(report, series, review) {
  const gone = h("input", { type: "checkbox", id: "gone" });
  const isNeeded = report.series.some((one) => !one.nothingToDo);
  const trouble = h("p", { class: "trouble", role: "alert", hidden: true });
  const go = async (event) => {
    const button = event.currentTarget;
    button.disabled = true;
    try {
      const { batches } = await post(`/api/imports/${report.importId}`, { series, deleteGone: gone.checked });
      forget();
      await loadMe();
      show(review, done(batches));
      announce(t("transfer.done"));
    } catch (error) {
      trouble.textContent = sentenceOf(error);
      trouble.hidden = false;
      button.disabled = false;
    }
  };
  return [
    h("h3", {}, t("transfer.review")),
    report.series.map(seriesReport),
    isNeeded && report.series.some((one) => one.exists) && h("label", { class: "line pick" }, gone, h("span", {}, t("transfer.delete_gone"))),
    trouble,
    isNeeded && h("div", { class: "actions" }, h("button", { type: "button", class: "primary", onclick: go }, t("transfer.confirm"))),
  ];
}

function seriesReport({ name, exists, nothingToDo, warnings, books }) {
  const state = nothingToDo ? t("transfer.same") : t(exists ? "transfer.known" : "transfer.new");
  return h("section", { class: "card" }, h("h4", { class: "card-title" }, name), h("p", { class: "card-head" }, state), warnings.map(warning), books.map(bookReport));
}

function bookReport({ title, isNew, chapters, scenes, words, warnings }) {
  const count = [t("transfer.chapters", { n: chapters.length }), t("transfer.scenes", { n: scenes }), t("transfer.words", { n: words })].join(" · ");
  return h(
    "div",
    { class: "book-report" },
    h("h5", {}, title, " ", h("span", { class: "badge" }, t(isNew ? "transfer.new_book" : "transfer.known_book"))),
    h("p", { class: "hint" }, count),
    warnings.map(warning),
    h("details", {}, h("summary", {}, t("transfer.contents")), h("ol", { class: "chapters-list" }, chapters.map((chapter) => h("li", {}, chapter)))),
  );
}

function warning(text) {
  return h("p", { class: "line warning" }, h("span", { class: "sign", "aria-hidden": "true" }, "!"), " ", text);
}

function done(batches) {
  const list = h("div", { class: "stack" });
  const add = (batch) => list.append(new BatchCard(batch, { level: 3, changed: heard }).node);
  const heard = (batch, { undo = false } = {}) => {
    noteBatch(batch);
    if (undo) add(batch);
  };
  batches.forEach(add);
  const links = [...new Set(batches.map((batch) => batch.seriesId))].map((id) => session.me.series.find((one) => one.id === id)).filter(Boolean);
  const open = links.map((one) => h("a", { class: "button primary", href: linkTo(["s", one.id, "outline"]) }, t("transfer.open", { name: one.name })));
  return [h("h3", { tabindex: "-1" }, t("transfer.done")), list, h("div", { class: "actions" }, open)];
}

function exporter() {
  const trouble = h("p", { class: "trouble", role: "alert", hidden: true });
  const fetchIt = async (event) => {
    const button = event.currentTarget;
    button.disabled = true;
    trouble.hidden = true;
    try {
      await download(at("/export"), `${session.series.name}.zip`);
    } catch (error) {
      trouble.textContent = sentenceOf(error);
      trouble.hidden = false;
    }
    button.disabled = false;
  };
  return [h("p", { class: "hint" }, t("transfer.export_hint")), h("div", { class: "actions" }, h("button", { type: "button", onclick: fetchIt }, t("transfer.download"))), trouble];
}
