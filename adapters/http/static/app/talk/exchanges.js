// A conversation as it stands: questions with their steps, answers and cards, kept up to date by events.

/**
 * All exchanges of one conversation. `undone` are edits that were taken back, `changed(exchange)` hears which
 * exchange is to be drawn anew, null for all.
 */
export class Exchanges {
  constructor(conversation, undone, changed) {
    this.changed = changed;
    const shown = new Set();
    this.list = conversation.turns.map((turn) => exchangeOf(turn, shown));
    this.noteTakenBack(undone);
    for (const batch of conversation.open) if (!shown.has(batch.batchId)) this.takeBatch(batch);
  }

  /** Takes an event of the stream. */
  hear(name, data) {
    if (name === "fresh") {
      this.list = [];
      this.changed(null);
      return;
    }
    if (name === "question" && this.isKnown(data)) return;
    const take = { question, thought, tool, delta, message, attachment, done, error, notice }[name];
    if (name === "confirmation") this.takeBatch(data, data.turnId, data.messageId);
    else if (take) {
      const exchange = this.exchange(data.turnId, data.messageId);
      take(exchange, data);
      this.changed(exchange);
    }
  }

  /** Shows a batch as it is now, where it stands, else at the end. */
  takeBatch(batch, turnId = batch.turnId, messageId = "") {
    const there = this.list.find((one) => one.parts.some((part) => part.batch?.batchId === batch.batchId));
    const exchange = there ?? this.exchange(turnId ?? "", messageId || `card-${batch.batchId}`);
    const part = exchange.parts.find((one) => one.batch?.batchId === batch.batchId);
    if (part) part.batch = batch;
    else exchange.parts.push({ key: batch.batchId, batch });
    this.noteUndone(batch);
    this.changed(exchange);
  }

  /** Takes the sources of an answer that is there already. */
  source({ turnId, markdown, sources, asOf }) {
    const exchange = this.list.find((one) => one.turnId === turnId);
    const part = exchange?.parts.find((one) => one.markdown === markdown && one.done);
    if (!part) return;
    Object.assign(part, { sources, asOf });
    this.changed(exchange);
  }

  /** Returns the exchange in which an edit was made, if it is among them. */
  ofEdit(edit) {
    return this.list.find((one) => one.parts.some((part) => part.batch?.edit === edit));
  }

  /** Returns whether anything is on its way. */
  get running() {
    return this.list.some((one) => one.status === "running" || one.status === "queued");
  }

  // Asked while the conversation was being loaded: its turn is there already.
  isKnown({ text, at, messageId }) {
    const asked = (one) => Math.abs(new Date(one.at) - new Date(at));
    const found = this.list.findLast((one) => one.turnId && !one.messages.size && one.question === text && asked(one) < SAME_MS);
    found?.messages.add(messageId);
    return Boolean(found);
  }

  noteUndone(batch) {
    if (batch.status !== "approved" || !batch.settled) return;
    this.noteTakenBack(batch.calls.filter((call) => call.tool === "undo").map((call) => call.arguments.change));
  }

  noteTakenBack(undone) {
    for (const exchange of this.list) {
      for (const part of exchange.parts) {
        if (part.batch?.edit && undone.includes(part.batch.edit)) {
          part.takenBack = true;
          this.changed(exchange);
        }
      }
    }
  }

  exchange(turnId, messageId) {
    const found =
      this.list.findLast((one) => turnId && one.turnId === turnId) ??
      this.list.findLast((one) => messageId && one.messages.has(messageId));
    const exchange = found ?? { ...EMPTY, key: messageId || turnId, parts: [], steps: [], messages: new Set() };
    if (turnId) exchange.turnId = turnId;
    if (messageId) exchange.messages.add(messageId);
    if (!found) this.list.push(exchange);
    return exchange;
  }
}

const SAME_MS = 2_000;
const EMPTY = { turnId: "", question: "", by: "", at: "", status: "", durationMs: 0, trouble: "" };

// A card stands where it was asked; the turn that closed it names it again.
function exchangeOf(turn, shown) {
  const fresh = turn.batches.filter((batch) => !shown.has(batch.batchId));
  fresh.forEach((batch) => shown.add(batch.batchId));
  const parts = fresh.map((batch) => ({ key: batch.batchId, batch }));
  if (turn.answer) {
    parts.push({ key: `answer-${turn.id}`, markdown: turn.answer, sources: turn.sources ?? [], asOf: turn.asOf ?? "", done: true });
  }
  return {
    ...EMPTY,
    key: turn.id,
    turnId: turn.id,
    messages: new Set(),
    question: turn.question,
    at: turn.started,
    status: turn.status,
    deep: turn.deepResearch,
    steps: turn.steps.map((step) => ({ ...step })),
    durationMs: turn.steps.reduce((sum, step) => sum + step.durationMs, 0),
    parts,
  };
}

function question(exchange, { text, by, at }) {
  Object.assign(exchange, { question: text, by, at, status: "running" });
}

function thought(exchange, { text, replyId }) {
  exchange.parts = exchange.parts.filter((part) => part.key !== replyId);
  exchange.steps.push({ kind: "thought", label: "", detail: text, outcome: "", durationMs: 0 });
}

function tool(exchange, { state, callId, label, summary, outcome, durationMs }) {
  if (exchange.status !== "parked") exchange.status = "running";
  const step = exchange.steps.find((one) => one.callId === callId && one.running);
  if (state === "started") {
    exchange.steps.push({ kind: "tool", callId, label, detail: summary, outcome: "", durationMs: 0, running: true });
  } else if (step) {
    const detail = [step.detail.replace(/^, /, ""), summary].filter(Boolean).join(" → ");
    Object.assign(step, { detail, outcome, durationMs, running: false });
  }
}

function delta(exchange, { replyId, offset, text }) {
  exchange.status = "running";
  const part = part_(exchange, replyId);
  part.markdown = part.markdown.slice(0, offset) + text;
}

function message(exchange, { replyId, markdown, sources, asOf }) {
  Object.assign(part_(exchange, replyId), { markdown, sources, asOf, done: true });
}

function attachment(exchange, { fileId, name, size }) {
  if (exchange.parts.some((part) => part.key === fileId)) return;
  exchange.parts.push({ key: fileId, file: { id: fileId, name, size } });
}

function part_(exchange, key) {
  const found = exchange.parts.find((one) => one.key === key);
  if (found) return found;
  const part = { key, markdown: "", sources: [], asOf: "", done: false };
  exchange.parts.push(part);
  return part;
}

function done(exchange, { status, durationMs }) {
  exchange.status = status;
  exchange.durationMs += durationMs ?? 0;
  exchange.steps.forEach((step) => (step.running = false));
  exchange.parts = exchange.parts.filter((part) => part.batch || part.done || part.markdown || part.file);
}

function error(exchange, { text }) {
  exchange.trouble = text;
}

function notice(exchange, { text }) {
  exchange.parts.push({ key: `notice-${exchange.parts.length}`, notice: text });
}
