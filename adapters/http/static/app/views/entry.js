// One entry: what is true of it at a place in the story, as the notes stood at one time, for one reader.

import { get, sentenceOf } from "../api.js";
import { debounced, h, icon, show } from "../dom.js";
import { announce } from "../frame.js";
import { drawDetails, whyButton } from "../lore/details.js";
import { drawTimeline, forgetTimeline } from "../lore/timeline.js";
import { drawEdits } from "../lore/edits.js";
import { drawNoteForm } from "../lore/note.js";
import { nodeText } from "../lore/order.js";
import { whyPanel } from "../lore/why.js";
import { noteAddress } from "../router.js";
import { at, here, outline, session } from "../session.js";
import { dateText, t } from "../texts.js";

const PAUSE_MS = 250;

/** Returns the view of an entry. */
export async function view({ parts, parameters, signal }) {
  const [id] = parts;
  const [places, history] = await Promise.all([outline(), get(at("/history"), { entry: id }, { signal })]);
  const entry = new EntryView(id, parameters, places, history.answer.items, signal);
  await entry.load();
  return { title: entry.name, className: "lore", node: entry.node };
}

class EntryView {
  constructor(id, parameters, places, edits, signal) {
    Object.assign(this, { id, places, signal });
    this.edits = edits.toReversed();
    this.asked = { at: "", when: "end", known: "", reader: "", order: "story", ...parameters };
    const last = places.inStoryOrder.findLast((scene) => scene.mode === "linear") ?? places.inStoryOrder.at(-1);
    if (!places.find(this.asked.at)) this.asked.at = last?.id ?? "";
    this.asked.at = places.find(this.asked.at)?.id ?? "";
    this.head = h("div", { class: "entry-head" });
    this.details = h("div", { class: "details" });
    this.picture = h("section", { class: "panel" });
    this.why = h("aside", { class: "why", hidden: true, "aria-live": "polite" });
    this.note = h("section", { class: "panel" });
    this.past = h("section", { class: "panel" });
    this.trouble = h("p", { class: "trouble", role: "alert", hidden: true });
    this.controls = this.sliders();
    this.node = [
      h("p", { class: "way" }, h("a", { href: here(["entries"]) }, t("nav.entries"))),
      this.head,
      h("div", { class: "entry-columns" }, h("div", {}, this.controls, this.trouble, this.details), this.why),
      this.note,
      this.picture,
      this.past,
    ];
    this.soon = debounced(() => this.load(), PAUSE_MS);
  }

  async load() {
    const asked = { ...this.asked };
    noteAddress(here(["entry", this.id], this.parameters()));
    this.details.setAttribute("aria-busy", "true");
    try {
      const { at: place, when, known, reader } = asked;
      const shown = await get(at(`/entries/${encodeURIComponent(this.id)}/state`), { at: place, when, known, asReader: reader }, { signal: this.signal });
      if (JSON.stringify(asked) === JSON.stringify(this.asked)) this.draw(shown);
      this.fail("");
    } catch (error) {
      if (!this.shown) throw error;
      if (error.name !== "AbortError") this.fail(sentenceOf(error));
    } finally {
      this.details.removeAttribute("aria-busy");
    }
  }

  draw(shown) {
    const isFirst = !this.shown;
    this.name = shown.answer.entry.name;
    const changed = drawDetails(this.details, shown, this.shown, { places: this.places, why: (key) => this.explain(key, { takeFocus: true }) });
    this.shown = shown;
    if (isFirst) {
      this.drawHead();
      this.drawPicture();
      this.drawNote();
      drawEdits(this.past, { name: this.name, edits: this.edits.toReversed(), places: this.places, again: () => this.again() });
    } else if (changed !== null) {
      announce(changed ? t("entry.changed", { n: changed }) : t("entry.same"));
      this.drawPicture();
    }
    if (this.open) this.explain(this.open);
  }

  drawHead() {
    const { entry } = this.shown.answer;
    const kind = [t(`type.${entry.type}`), entry.hint].filter(Boolean).join(" · ");
    const also = entry.aliases.length > 0 && h("p", { class: "aliases" }, t("entry.also", { names: entry.aliases.join(", ") }));
    show(this.head, h("p", { class: "kind", data: { type: entry.type } }, kind), h("h1", {}, entry.name), also);
  }

  drawNote() {
    if (session.series.role !== "owner" && session.series.role !== "editor") return;
    const scene = () => this.places.byId(this.asked.at);
    const keys = Object.keys(this.shown.answer.state);
    this.placeNote = drawNoteForm(this.note, { id: this.id, scene, keys, again: () => this.again() });
  }

  drawPicture() {
    const { at: place, order, known } = this.asked;
    const pick = (scene) => this.change({ at: scene.id });
    const turn = (wanted) => {
      this.asked.order = wanted;
      noteAddress(here(["entry", this.id], this.parameters()));
      this.drawPicture();
    };
    drawTimeline(this.picture, { id: this.id, name: this.name, places: this.places, order, mark: place, known, pick, turn });
  }

  parameters() {
    const { when, order } = this.asked;
    return { ...this.asked, when: when === "end" ? "" : when, order: order === "story" ? "" : order };
  }

