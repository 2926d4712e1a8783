// The conversation of the open series, heard as long as the series is open, whichever view is shown.

import { get } from "../api.js";
import { announce, showBanner, showProposals } from "../frame.js";
import { at, forget, session } from "../session.js";
import { Stream } from "../stream.js";
import { t } from "../texts.js";
import { Exchanges } from "./exchanges.js";

/** The open conversation: what is known of it, its exchanges, and who draws them. */
export const channel = { series: null, conversation: null, exchanges: null, draw: () => {} };

const RECENT = 150; // events that are heard again after loading
export const TURNS = 30;
export const MOST_TURNS = 100;

let stream = null;

/** Opens the conversation of a series and listens to it, unless that is so already. */
export async function keepTalking(series) {
  if (channel.series === series.id) return;
  stream?.close();
  channel.series = null;
  await load(series.conversationId);
  channel.series = series.id;
  const from = Math.max(channel.conversation.lastEvent - RECENT, 0);
  stream = new Stream(series.conversationId, from, { heard, state });
  countProposals();
}

/** Has the conversation opened anew with the next view, in the language that is spoken then. */
export function forgetConversation() {
  channel.series = null;
  forget();
}

/** Loads the conversation anew; what the stream told is in it. */
export async function load(id = channel.conversation.id, limit = TURNS) {
  const [conversation, { answer }] = await Promise.all([get(`/api/conversations/${id}`, { limit }), get(at("/history"))]);
  const undone = answer.items.filter((item) => item.undoneBy !== null).map((item) => item.edit);
  channel.conversation = conversation;
  channel.exchanges = new Exchanges(conversation, undone, (exchange) => channel.draw(exchange));
  channel.draw(null);
}

/** Takes what a write outside the conversation came to. */
export async function noteBatch(batch) {
  forget();
  if (batch.conversationId === channel.conversation?.id) channel.exchanges.takeBatch(batch);
  countProposals();
}

async function countProposals() {
  try {
    const { proposals } = await get(at("/proposals"));
    showProposals(proposals.length);
  } catch {
    // the number is a help, no more
  }
}

// What the conversation held when it was loaded comes again; only an answer's sources and files are news then.
function heard(name, data, number) {
  if (number <= channel.conversation.lastEvent) {
    if (name === "message") channel.exchanges.source(data);
    if (name === "attachment") channel.exchanges.hear(name, data);
    return;
  }
  channel.exchanges.hear(name, data);
  if (name === "confirmation") {
    if (data.status !== "open") forget();
    countProposals();
    announce(data.card.title);
    if (data.settled) noteWhereWeStand();
  }
  if (name === "message") announce(`${t("talk.answer")}: ${data.markdown}`);
  if (name === "attachment") announce(data.name);
  if (name === "error") announce(data.text);
}

// A card may have changed the series, the book or the position that the conversation stands at.
async function noteWhereWeStand() {
  const id = channel.conversation.id;
  const { bookId, book, position, bounded, finished } = await get(`/api/conversations/${id}`, { limit: 1 });
  if (channel.conversation.id !== id) return;
  Object.assign(channel.conversation, { bookId, book, position, bounded, finished });
  channel.placed?.();
}

function state(how, problem) {
  if (how === "open") showBanner("");
  else if (session.series) showBanner(how === "refused" ? problem.message : t("error.stream"));
}
