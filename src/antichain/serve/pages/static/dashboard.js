// The owner's dashboard: the conclusion first, everything live.

import { $, api, call, copyText, el, Lost, post, refusal } from "./common.js";
import { draw, drawVotes, percent, raised } from "./hasse.js";
import { follow } from "./stream.js";

const STATES = { open: "Open", paused: "Paused", finished: "Complete", closed: "Closed" };
const WAYS = {
  live: "Live", polling: "Updated every few seconds (no live connection)",
  lost: "Connection lost; retrying",
};
const EXPORTS = {
  "votes.csv": "Votes (CSV)", "votes.parquet": "Votes (Parquet)", "certificate.json": "Certificate (JSON)",
  "report.html": "Report (web page)", "study.zip": "The whole study (zip)",
};
const SLOW = 120_000; // milliseconds: many votes take a while to judge
const MOST_LISTED = 12; // undecided items that are listed before somebody asks for more
const MOST_VOTERS = 20; // listed before somebody asks for all, besides those with remarks
const NATURAL = new Intl.Collator(undefined, { numeric: true }); // voter 2 before voter 10
const PATIENCE = 20; // seconds that a voter may take before the page says who is waited for
const number = (value, digits = 0) => (value ?? null) === null ? "–"
  : value.toLocaleString(undefined, { minimumFractionDigits: digits, maximumFractionDigits: digits });
const rough = (value) => number(value < 100 ? Math.round(value) : Number(value.toPrecision(2)));
const minutes = (seconds) => seconds < 60 ? "less than a minute" : `up to ${counted(Math.ceil(seconds / 60), "more minute")}`;
const some = (names) => (names.length > 4 ? `${names.slice(0, 3).join(", ")} and ${names.length - 3} others` : names.join(", "));
const plural = (n, word) => `${word}${n === 1 ? "" : "s"}`;
const counted = (n, word) => `${number(n)} ${plural(n, word)}`;

let data = null;
let before = ""; // the conclusion that was announced last
let fetching = null;
let again = false;
let next = 0; // when the server may be asked again
let came = 0; // when what is shown came
let everybody = false; // whether all voters are listed

/** Fetches and shows the newest state, at most once a second; whether that worked. */
function refresh() {
  if (fetching) again = true;
  fetching ??= load().finally(() => {
    fetching = null;
    if (again) {
      again = false;
      refresh();
    }
  });
  return fetching;
}

async function load() {
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - Date.now())));
  next = Date.now() + 1_000;
  try {
    show(await api("dashboard", { signal: AbortSignal.timeout(SLOW) }));
    $("#trouble").hidden = true;
    return true;
  } catch (error) {
    trouble(error.passing || error.status ? error.message : "The server cannot be reached. What you see may be out of date; this page keeps trying.");
    return false;
  }
}

/** Says what is wrong with the connection, until it is well again. */
function trouble(text) {
  $("#trouble").hidden = false;
  $("#trouble").textContent = text;
}

/** Says what came of something the owner did, until it is closed or something else is done. */
function notice(text) {
  $("#notice").hidden = !text;
  $("#notice span").textContent = text;
}

// -- what is shown -----------------------------------------------------------------------------------

function show(fresh) {
  data = fresh;
  came = Date.now();
  $("main").classList.remove("loading");
  const { state, counts, delta } = data;
  $("#state").textContent = STATES[state] ?? state;
  $("#state").dataset.state = state;
  $("#pause").textContent = state === "paused" ? "Resume" : "Pause";
  $("#pause").disabled = !["open", "paused"].includes(state);
  if ($("#share").disabled) shareWords();
  $("#share").disabled = !data.vote;
  $("#conclusion .lead").textContent = data.conclusion;
  if (before && data.conclusion !== before) $("#said").textContent = data.conclusion;
  before = data.conclusion;
  $("#first").hidden = counts.votes > 0;
  $("#first .link").hidden = Boolean(data.voter_links);
  $("#first code").textContent = data.vote ?? "";
  $("#guarantee").textContent = counts.votes && delta ? `With probability at least ${number(100 * (1 - delta), 1).replace(/[.,]0$/, "")}%, and under the assumptions listed in the certificate, everything`
    + " this page calls certified is true, however often you look and whenever you stop." : "";
  showWaiting();
  showLinks(data.voter_links);
  showTiles();
  showFronts();
  showDiagram();
  showReasons();
  showTime();
  showVoters();
  const remarked = data.voters.filter((voter) => voter.flags?.length).map(({ voter }) => voter);
  const flags = (counts.votes ? data.flags : []).filter(({ kind }) => kind !== "voter"); // those are in the table
  if (remarked.length) flags.push({ text: `See the remarks on ${some(remarked)} in the table of voters.` });
  $("#flags-note").textContent = flags.length ? "" : counts.votes ? "Nothing unusual so far." : "Contradictory votes, unusual voters and the like will be listed here.";
  list("#flags", flags, ({ text }) => el("li", {}, text));
  list("#notes", [data.promise, ...(counts.votes ? data.notes : [])].filter(Boolean),
    (text) => el("li", {}, text.replace("--assume cannot-compare", "assume = [\"cannot-compare\"] in a new study’s file")));
  $("#add-panel").hidden = data.add_items === false;
  if ($("#exports").childElementCount !== data.exports.length)
    list("#exports", data.exports, (name) => el("li", {}, el("button", { type: "button", onclick: () => download(name) }, EXPORTS[name] ?? name)));
}

