// The voting page. Answers are taken at once and sent behind the voter's back; the next duels are here
// before they are needed.

import { $, api, copyText, el, kept, Lost, patiently, post } from "./common.js";
import { build, fill } from "./cards.js";
import { Outbox } from "./outbox.js";

// Duels to have here, with the one on the screen. More would be lost with every voter who leaves,
// and what is not answered counts against what the study claims.
const AHEAD = 2;
const AGAIN = [2_000, 3_000, 5_000, 10_000]; // milliseconds until the page looks for a duel again
const SETTLE = 250; // milliseconds in which a new duel takes no click: it was meant for the last one
const REDIRECT = 10; // seconds
const KEYS = {
  ArrowLeft: "left", ArrowRight: "right", ArrowUp: "tie", ArrowDown: "incomparable",
  d: "dont_know", s: "skipped", u: "undo",
};

let ballot, voter, outbox;
let hand = []; // the duels that are here; the first is on the screen
let shown = null; // the id of the one on the screen
let shownAt = 0;
let answered = 0; // confirmed by the server
let changes = 0; // how often that number was told since the page was opened
let of = null;
let state = "open";
let filling = null;
let wanted = false;
let ending = null; // what the server says at the end
let looks = 0; // in a row, without a duel
let lookTimer, leaveTimer;
let undoing = false;
let stale = false; // whether the duel on the screen may have been answered or given up meanwhile
const mine = []; // ids answered in this tab, for undo
const done = new Set(); // ids answered in this tab: an older reply may still hand them out
const built = new Map(); // what the cards show, by ask

const storage = `antichain ${location.pathname} `;

