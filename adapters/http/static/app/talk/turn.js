// Draws one exchange: the question, how the answer was found, the answers, the cards.

import { download, sentenceOf } from "../api.js";
import { BatchCard } from "../batch.js";
import { placeLink } from "../card.js";
import { h, show } from "../dom.js";
import { drawMarkdown } from "../markdown.js";
import { here, session } from "../session.js";
import { dateText, secondsText, sizeText, t } from "../texts.js";

/** The article of one exchange; `update` draws what has changed and leaves the rest as it is. */
export class TurnView {
  constructor(exchange, links, changed) {
    this.exchange = exchange;
    this.links = links;
    this.changed = changed;
    this.parts = new Map();
    this.question = h("div");
    this.summary = h("summary");
    this.steps = h("ol", { class: "steps-list" });
    this.details = h("details", { class: "steps" }, this.summary, this.steps);
    this.body = h("div", { class: "parts" });
    this.end = h("div");
    this.node = h("article", { class: "turn" }, this.question, this.details, this.body, this.end);
    this.update();
  }

  update() {
    this.drawQuestion();
    this.drawSteps();
    this.drawParts();
    this.drawEnd();
  }

  drawQuestion() {
    const { question, by, at, deep } = this.exchange;
    if (!question || this.question.textContent) return;
    const isOurs = !by || by === session.me.person.name;
    const who = [isOurs ? t("talk.you") : by, at && dateText(at, true), deep && t("talk.deep")].filter(Boolean).join(" · ");
    show(this.question, h("p", { class: "asked-by" }, who), h("p", { class: "asked" }, question));
    this.question.className = "question-said";
  }

  drawSteps() {
    const { steps, status, durationMs } = this.exchange;
    const running = status === "running" || status === "queued";
    this.details.hidden = !steps.length && !running;
    const current = steps.findLast((step) => step.running);
    const count = t("talk.steps", { n: steps.length });
    const words = running ? [current?.label || t("talk.thinking"), steps.length && count] : [count, secondsText(durationMs)];
    show(this.summary, running && h("span", { class: "spinner", "aria-hidden": "true" }), h("span", {}, words.filter(Boolean).join(" · ")));
    const state = JSON.stringify(steps);
    if (state === this.drawnSteps) return;
    this.drawnSteps = state;
    show(this.steps, steps.map(drawStep));
  }

  drawParts() {
    const keys = new Set(this.exchange.parts.map((part) => part.key));
    for (const [key, drawn] of this.parts) {
      if (keys.has(key)) continue;
      drawn.node.remove();
      this.parts.delete(key);
    }
    for (const part of this.exchange.parts) {
      const drawn = this.parts.get(part.key) ?? this.begun(part);
      drawn.update(part);
    }
  }

  begun(part) {
    const drawn = part.batch ? this.card(part) : part.notice ? noticePart(part) : part.file ? filePart(part) : this.answer();
    this.parts.set(part.key, drawn);
    this.body.append(drawn.node);
    return drawn;
  }

  card(part) {
    if (isSmall(part.batch)) return smallPart();
    const card = new BatchCard(part.batch, { changed: this.changed, level: 2 });
    return { node: card.node, update: ({ batch, takenBack = false }) => card.update(batch, { takenBack }) };
  }

  answer() {
    const text = h("div", { class: "prose" });
    const sources = h("div");
    let shown = null;
    const update = (part) => {
      const state = JSON.stringify(part);
      if (state === shown) return;
      shown = state;
      show(text, drawMarkdown(part.markdown, this.links()));
      if (part.done) show(sources, this.sources(part));
    };
    return { node: h("div", { class: "answer" }, text, sources), update };
  }

  sources({ sources, asOf }) {
    const { places } = this.links();
    const found = sources.map((label) => placeLink(label, places) ?? pageLink(label) ?? label);
    const list = found.length > 0 && h("p", { class: "sources" }, h("span", { class: "label" }, t("talk.sources")), " ", between(found));
    return [list, asOf && h("p", { class: "as-of" }, asOf)];
  }

  drawEnd() {
    const { trouble, status } = this.exchange;
    const words = trouble || (["cancelled", "failed"].includes(status) ? t(`talk.${status}`) : "");
    show(this.end, words && h("p", { class: status === "cancelled" ? "hint" : "trouble" }, words));
  }
}

/** Returns a link to a page of the web, null for any other source. */
function pageLink(source) {
  if (!/^https?:\/\//u.test(source)) return null;
  const label = source.replace(/^https?:\/\/(www\.)?/u, "").replace(/[?].*$/u, "").replace(/\/$/u, "");
  return h("a", { href: source, rel: "noopener noreferrer nofollow", target: "_blank" }, label);
}

/** Returns how answers link: scenes by their labels in brackets, entries by their names in bold. */
export function linker(places, entries) {
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  return {
    places,
    text: (plain) => linked(plain, places),
    strong: (name) => {
      const entry = byName.get(name);
      return entry ? h("a", { class: "entry-link", href: here(["entry", entry.id]) }, h("strong", {}, name)) : null;
    },
  };
}

const LABEL = /((?:b\d+:)(?:p\d+\.)?\d+(?:\.\d+)?|(?<=[(,] ?)(?:p\d+\.)?\d+\.\d+(?=[),]))/u;

function linked(plain, places) {
  if (!places) return [plain];
  return plain.split(LABEL).map((part, index) => (index % 2 ? (placeLink(part, places) ?? part) : part));
}

function between(nodes) {
  return nodes.flatMap((node, index) => (index ? [", ", node] : [node]));
}

function drawStep(step) {
  if (step.kind === "thought") return h("li", { class: "thought" }, step.detail);
  const time = step.running ? null : h("span", { class: "time" }, secondsText(step.durationMs));
  const isTold = step.callId && step.outcome && step.outcome !== "done"; // stored details say it themselves
  const outcome = isTold ? h("span", { class: "outcome" }, t(`outcome.${step.outcome}`)) : null;
  const parts = [h("span", { class: "tool" }, step.label), step.detail && h("span", { class: "found" }, step.detail), outcome, time];
  return h("li", { class: step.running ? "running" : "" }, parts.filter(Boolean).flatMap((part, index) => (index ? [" ", part] : [part])));
}

// Setting a position and the like is one line, not a card.
function isSmall(batch) {
  return batch.status === "approved" && batch.settled && batch.edit === null && batch.calls.every((call) => call.status === "done");
}

function smallPart() {
  const node = h("p", { class: "notice" });
  const update = ({ batch }) => {
    const said = batch.card.fields.flatMap((field) => field.lines.map((line) => line.text));
    node.textContent = said.join(" · ") || batch.card.title;
  };
  return { node, update };
}

function filePart({ file }) {
  const trouble = h("p", { class: "trouble", role: "alert", hidden: true });
  const fetchIt = async (event) => {
    const button = event.currentTarget;
    button.disabled = true;
    trouble.hidden = true;
    try {
      await download(`/api/files/${file.id}`, file.name);
    } catch (error) {
      trouble.textContent = sentenceOf(error);
      trouble.hidden = false;
    }
    button.disabled = false;
  };
  const words = `${file.name} · ${sizeText(file.size)}`;
  const button = h("button", { type: "button", onclick: fetchIt, "aria-label": `${t("talk.save_file")}: ${words}` }, words);
  return { node: h("div", { class: "actions" }, button, trouble), update: () => {} };
}

function noticePart({ notice }) {
  return { node: h("p", { class: "notice" }, notice), update: () => {} };
}
