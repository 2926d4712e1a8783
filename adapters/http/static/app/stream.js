// Listens to a conversation's events, and comes back by the last number after every break.

import { listen, Problem } from "./api.js";

const PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 15_000;
const SILENCE_MS = 45_000;
const HIDDEN_MS = 60_000;

/** One conversation's stream. `heard` gets (name, data, number), `state` gets "open" or "broken". */
export class Stream {
  constructor(conversation, lastEvent, { heard, state }) {
    this.path = `/api/conversations/${conversation}/events`;
    this.last = lastEvent;
    this.heard = heard;
    this.state = state;
    this.closed = false;
    this.pauseMs = PAUSE_MS;
    this.onVisibility = () => this.visibilityChanged();
    document.addEventListener("visibilitychange", this.onVisibility);
    this.run();
  }

  close() {
    this.closed = true;
    document.removeEventListener("visibilitychange", this.onVisibility);
    clearTimeout(this.hiding);
    this.abort?.abort();
    this.wake?.();
  }

  // A browser has few connections to one server: tabs that nobody looks at let theirs go.
  visibilityChanged() {
    clearTimeout(this.hiding);
    if (document.hidden) {
      this.hiding = setTimeout(() => {
        this.resting = true;
        this.abort?.abort();
      }, HIDDEN_MS);
    } else {
      this.resting = false;
      this.wake?.();
    }
  }

  async run() {
    while (!this.closed) {
      try {
        await this.once();
      } catch (error) {
        if (error instanceof Problem && error.status >= 400 && error.status < 500 && error.status !== 429) {
          this.state("refused", error);
          return;
        }
      }
      if (this.closed) return;
      if (!this.resting) this.state("broken");
      await this.pause();
    }
  }

  async once() {
    this.abort = new AbortController();
    const response = await listen(this.path, this.last, this.abort.signal);
    this.state("open");
    this.pauseMs = PAUSE_MS;
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    let silence = 0;
    const alive = () => {
      clearTimeout(silence);
      silence = setTimeout(() => this.abort.abort(), SILENCE_MS);
    };
    try {
      for (alive(); ; alive()) {
        const { done, value } = await reader.read();
        if (done) return;
        const blocks = (rest + value).split(/\r?\n\r?\n/);
        rest = blocks.pop();
        blocks.forEach((block) => this.take(block));
      }
    } finally {
      clearTimeout(silence);
    }
  }

  take(block) {
    let name = "";
    let number = Infinity; // of what is stored nowhere, and so is always new
    const data = [];
    for (const line of block.split(/\r?\n/)) {
      if (line.startsWith("id:")) this.last = number = Number(line.slice(3)) || this.last;
      else if (line.startsWith("event:")) name = line.slice(6).trim();
      else if (line.startsWith("data:")) data.push(line.slice(5));
    }
    if (name && data.length) this.heard(name, JSON.parse(data.join("\n")), number);
  }

  pause() {
    return new Promise((resolve) => {
      const timer = this.resting ? 0 : setTimeout(resolve, this.pauseMs);
      this.pauseMs = Math.min(this.pauseMs * 1.5, LONGEST_PAUSE_MS);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