/** The page's words in the study's language, with what is in braces filled in. */
function say(key, values = {}) {
  return (ballot?.words[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

// -- the duels that are here -------------------------------------------------------------------------

/** Gets more duels from the server; what is on the screen stays. */
function refill() {
  if (filling) wanted = true; // what is on its way may not know the latest answers
  filling ??= take().catch(fail).finally(() => {
    filling = null;
    if (wanted) refill();
  });
  return filling;
}

async function take() {
  clearTimeout(lookTimer);
  wanted = false;
  const before = changes;
  const reply = await patiently(() => post("asks", { voter, n: AHEAD }), trouble);
  // Items may be added while people vote; who votes meanwhile does so on what is here already.
  if (reply.asks.some(({ left, right }) => !(ballot.items[left] && ballot.items[right])))
    ballot = await patiently(() => api("ballot"), trouble);
  ({ of, state } = reply);
  if (before === changes) answered = reply.answered; // otherwise that is old news
  ending = reply.end ?? ballot.end ?? {};
  const current = hand.filter((ask) => ask.id === shown && !stale);
  stale = false;
  const known = new Set([...current.map(({ id }) => id), ...done]);
  hand = [...current, ...reply.asks.filter(({ id }) => !known.has(id) && !outbox.has(id))];
  hand.forEach(prepare);
  show();
}

/** Builds the cards of a duel, so that pictures and sounds load before it is shown. */
function prepare(ask) {
  if (built.has(ask.id)) return;
  const side = (name, which) => {
    const item = ballot.items[name] ?? {};
    return build(name, ask.decoy === which ? { ...item, ...item.decoy } : item, say);
  };
  built.set(ask.id, [side(ask.left, "left"), side(ask.right, "right")]);
}

// -- what is on the screen ---------------------------------------------------------------------------

function show() {
  const [ask] = hand;
  $("#loading").hidden = true;
  progress();
  if (!ask) return rest();
  looks = 0;
  if (ask.id === shown && !$("#duel").hidden) return undefined;
  shown = ask.id;
  shownAt = performance.now();
  stage("duel");
  $("#duel").dataset.ask = ask.id;
  const asked = question(ask);
  const cards = [...document.querySelectorAll(".card")];
  cards.forEach((card, n) => {
    fill(card, built.get(ask.id)[n]);
    card.classList.remove("arrive");
    void card.offsetWidth; // so that the animation starts anew
    card.classList.add("arrive");
  });
  choose(null);
  announce([asked, say("or", { left: ask.left, right: ask.right }), $("#progress").textContent]);
  return undefined;
}

/** Shows what is asked; what to announce of it: the question, if it is another one than before. */
function question(ask) {
  const { text } = ballot.questions.find(({ criterion }) => criterion === ask.criterion) ?? ballot.questions[0];
  const several = ballot.questions.length > 1;
  $("#criterion").hidden = !several || !ask.criterion;
  $("#criterion").textContent = ask.criterion ?? "";
  const heading = $("#question");
  if (heading.textContent === text) return null;
  if (several && heading.textContent) {
    heading.classList.remove("changed");
    void heading.offsetWidth;
    heading.classList.add("changed");
  }
  heading.textContent = text;
  return text;
}

function progress() {
  const total = answered + outbox.size;
  const bar = $("progress");
  $(".progress").hidden = false;
  bar.hidden = of === null;
  bar.max = of ?? 1;
  bar.value = Math.min(total, of ?? 0);
  $("#progress").textContent = say(of === null ? "progress_open" : "progress", { answered: total, of });
  $('#bar [data-answer="undo"]').disabled = total === 0;
}

/** Nothing to vote on: the end, a pause, or a wait. */
function rest() {
  shown = null;
  clearTimeout(lookTimer);
  const over = ["session", "finished", "closed"].includes(state);
  const kind = over || state === "paused" ? state : "waiting";
  if (!over && outbox.size) {
    // The next duels come as soon as the answers on their way are confirmed.
    lookTimer = setTimeout(() => view("sending"), SETTLE);
    return undefined;
  }
  view(kind);
  if (over) return void end();
  lookTimer = setTimeout(refill, AGAIN[Math.min(looks++, AGAIN.length - 1)]);
  return undefined;
}

function view(kind) {
  const heading = say(kind);
  const same = !$("#end").hidden && $("#end").dataset.view === kind;
  stage("end");
  $("#end").dataset.view = kind;
  if (same) return;
  $("#end-heading").textContent = heading;
  $("#end-text").textContent = say(`${kind}_text`);
  for (const id of ["own", "code", "on"]) $(`#end-${id}`).hidden = true;
  $("#end-heading").focus();
}

async function end() {
  const over = state;
  if (outbox.size) {
    announce([say("saving")]);
    await outbox.flush();
  }
  const { text, code, redirect } = ending;
  if (state !== over || over === "closed" || answered === 0) return;
  $("#end-own").textContent = text ?? "";
  $("#end-own").hidden = !text || text.trim() === $("#end-heading").textContent; // said already
  $("#end-code").hidden = !code;
  $("#end-code code").textContent = code ?? "";
  if (redirect && $("#end-on").hidden) leave(redirect, code);
}

function leave(redirect, code) {
  const filled = redirect.replace(/\{(voter|code)\}/g, (_, name) =>
    encodeURIComponent(name === "voter" ? voter : code ?? ""));
  if (!/^https?:\/\//i.test(filled)) return;
  $("#end-on").hidden = false;
  $("#end-on a").href = filled;
  $("#end-on span").textContent = say("continue_soon", { seconds: REDIRECT });
  leaveTimer = setTimeout(() => location.assign(filled), 1000 * REDIRECT);
  $("#stay").hidden = false;
  $("#stay").onclick = () => {
    clearTimeout(leaveTimer);
    $("#stay").hidden = true;
    $("#end-on span").textContent = "";
  };
}

function stage(name) {
  clearTimeout(name === "duel" ? leaveTimer : undefined);
  $("#duel").hidden = name !== "duel";
  $("#end").hidden = name !== "end";
  $("#keys").hidden = name !== "duel";
  for (const button of document.querySelectorAll("#bar button")) {
    const { answer } = button.dataset;
    // Undo is there at the end of a session, too: the last answer may be the misclick.
    button.hidden = answer === "undo" ? ["closed", "finished"].includes(state) || (name !== "duel" && button.disabled) : name !== "duel" || !ballot.answers[answer];
  }
  $("#bar").hidden = false;
}

const announce = (parts) => { $("#said").textContent = parts.filter(Boolean).join(" · "); };

/** Says what is wrong with the connection, or that it is well again. */
function trouble(kind) {
  const line = $("#trouble");
  if (kind) {
    tell(say(kind), Infinity);
    line.dataset.kind = kind;
  } else if (line.dataset.kind) {
    delete line.dataset.kind;
    tell(say("back"), 4_000);
  }
}

let tellTimer;
function tell(text, milliseconds = 8_000) {
  clearTimeout(tellTimer);
  const line = $("#trouble");
  line.hidden = false;
  if (line.textContent !== text) line.textContent = text;
  if (milliseconds < Infinity) tellTimer = setTimeout(() => { line.hidden = true; }, milliseconds);
}

function fail(error) {
  if ($("#duel").hidden) {
    $("#loading").hidden = true;
    $("#end").hidden = false;
    $("#end-heading").textContent = ballot ? say("failed") : document.title;
    $("#end-text").textContent = error.message;
  } else tell(error.message);
}

// -- what the voter does -----------------------------------------------------------------------------

function act(action) {
  if (action === "undo") return void undo();
  const dontKnow = action === "dont_know";
  const offered = action === "left" || action === "right" || ballot?.answers[action];
  const [ask] = hand;
  if (!ask || ask.id !== shown || !offered || undoing) return undefined;
  const reason = dontKnow ? "don't know" : $('#reasons [aria-pressed="true"]')?.textContent ?? null;
  hand.shift();
  done.add(ask.id);
  built.delete(ask.id);
  mine.push(ask.id);
  outbox.add(ask.id, dontKnow ? "skipped" : action, reason);
  show();
  return undefined;
}

async function undo() {
  if (undoing || $('#bar [data-answer="undo"]').disabled) return;
  if ($("#trouble").dataset.kind) return void tell(say("lost_undo"), Infinity);
  undoing = true;
  try {
    await outbox.flush();
    const body = { voter, ...(mine.length && { id: mine.at(-1) }) };
    const ask = await patiently(() => post("undo", body), trouble);
    mine.pop();
    done.delete(ask.id);
    answered = ask.answered;
    changes += 1;
    hand = [ask, ...hand.filter(({ id }) => id !== ask.id)];
    prepare(ask);
    show();
    tell(say("undone"), 4_000);
  } catch (error) {
    if (error.status !== 409) tell(error instanceof Lost ? say("lost_undo") : error.message);
    else {
      while (filling) await filling; // what is on its way may be older than the refusal
      stale = true; // the study may be over, or the answer taken back on another device
      await refill();
      const over = ["finished", "closed"].includes(state);
      tell(say(over ? "too_late_to_undo" : "nothing_to_undo"));
    }
  } finally {
    undoing = false;
  }
}

/** Marks one reason, or none; choosing it again takes it back. */
function choose(button) {
  for (const each of document.querySelectorAll("#reasons button")) {
    const on = each === button && each.getAttribute("aria-pressed") !== "true";
    each.setAttribute("aria-pressed", String(on));
  }
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || !$("#keys-on").checked) return;
  if (event.target.closest?.("audio, video, input:not([type=checkbox]), textarea, select")) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const reason = /^[1-9]$/.test(key) && document.querySelectorAll("#reasons button")[key - 1];
  if (reason && !$("#duel").hidden) choose(reason);
  const action = KEYS[key];
  const button = action && $(`button[data-answer="${action}"]`);
  if (!button || button.hidden || (action !== "undo" && $("#duel").hidden)) return;
  event.preventDefault(); // arrows would scroll
  if (!event.repeat) act(action);
}

function onClick(event) {
  const button = event.target.closest("button");
  if (button?.parentElement?.closest("#reasons")) return choose(button);
  if (button ? !button.dataset.answer : event.target.closest("a, audio, video")) return undefined;
  const answer = event.target.closest("[data-answer]")?.dataset.answer;
  if (!answer || (!button && !getSelection().isCollapsed)) return undefined;
  const early = event.detail > 0 && performance.now() - shownAt < SETTLE; // Enter has no detail
  if (early && answer !== "undo") return undefined;
  return act(answer);
}

// -- the beginning -----------------------------------------------------------------------------------

/** Who votes: said by the link or the address, or a random name that this browser keeps. */
function whoVotes() {
  const said = ballot.voter ?? new URLSearchParams(location.search).get("voter");
  if (said) return said;
  const before = kept.getItem(`${storage}voter`);
  if (before) return before;
  const random = crypto.getRandomValues(new Uint8Array(9));
  const fresh = `v-${Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
  kept.setItem(`${storage}voter`, fresh);
  return fresh;
}

async function begin() {
  ballot = await patiently(() => api("ballot"), (kind) => { $("#unreachable").hidden = !kind; });
  document.title = ballot.title;
  voter = whoVotes();
  outbox = new Outbox(voter, `${storage}${voter} `, {
    onTrouble: trouble,
    onSent(id, reply) {
      answered = reply.answered;
      changes += 1;
      progress();
      if (hand.length < AHEAD) refill();
    },
    onRefused(id, error) {
      const known = { 409: say("elsewhere"), 410: say("late") };
      tell(known[error.status] ?? say("refused", { error: error.message }));
      refill();
    },
  });
  for (const row of document.querySelectorAll("[data-key]"))
    row.hidden = ballot.answers[row.dataset.key] === false;
  const reasons = ballot.reasons ?? [];
  $("#reasons").hidden = reasons.length === 0;
  $("#reasons .row").replaceChildren(...reasons.map((reason) => el("button", { type: "button", dir: "auto" }, reason)));
  choose(null);
  if (kept.getItem("antichain keys") === "off") $("#keys-on").checked = false;
  outbox.flush();
  await refill();
}

document.addEventListener("keydown", onKey);
document.addEventListener("click", onClick);
$("#keys-on").addEventListener("change", ({ target }) => kept.setItem("antichain keys", target.checked ? "on" : "off"));
$("#copy").addEventListener("click", async ({ target }) => {
  if (await copyText($("#end-code code").textContent)) target.textContent = say("copied");
  else getSelection().selectAllChildren($("#end-code code"));
});
// Whoever comes back after a while may have answered on another device, or too late.
let awayAt = Infinity;
document.addEventListener("visibilitychange", () => {
  if (document.hidden) awayAt = Date.now();
  else if (Date.now() - awayAt > 30_000 && outbox && !filling) {
    stale = true;
    refill();
  }
});

begin().catch(fail);
