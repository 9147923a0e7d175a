// Follows the study: server-sent events where they come through, asking now and then where they do not.

import { call, pause, refusal } from "./common.js";

const SILENCE = 45_000; // milliseconds without a sign of life after which a stream counts as dead
const POLL = 5_000;

/**
 * Calls `onChange` for every change of the study, for ever, and `onWay` with "live", "polling" or "lost".
 * `fetch` reads the stream, since an EventSource cannot send the bearer token.
 */
export async function follow(onChange, onWay) {
  let last = null;
  for (let failures = 0; ; failures += 1) {
    try {
      last = await listen(last, (id) => {
        failures = 0;
        last = id ?? last;
        return onChange();
      }, onWay);
    } catch (error) {
      if (error.status === 401 || error.status === 404) throw error;
    }
    // A proxy may hold streams back: look by ourselves, and try the stream again after a while.
    const rounds = failures < 2 ? 1 : 6;
    for (let round = 0; round < rounds; round += 1) {
      await pause(failures === 0 ? 500 : POLL);
      onWay((await onChange()) ? "polling" : "lost");
    }
  }
}

async function listen(last, onEvent, onWay) {
  const control = new AbortController();
  let timer = setTimeout(() => control.abort(), SILENCE);
  // A stream that a proxy holds back opens, and nothing comes.
  const polling = setInterval(async () => onWay((await onEvent()) ? "polling" : "lost"), POLL);
  try {
    const response = await call("events", {
      headers: { Accept: "text/event-stream", ...(last !== null && { "Last-Event-ID": last }) },
      signal: control.signal,
    });
    if (!response.ok) throw await refusal(response);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let waiting = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return last;
      clearInterval(polling);
      onWay("live");
      clearTimeout(timer);
      timer = setTimeout(() => control.abort(), SILENCE);
      const blocks = (waiting + value).replaceAll("\r\n", "\n").split("\n\n");
      waiting = blocks.pop();
      for (const block of blocks) {
        const id = /^id: ?(.*)$/m.exec(block)?.[1];
        if (id !== undefined) last = id;
        if (/^data:/m.test(block)) onEvent(id);
      }
    }
  } finally {
    clearInterval(polling);
    clearTimeout(timer);
    control.abort();
  }
}
