// The conversation: what was said, and where one asks.

import { post, sentenceOf, start } from "../api.js";
import { focusOn, h, icon, show } from "../dom.js";
import { announce, askSure } from "../frame.js";
import { entries, outline, session } from "../session.js";
import { channel, load, MOST_TURNS, noteBatch, TURNS } from "../talk/channel.js";
import { boundText, drawStanding } from "../talk/standing.js";
import { linker, TurnView } from "../talk/turn.js";
import { t } from "../texts.js";

const MODES = ["general", "directory", "documents"];
const NEAR_PX = 120;

/** Returns the view of the conversation. */
export async function view({ parameters }) {
  const [places, known] = await Promise.all([outline(), entries()]);
  const talk = new TalkView(places, known);
  return {
    title: t("talk.title"),
    className: "talk",
    node: talk.nodes,
    keepsScroll: true,
    shown: () => talk.toEdit(Number(parameters.edit)) || talk.toEnd(),
    keepsFocus: Boolean(parameters.edit),
    dispose: () => talk.dispose(),
  };
}

class TalkView {
  constructor(places, known) {
    this.places = places;
    this.links = linker(places, known);
    this.turns = new Map();
    this.log = h("div", { class: "log", role: "log", "aria-live": "off", "aria-label": t("talk.title") });
    this.trouble = h("p", { class: "trouble", role: "alert", hidden: true });
    this.standing = h("div", { class: "standing" });
    this.bound = h("p", { class: "hint bound" });
    this.form = this.composer();
    this.nodes = [
      h("div", { class: "talk-head" }, h("h1", {}, t("talk.title")), this.standing, this.afresh()),
      this.log,
      h("div", { class: "foot" }, this.trouble, this.form, this.bound),
    ];
    channel.draw = (exchange) => this.draw(exchange);
    channel.placed = () => this.drawStanding();
    this.drawAll();
    this.drawStanding();
  }

  dispose() {
    channel.draw = () => {};
    channel.placed = () => {};
    cancelAnimationFrame(this.frame);
  }

  // Many pieces of text a second come as one drawing a frame.
  draw(exchange) {
    if (!exchange) {
      this.drawAll();
      return;
    }
    this.waiting ??= new Set();
    this.waiting.add(exchange);
    this.frame ??= requestAnimationFrame(() => {
      const near = this.isNearEnd();
      this.waiting.forEach((one) => this.drawOne(one));
      this.waiting.clear();
      this.frame = null;
      this.drawButtons();
      if (near) this.toEnd();
    });
  }

  drawAll() {
    this.turns.clear();
    show(this.log, channel.exchanges.list.length ? this.earlier() : this.welcome());
    channel.exchanges.list.forEach((exchange) => this.drawOne(exchange));
    this.drawButtons();
  }

  drawOne(exchange) {
    const there = this.turns.get(exchange);
    if (there) {
      there.update();
      return;
    }
    this.log.querySelector(".welcome")?.remove();
    const turn = new TurnView(exchange, () => this.links, noteBatch);
    this.turns.set(exchange, turn);
    this.log.append(turn.node);
  }

  drawStanding() {
    show(this.standing, drawStanding(this.places, (sentence) => this.fail(sentence)));
    this.bound.textContent = boundText();
  }

  earlier() {
    if (channel.conversation.turns.length !== TURNS) return null;
    const press = () => this.attempt(() => load(channel.conversation.id, MOST_TURNS));
    return h("button", { type: "button", class: "quiet earlier", onclick: press }, t("talk.earlier"));
  }

  welcome() {
    const ask = (text) => h("li", {}, h("button", { type: "button", class: "chip", onclick: () => this.put(text) }, text));
    const first = this.places.scenes[0]?.label ?? "1.1";
    const examples = ["talk.example_who", "talk.example_note", "talk.example_where"].map((key) => ask(t(key, { scene: first })));
    const offline = session.me.model === null && h("p", { class: "hint" }, t("talk.offline"));
    return h("div", { class: "welcome" }, h("p", { class: "lead" }, t("talk.welcome", { series: session.series.name })), h("ul", {}, examples), offline);
  }

