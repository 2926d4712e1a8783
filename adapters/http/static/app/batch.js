// A proposal as a card that one can decide: pick lines, answer its questions, save, discard, take back.

import { get, post, Problem, sentenceOf } from "./api.js";
import { drawCard, drawLine } from "./card.js";
import { focusOn, h, show } from "./dom.js";
import { announce } from "./frame.js";
import { nodeText } from "./lore/order.js";
import { forget, outline } from "./session.js";
import { t } from "./texts.js";

const AGENT = "/api/bookslm/agent";

/** One batch's card. `changed(batch)` hears every new state; `node` stands in the page. */
export class BatchCard {
  constructor(batch, { changed = () => {}, level = 3 } = {}) {
    this.node = h("div", { class: "batch" });
    this.changed = changed;
    this.level = level;
    this.left = new Set();
    this.trouble = "";
    this.doing = false;
    this.takenBack = false;
    outline().then((places) => {
      this.places = places;
      this.draw();
    }, () => {});
    this.update(batch);
  }

  /** Shows a state of the batch, unless it is the one that is shown. */
  update(batch, { takenBack = this.takenBack } = {}) {
    const same = this.batch?.digest === batch.digest && this.batch.status === batch.status && this.batch.settled === batch.settled;
    if (same && takenBack === this.takenBack) return;
    if (this.batch && this.batch.digest !== batch.digest) this.left.clear();
    this.batch = batch;
    this.takenBack = takenBack;
    this.draw();
  }

  draw() {
    const hadFocus = this.node.contains(document.activeElement);
    const { card, status } = this.batch;
    const open = status === "open";
    const footer = this.has("take_back") ? [] : card.footer;
    const numbered = open ? (line) => this.line(line) : null;
    const after = [
      this.trouble && h("p", { class: "trouble", role: "alert" }, this.trouble),
      open ? this.decisions() : this.aftermath(),
    ];
    show(this.node, drawCard(card, { places: this.places, level: this.level, numbered, after, footer }));
    this.node.dataset.status = status;
    this.node.toggleAttribute("aria-busy", this.doing);
    if (hadFocus) focusOn(this.node.querySelector(".card-title"));
  }

  has(action) {
    return this.batch.card.buttons.some((button) => button.action === action);
  }

  label(action) {
    return this.batch.card.buttons.find((button) => button.action === action)?.label;
  }

  line(line) {
    if (line.style === "question") return this.question(line);
    const call = line.style === "warning" ? null : this.batch.calls[line.number - 1];
    if (!call) return drawLine(line, this.places);
    this.drawn = call;
    this.asked = 0;
    if (this.batch.calls.length < 2) return drawLine({ ...line, number: 0 }, this.places);
    const picked = !this.left.has(call.callId);
    const box = h("input", {
      type: "checkbox",
      checked: picked,
      onchange: ({ target }) => this.pick(call, target.checked),
    });
    return h("label", { class: `line pick ${picked ? "" : "left"}` }, box, h("span", {}, `${line.number}. ${line.text}`));
  }

  pick(call, picked) {
    if (picked) this.left.delete(call.callId);
    else this.left.add(call.callId);
    const place = this.batch.calls.indexOf(call);
    this.draw();
    this.node.querySelectorAll(".pick input")[place]?.focus();
  }

  // The card lists a question and its choices as lines; here the choices are buttons under the question.
  question(line) {
    if (line.depth > 1) return h("span", { hidden: true });
    const ours = this.batch.card.buttons.filter((one) => one.action === "answer" && one.line === this.drawn?.line);
    const names = [...new Set(ours.map((one) => one.name))];
    const name = names[this.asked];
    this.asked += 1;
    const choices = ours.filter((one) => one.name === name);
    const press = (button) => h("button", { type: "button", class: "chip", onclick: () => this.answer(button) }, button.label);
    const elsewhere = name === "at" && this.places && choices.length > 0 && this.elsewhere(choices[0]);
    return h("div", { class: "question", role: "group", "aria-label": line.text }, h("p", {}, line.text), choices.map(press), elsewhere);
  }

