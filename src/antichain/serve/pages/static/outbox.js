// Answers on their way: kept in this browser until the server has confirmed them, and sent in order.
// To send one twice does no harm, since the server takes one answer per ask.

import { kept, patiently, post } from "./common.js";

export class Outbox {
  #sending = null;

  /**
   * @param voter whose answers these are
   * @param prefix of the keys under which answers are kept: one study and one voter
   * @param handlers onSent(id, reply), onRefused(id, error), onTrouble(kind or null)
   */
  constructor(voter, prefix, handlers) {
    this.voter = voter;
    this.prefix = prefix;
    this.handlers = handlers;
  }

  get #keys() {
    const all = Array.from({ length: kept.length }, (_, n) => kept.key(n));
    const at = (key) => JSON.parse(kept.getItem(key) ?? "{}").at ?? 0;
    return all.filter((key) => key?.startsWith(this.prefix)).sort((a, b) => at(a) - at(b));
  }

  get size() { return this.#keys.length; }

  has(id) { return kept.getItem(this.prefix + id) !== null; }

  add(id, answer, reason) {
    kept.setItem(this.prefix + id, JSON.stringify({ answer, reason, at: Date.now() }));
    return this.flush();
  }

  /** Sends what is there; done when nothing is left. */
  flush() {
    this.#sending ??= this.#send().finally(() => { this.#sending = null; });
    return this.#sending;
  }

  async #send() {
    for (let key; (key = this.#keys[0]); ) {
      const id = key.slice(this.prefix.length);
      const { answer, reason } = JSON.parse(kept.getItem(key));
      const attempt = () => post(`asks/${encodeURIComponent(id)}/answer`, { answer, reason, voter: this.voter });
      try {
        const reply = await patiently(attempt, this.handlers.onTrouble);
        kept.removeItem(key);
        this.handlers.onSent(id, reply);
      } catch (error) {
        kept.removeItem(key);
        this.handlers.onRefused(id, error);
      }
    }
  }
}