const shareWords = () => { $("#share").textContent = data.voter_links ? "Copy the voters’ links" : "Copy the voting link"; };
const list = (selector, values, made) => $(selector).replaceChildren(...values.map(made));
const chanceOf = (name) => (data.counts.votes ? data.likely?.chances?.[name] : null);

/** A study in which each voter has a link of their own. */
function showLinks(links) {
  $("#personal").hidden = !links;
  if (!links || $("#personal tbody").childElementCount === Object.keys(links).length) return;
  list("#personal tbody", Object.entries(links), ([voter, link]) =>
    el("tr", {}, el("th", { scope: "row", dir: "auto" }, voter), el("td", {}, el("code", {}, link))));
}

/** Votes are read in the order of their asks: who holds them up, and for how long at most. */
function showWaiting() {
  const { waiting, counts, state } = data;
  const gone = state === "paused" ? 0 : (Date.now() - came) / 1_000;
  $("#waiting").hidden = !waiting || waiting.since + gone < PATIENCE;
  if (!waiting) return;
  const { voter, left, right, held, seconds } = waiting;
  const until = state === "paused" ? "once the study is resumed"
    : `for ${minutes(seconds - gone)}; then the pair goes to another voter`;
  $("#waiting").textContent = `Waiting for ${voter || "a voter"} to answer “${left} or ${right}?”, ${until}. Meanwhile ${number(held)} of ${counted(counts.votes, "vote")}`
    + ` ${held === 1 ? "is" : "are"} not counted yet, because votes are read in the order in which pairs were handed out.`;
}

function showTiles() {
  const { counts, front, undecided, out } = data;
  const tiles = [
    [counts.votes, plural(counts.votes, "vote")], [counts.voters, plural(counts.voters, "voter")], [front.length, "certified in"],
    [undecided.length, "undecided"], [out.length, "certified out"],
  ];
  list("#tiles", tiles, ([value, word]) => el("li", {}, el("b", {}, number(value)), el("span", {}, word)));
}

function showFronts() {
  list("#front", data.front, (name) => el("li", { dir: "auto" }, name));
  $("#front-tag").hidden = !data.front.length;
  $("#front-note").textContent = data.front.length ? "" : data.counts.votes
    ? "No item yet. A proof takes many votes; meanwhile, the likely front shows where things stand."
    : "Items appear here once the votes prove that nothing clearly beats them.";
  const known = data.counts.votes ? data.likely?.chances : null; // before, they say nothing
  const out = new Set(data.out.map(({ name }) => name)); // the verdict says more than the chance
  const chances = Object.entries(known ?? {}).filter(([name, chance]) => chance !== null && !out.has(name)).sort((a, b) => b[1] - a[1]);
  const on = new Set(data.likely?.front), proved = new Set(data.front);
  list("#likely", chances.filter(([name], n) => on.has(name) || n < 10), ([name, chance]) => el("li", { className: on.has(name) ? "on" : "" },
    el("span", { dir: "auto", title: name }, on.has(name) ? `● ${name}` : name),
    Object.assign(el("meter", { min: 0, max: 1, value: proved.has(name) ? 1 : chance }), { ariaLabel: `Chance of ${name}` }),
    el("span", { className: "number" }, proved.has(name) ? "in" : percent(chance))));
  $("#likely-note").textContent = chances.length
    ? data.likely.text ?? `● marks the most likely front. Each chance of being on it is a model’s estimate from the votes so far.${out.size ? " Items that are certified out are not listed." : ""}`
    : "Chances appear with the first votes.";
}