  elsewhere(button) {
    const options = this.places.scenes.map((node) => h("option", { value: node.id }, nodeText(node)));
    const onchange = ({ target }) => target.value && this.answer({ ...button, value: target.value });
    return h("select", { "aria-label": t("card.elsewhere"), onchange }, h("option", { value: "" }, t("card.elsewhere")), options);
  }

  decisions() {
    const { calls } = this.batch;
    const chosen = calls.filter((call) => !this.left.has(call.callId));
    const partly = chosen.length < calls.length;
    const words = this.doing ? t("card.saving") : partly ? t("card.save_lines", { n: chosen.length }) : (this.label("save") ?? this.label("save_selection"));
    const save = { type: "button", class: "primary", disabled: this.doing || !chosen.length, onclick: () => this.save(chosen, partly) };
    const discard = { type: "button", disabled: this.doing, onclick: () => this.discard() };
    return h("div", { class: "actions" }, h("button", save, words), h("button", discard, this.label("discard")));
  }

  aftermath() {
    if (this.takenBack) return h("p", { class: "line note" }, t("card.taken_back"));
    if (!this.has("take_back")) return null;
    const given = { type: "button", disabled: this.doing, onclick: () => this.takeBack() };
    return h("div", { class: "actions" }, h("button", given, this.label("take_back")));
  }

  save(chosen, partly) {
    const { batchId, digest } = this.batch;
    const callIds = chosen.map((call) => call.callId);
    return this.act(() => (partly ? post(`${AGENT}/confirm`, { batchId, callIds, digest }) : post(`${AGENT}/confirm_all`, { batchId, digest })));
  }

  discard() {
    const { batchId, digest } = this.batch;
    return this.act(() => post(`${AGENT}/decline`, { batchId, digest }));
  }

  answer({ batch, line, name, value }) {
    return this.act(() => post(`${AGENT}/answer`, { batchId: batch, line, name, value }));
  }

  async takeBack() {
    const { batchId } = this.batch;
    await this.act(async () => {
      const undo = await post(`${AGENT}/take_back`, { batchId });
      this.takenBack = undo.status === "approved";
      this.changed(undo, { undo: true });
      return this.batch;
    });
  }

  async act(work) {
    this.doing = true;
    this.trouble = "";
    this.draw();
    try {
      const told = await work();
      const batch = told.batch ?? told;
      forget();
      this.doing = false;
      this.batch = batch;
      this.changed(batch);
      announce(this.takenBack ? t("card.taken_back") : batch.card.title);
    } catch (error) {
      this.doing = false;
      this.trouble = sentenceOf(error);
      if (error instanceof Problem && [404, 409, 410].includes(error.status)) await this.refresh();
    }
    this.draw();
  }

  async refresh() {
    try {
      this.batch = await get(`/api/batches/${this.batch.batchId}`);
      this.left.clear();
      this.changed(this.batch);
    } catch {
      // what is shown stays, with the sentence that says what is wrong
    }
  }
}

/** Opens a card in a dialog; resolves to its last state when the dialog is closed. */
export function decideInDialog(batch) {
  return new Promise((resolve) => {
    const cards = h("div");
    let last = batch;
    const add = (shown) =>
      cards.append(new BatchCard(shown, { level: 2, changed: (now, { undo } = {}) => (undo ? add(now) : ((last = now), named())) }).node);
    const close = h("button", { type: "button", class: "close", onclick: () => dialog.close() });
    const dialog = h("dialog", { class: "sheet", "aria-label": batch.card.title }, cards, h("div", { class: "actions end" }, close));
    const named = () => close.replaceChildren(t(last.status === "open" ? "card.later" : "card.close"));
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(last);
    });
    add(batch);
    named();
    document.body.append(dialog);
    dialog.showModal();
  });
}