  composer() {
    this.field = h("textarea", {
      id: "question",
      rows: "1",
      maxlength: "20000",
      placeholder: t("talk.placeholder"),
      oninput: () => this.grow(),
      onkeydown: (event) => this.keyed(event),
    });
    this.send = h("button", { class: "primary round", "aria-label": t("talk.send"), title: t("talk.send") }, icon("send"));
    this.stop = h("button", { type: "button", class: "round", hidden: true, "aria-label": t("talk.stop"), title: t("talk.stop"), onclick: () => this.cancel() }, icon("stop"));
    this.deep = h("input", { type: "checkbox", role: "switch", id: "deep" });
    this.mode = h("select", { id: "mode" }, MODES.map((mode) => h("option", { value: mode }, t(`mode.${mode}`))));
    const submit = (event) => {
      event.preventDefault();
      this.ask();
    };
    return h(
      "form",
      { class: "composer", onsubmit: submit },
      h("label", { class: "unseen", for: "question" }, t("talk.question")),
      this.field,
      h(
        "div",
        { class: "controls" },
        h("label", { class: "switch", for: "deep", title: t("talk.deep_hint") }, this.deep, h("span", {}, t("talk.deep"))),
        h("label", { class: "mode", for: "mode" }, h("span", { class: "unseen" }, t("talk.mode")), this.mode),
        h("span", { class: "push" }),
        this.stop,
        this.send,
      ),
    );
  }

  afresh() {
    const press = async () => {
      if (!(await askSure(t("talk.afresh_sure"), t("talk.afresh")))) return;
      await this.attempt(async () => {
        await post(`/api/conversations/${channel.conversation.id}/fresh`);
        await load();
        announce(t("talk.afresh_done"));
        this.field.focus();
      });
    };
    return h("button", { type: "button", class: "quiet", onclick: press }, t("talk.afresh"));
  }

  async ask() {
    const text = this.field.value.trim();
    if (!text || this.sending) return;
    this.sending = true;
    this.drawButtons();
    const body = {
      conversationId: channel.conversation.id,
      messages: [{ role: "user", content: text }],
      mode: this.mode.value,
      deepResearch: this.deep.checked,
    };
    const sent = await this.attempt(() => start("/api/bookslm/agent", body));
    this.sending = false;
    if (sent) {
      this.put("");
      this.toEnd();
    }
    this.drawButtons();
  }

  cancel() {
    return this.attempt(() => post("/api/bookslm/agent/cancel", { conversationId: channel.conversation.id }));
  }

  async attempt(work) {
    this.fail("");
    try {
      await work();
      return true;
    } catch (error) {
      this.fail(sentenceOf(error));
      return false;
    }
  }

  fail(sentence) {
    this.trouble.hidden = !sentence;
    this.trouble.textContent = sentence;
  }

  drawButtons() {
    this.stop.hidden = !channel.exchanges.running;
    this.send.disabled = Boolean(this.sending);
  }

  put(text) {
    this.field.value = text;
    this.grow();
    this.field.focus();
  }

  grow() {
    this.field.style.height = "auto";
    this.field.style.height = `${Math.min(this.field.scrollHeight, 220)}px`;
  }

  keyed(event) {
    const byTouch = matchMedia("(pointer: coarse)").matches;
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || byTouch) return;
    event.preventDefault();
    this.ask();
  }

  isNearEnd() {
    const page = document.scrollingElement;
    return page.scrollHeight - page.scrollTop - page.clientHeight < NEAR_PX;
  }

  /** Shows the exchange in which an edit was made; returns whether there is one. */
  toEdit(edit) {
    const turn = edit && this.turns.get(channel.exchanges.ofEdit(edit));
    if (!turn) return false;
    turn.node.scrollIntoView({ block: "start" });
    focusOn(turn.node);
    return true;
  }

  toEnd() {
    document.scrollingElement.scrollTop = document.scrollingElement.scrollHeight;
  }
}