function showDiagram() {
  const { nodes = [], edges = [], alone = [], left_out: hidden = 0, drawn_from: least = 0.9 } = data.hasse ?? {};
  $("#hasse-figure").hidden = edges.length === 0;
  $("#hasse-empty").textContent = edges.length ? "Lines lead down from an item to those it beats, and show how likely that is. Solid lines are certified; dotted lines are estimates from the votes on the two items."
    : `A diagram appears here once a pair is clear: at least ${percent(least)} likely that one item clearly beats the other.`;
  if (edges.length === 0) return;
  draw($("#hasse"), { nodes, edges });
  for (const entry of document.querySelectorAll(".legend li"))
    entry.hidden = !nodes.some(({ verdict }) => verdict === entry.dataset.verdict);
  $("#hasse-alone").textContent = [
    alone.length && `Not drawn, because none of their pairs is clear yet (at least ${percent(least)} likely that one item clearly beats the other): ${alone.join(", ")}.`,
    hidden && `${counted(hidden, "item")} with small chances ${hidden === 1 ? "is" : "are"} not drawn.`,
  ].filter(Boolean).join(" ");
  list("#hasse-words", edges, ({ from, to, confidence, certified = true }) =>
    el("li", {}, `${from} is ${certified ? "" : "probably "}above ${to} (${percent(confidence)})`));
}

function showReasons() {
  const entry = ({ name, why }) => {
    const chance = chanceOf(name);
    const odds = chance == null ? null : `Chance ${percent(chance)}; `;
    return el("div", {}, el("dt", { dir: "auto" }, name), el("dd", {}, odds, raised(why ?? "")));
  };
  const { votes, items } = data.counts;
  const listed = votes ? data.undecided : [];
  const rest = listed.length > MOST_LISTED + 1 ? listed.slice(MOST_LISTED) : [];
  list("#undecided", listed.slice(0, listed.length - rest.length), entry);
  list("#undecided-more dl", rest, entry);
  $("#undecided-more").hidden = rest.length === 0;
  $("#undecided-more summary").textContent = `${counted(rest.length, "more item")}`;
  $("#undecided-note").textContent = !votes ? `All ${counted(items, "item")}, because nobody has voted yet.`
    : data.undecided.length ? "An item is in once every opponent is shown not to beat it clearly. It is out once some item is shown to beat it." : "Every item is decided.";
  $("#out-details").hidden = data.out.length === 0;
  $("#out-details summary").textContent = `${counted(data.out.length, "item")} certified out, and why`;
  list("#out", data.out, ({ name, why }) => el("div", {}, el("dt", { dir: "auto" }, name), el("dd", {}, raised(why ?? ""))));
}

function showTime() {
  const points = data.votes_over_time;
  $("#time").toggleAttribute("hidden", points.length < 2);
  $("#time-note").textContent = points.length < 2 ? "The curve begins with the first vote." : "";
  if (points.length >= 2) drawVotes($("#time"), points);
  const { low, high, median } = data.forecast ?? {};
  const done = data.state === "finished" || data.undecided.length === 0;
  $("#forecast").textContent = done ? "None: every item is decided." : data.forecast ? `About ${rough(median)}` : "";
  $("#forecast-note").textContent = done ? "" : data.forecast
    ? `more ${plural(Math.round(median), "vote")} until every item is decided; probably ${rough(low)} to ${rough(high)}. This is a simulation of how the study may go on, not a promise.`
    : "There is no forecast for this study: forecasts are made only for studies with one question.";
  $("#advice").hidden = done || !data.advice;
  $("#advice").textContent = data.advice ?? "";
}

function showVoters() {
  $("#voters").hidden = data.voters.length === 0;
  $("#voters-note").textContent = data.voters.length ? "If you exclude a voter, everything is recomputed without their votes, and the certificate says so. You can include them again."
    : "Nobody has voted yet.";
  const focused = document.activeElement?.dataset?.focus;
  const sorted = [...data.voters].sort((a, b) => NATURAL.compare(a.voter, b.voter));
  const first = sorted.filter(({ flags, excluded }, n) => n < MOST_VOTERS || flags?.length || excluded);
  $("#voters tbody").replaceChildren(...(everybody ? sorted : first).map(row));
  $("#voters-all").hidden = first.length === sorted.length;
  $("#voters-all").textContent = everybody ? "Show fewer voters" : `Show all ${number(sorted.length)} voters`;
  $("#voters-all").ariaExpanded = String(everybody);
  if (focused) document.querySelector(`[data-focus="${CSS.escape(focused)}"]`)?.focus();
}

function row({ voter, votes, per_minute, agreement, checks_passed, checks, excluded, reason, flags }) {
  const cell = (label, text) => {
    const made = el("td", { className: "number" }, text);
    made.dataset.label = label; // for phones, where the head of the table is not shown
    return made;
  };
  const button = (text, action, label) => {
    const made = el("button", { type: "button", ariaLabel: `${text} ${voter}`, onclick: action }, text);
    made.dataset.focus = `${label} ${voter}`;
    return made;
  };
  const noticed = [...(excluded ? [`excluded${reason ? `: ${reason}` : ""}`] : []), ...(flags ?? [])];
  const name = el("th", { scope: "row", dir: "auto" }, voter);
  return el("tr", { className: excluded ? "excluded" : "" }, name, cell("Votes", number(votes)), cell("Per minute", number(per_minute, 1)),
    cell("Agreement", (agreement ?? null) === null ? "–" : `${Math.round(100 * agreement)}%`),
    cell("Checks passed", checks ? `${checks_passed} of ${checks}` : "–"),
    el("td", { className: "noticed" }, noticed.join("; ")),
    el("td", { className: "actions" }, button(excluded ? "Include" : "Exclude", () => (excluded ? include(voter) : exclude(voter)), "in-or-out"), " ",
      button("Delete", () => forget(voter), "delete")));
}