  change(change) {
    Object.assign(this.asked, change);
    this.drawControls();
    this.placeNote?.();
    this.soon();
  }

  async again() {
    const { answer } = await get(at("/history"), { entry: this.id }, { signal: this.signal });
    this.edits = answer.items.toReversed();
    drawEdits(this.past, { name: this.name, edits: answer.items, places: this.places, again: () => this.again() });
    this.asked.known = "";
    this.drawControls();
    forgetTimeline(this.picture);
    this.drawPicture();
    await this.load();
  }

  sliders() {
    const scenes = this.places.inStoryOrder;
    this.story = h("input", { type: "range", id: "story", min: "0", step: "1", max: String(Math.max(scenes.length - 1, 0)), oninput: ({ target }) => this.change({ at: scenes[target.value]?.id ?? "" }) });
    this.storyWords = h("output", { for: "story", class: "slider-words" });
    this.record = h("input", { type: "range", id: "record", min: "0", step: "1", max: String(this.edits.length), oninput: ({ target }) => this.change({ known: String(this.edits[target.value]?.edit ?? "") }) });
    this.recordWords = h("output", { for: "record", class: "slider-words" });
    this.day = h("input", { type: "date", "aria-label": t("entry.day"), title: t("entry.day"), onchange: ({ target }) => this.change({ known: target.value }) });
    this.when = ["start", "end"].map((when) => h("button", { type: "button", class: "chip", onclick: () => this.change({ when }) }, t(`entry.${when}`)));
    const readers = this.places.scenes.map((scene) => h("option", { value: scene.id }, nodeText(scene)));
    this.reader = h("select", { id: "reader", onchange: ({ target }) => this.change({ reader: target.value }) }, h("option", { value: "" }, t("entry.as_author")), readers);
    const step = (direction) => {
      const next = scenes[Number(this.story.value) + direction];
      if (next) this.change({ at: next.id });
    };
    const arrow = (direction, key) => h("button", { type: "button", class: "round small", "aria-label": t(key), title: t(key), onclick: () => step(direction) }, icon(direction < 0 ? "up" : "down"));
    const controls = h(
      "section",
      { class: "sliders", "aria-label": t("entry.when_title") },
      h("div", { class: "slider" }, h("label", { for: "story" }, t("entry.story")), h("div", { class: "slider-row turned" }, arrow(-1, "entry.earlier"), this.story, arrow(+1, "entry.later")), h("div", { class: "slider-under" }, this.storyWords, h("span", { class: "chips", role: "group", "aria-label": t("entry.when") }, this.when))),
      this.edits.length > 0 && h("div", { class: "slider" }, h("label", { for: "record" }, t("entry.record")), h("div", { class: "slider-row" }, this.record), h("div", { class: "slider-under" }, this.recordWords, this.day)),
      this.edits.length > 0 && h("label", { class: "picker", for: "reader" }, h("span", {}, t("entry.reader")), this.reader),
    );
    this.drawControls();
    return controls;
  }

  drawControls() {
    const { at: place, when, known, reader } = this.asked;
    const scenes = this.places.inStoryOrder;
    const here_ = scenes.findIndex((scene) => scene.id === place);
    const scene = scenes[here_];
    this.story.value = String(Math.max(here_, 0));
    const words = scene ? [nodeText(scene), scene.mode === "linear" ? "" : t(`scene.${scene.mode}`)].filter(Boolean).join(" · ") : t("entry.no_scene");
    this.storyWords.textContent = words;
    this.story.setAttribute("aria-valuetext", words);
    this.when.forEach((button, index) => button.setAttribute("aria-pressed", String((index === 0) === (when === "start"))));
    this.reader.value = reader;
    this.drawRecord(known);
  }

  drawRecord(known) {
    const isDay = /^\d{4}-/.test(known);
    const isReached = (edit) => (isDay ? edit.recordedAt.slice(0, 10) <= known : edit.edit <= Number(known));
    const reached = known === "" ? this.edits.length : Math.max(this.edits.findLastIndex(isReached), 0);
    this.record.max = String(this.edits.length);
    this.record.value = String(reached);
    this.day.value = isDay ? known : "";
    const words = this.recordText(known, isDay, this.edits[reached]);
    this.recordWords.textContent = words;
    this.record.setAttribute("aria-valuetext", words);
  }

  recordText(known, isDay, edit) {
    if (known === "") return t("entry.now");
    if (isDay) return t("entry.known_day", { date: dateText(known) });
    return t("entry.known_edit", { edit: known, date: edit ? dateText(edit.recordedAt) : "", by: edit?.proposedBy ?? "" });
  }

  async explain(key, { takeFocus = false } = {}) {
    this.open = key;
    const close = () => {
      this.open = null;
      this.why.hidden = true;
      show(this.why);
      (whyButton(this.details, key) ?? this.head.querySelector("h1"))?.focus();
    };
    await whyPanel(this.why, { id: this.id, key, at: this.asked.at, places: this.places, edits: this.edits, close, takeFocus, signal: this.signal });
  }

  fail(sentence) {
    this.trouble.hidden = !sentence;
    this.trouble.textContent = sentence;
  }
}