// -- what the owner does -----------------------------------------------------------------------------

/** Does something and shows the outcome: the server's sentence if it refuses, or if some is left to do. */
async function act(attempt, said) {
  notice("");
  try {
    const { hint } = await attempt();
    if (hint) notice(`${said} ${hint}`);
    else $("#said").textContent = said;
    next = 0;
    return await refresh();
  } catch (error) {
    notice(sentence(error));
    return false;
  }
}

const sentence = (error) => (error instanceof Lost ? "The server cannot be reached, so nothing was done. Try again in a moment." : error.message);

/** Asks before something is done; the reason that was given, or null if it is not to be done. */
function confirmed({ heading, text, yes, reason }) {
  const dialog = $("#dialog");
  $("#dialog-heading").textContent = heading;
  $("#dialog-text").textContent = text;
  $("#dialog-reason").hidden = !reason;
  $("#dialog input").value = "";
  $("#dialog button").textContent = yes;
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener("close",
    () => resolve(dialog.returnValue === "yes" ? $("#dialog input").value.trim() : null), { once: true }));
}

const path = (voter) => `voters/${encodeURIComponent(voter)}`;
const include = (voter) => act(() => post(`${path(voter)}/include`), `The votes of ${voter} count again.`);

async function exclude(voter) {
  const reason = await confirmed({
    heading: `Exclude ${voter}?`, yes: "Exclude", reason: true,
    text: "Their votes no longer count, and everything is recomputed without them. The certificate says so, and you can include them again. Excluding voters because of how they voted voids the guarantee.",
  });
  if (reason !== null) act(() => post(`${path(voter)}/exclude`, { reason }), `${voter} is excluded.`);
}

async function forget(voter) {
  const sure = await confirmed({
    heading: `Delete everything from ${voter}?`, yes: "Delete for good",
    text: "Their votes are erased, which cannot be undone. A new certificate is made without them, and says so.",
  });
  if (sure !== null) act(() => api(path(voter), { method: "DELETE" }), `The votes of ${voter} were deleted.`);
}

async function add(event) {
  event.preventDefault();
  const form = event.target;
  const { file, ...texts } = Object.fromEntries(new FormData(form));
  const given = Object.fromEntries(Object.entries(texts).filter(([, text]) => text.trim()));
  try {
    if (file.size) given.file = { data: await base64(file) };
    await api("items", { method: "POST", body: given, signal: AbortSignal.timeout(SLOW) });
    form.reset();
    $("#add-said").textContent = `${given.name} is in the study now.`;
    next = 0;
    refresh();
  } catch (error) {
    $("#add-said").textContent = sentence(error);
  }
}

function base64(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(",") + 1));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

/** Downloads need the bearer token, so the browser fetches them and saves what came. */
async function download(name) {
  try {
    const response = await call(`export/${name}`, { signal: AbortSignal.timeout(SLOW) });
    if (!response.ok) throw await refusal(response);
    const address = URL.createObjectURL(await response.blob());
    el("a", { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  } catch (error) {
    notice(sentence(error));
  }
}

$("#pause").addEventListener("click", () => act(() => post(data.state === "paused" ? "resume" : "pause"),
  data.state === "paused" ? "The study continues." : "The study is paused, and voters see a notice about it."));
$("#voters-all").addEventListener("click", () => {
  everybody = !everybody;
  showVoters();
});
$("#notice button").addEventListener("click", () => notice(""));
setInterval(() => data && showWaiting(), 10_000); // minutes go by
$("#share").addEventListener("click", async ({ target }) => {
  const links = data.voter_links;
  const copied = await copyText(links ? Object.entries(links).map((pair) => pair.join("\t")).join("\n") : data.vote);
  if (!copied) { // browsers copy only where they trust the connection
    $(links ? "#personal" : "#first").hidden = false;
    $("#personal").open = Boolean(links);
    getSelection().selectAllChildren($(links ? "#personal tbody" : "#first code"));
  }
  target.textContent = copied ? "Copied" : "Selected below";
  setTimeout(shareWords, 3_000);
});
$("#add").addEventListener("submit", add);

await refresh();
follow(refresh, (way) => { $("#live").textContent = WAYS[way]; }).catch((error) => trouble(error.message));
