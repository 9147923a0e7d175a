// The Hasse diagram: the server says where the items are, this draws them and moves them to new places.

const BOX = { width: 148, height: 34, across: 172, down: 104, margin: 12 };
const MARKS = { in: "✓", out: "–", undecided: "?", cycle: "⟲" };
const LONGEST = 15; // characters of a name in a box
const calm = matchMedia("(prefers-reduced-motion: reduce)");

let places = new Map(); // where each item is on the screen just now
let frame = 0;

export function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

export const percent = (chance) =>
  chance > 0.99 && chance < 1 ? "> 99%" : chance < 0.01 && chance > 0 ? "< 1%" : `${Math.round(100 * chance)}%`;

/** Draws the items; those above and below nothing stand in rows on top. */
export function draw(picture, { nodes, edges }) {
  const tied = new Set(edges.flatMap(({ from, to }) => [from, to]));
  const { targets, width, height } = scaled(nodes.filter(({ name }) => tied.has(name)), nodes.filter(({ name }) => !tied.has(name)));
  picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
  picture.setAttribute("width", width);
  picture.setAttribute("height", height);
  picture.style.minWidth = `${Math.min(width, Math.max(0.7 * width, 320))}px`; // smaller could not be read
  picture.setAttribute("aria-label", `Diagram of ${nodes.length} items; the list below says the same in words.`);
  const lines = edges.map((edge) => line(edge, edges.length));
  const boxes = nodes.map((node) => box(node, !places.has(node.name)));
  picture.replaceChildren(...lines.map(({ group }) => group), ...boxes.map(({ group }) => group));
  move(targets, (now) => {
    for (const { group, name } of boxes) group.setAttribute("transform", `translate(${now.get(name)})`);
    for (const each of lines) each.place(now);
  });
}

/** Places in pixels: items of one layer stand side by side, layers one below the other. */
function scaled(nodes, alone) {
  const gaps = (values) => {
    const sorted = [...new Set(values)].sort((a, b) => a - b);
    return sorted.slice(1).map((value, n) => value - sorted[n]).filter((gap) => gap > 1e-6);
  };
  const layers = new Map();
  for (const node of nodes) layers.set(node.y, [...(layers.get(node.y) ?? []), node]);
  const across = Math.min(...[...layers.values()].flatMap((layer) => gaps(layer.map(({ x }) => x))));
  const down = Math.min(...gaps([...layers.keys()]));
  const factor = { x: BOX.across / (Number.isFinite(across) ? across : 1), y: BOX.down / (Number.isFinite(down) ? down : 1) };
  const left = Math.min(...nodes.map(({ x }) => x));
  const top = Math.min(...nodes.map(({ y }) => y));
  const row = Math.max(6, ...[...layers.values()].map((layer) => layer.length));
  const above = Math.ceil(alone.length / row) * 0.6; // rows of those alone, closer than layers
  const placed = [
    ...alone.map(({ name }, n) => [name, (n % row) * BOX.across, Math.floor(n / row) * 0.6 * BOX.down]),
    ...nodes.map(({ name, x, y }) => [name, (x - left) * factor.x, (y - top) * factor.y + above * BOX.down]),
  ];
  const targets = new Map(placed.map(([name, x, y]) =>
    [name, [BOX.margin + BOX.width / 2 + x, BOX.margin + BOX.height / 2 + y]]));
  const most = (n) => Math.max(...[...targets.values()].map((place) => place[n]));
  return { targets, width: most(0) + BOX.width / 2 + BOX.margin, height: most(1) + BOX.height / 2 + BOX.margin };
}

function box({ name, verdict, chance }, fresh) {
  const letters = [...name];
  const short = letters.length > LONGEST ? `${letters.slice(0, LONGEST - 1).join("")}…` : name;
  const note = verdict === "undecided" && chance != null ? ` ${percent(chance)}` : "";
  // The state shows in the shape, too: round is in, dashed is open, square is out.
  const round = { in: BOX.height / 2, undecided: 6, cycle: 6 }[verdict] ?? 0;
  const group = svg("g", { class: `node ${verdict}${fresh ? " fresh" : ""}` },
    svg("title", {}, name),
    svg("rect", { x: -BOX.width / 2, y: -BOX.height / 2, width: BOX.width, height: BOX.height, rx: round }),
    svg("text", { "text-anchor": "middle", dy: ".35em" }, `${MARKS[verdict] ?? ""} \u2068${short}\u2069${note}`));
  return { group, name };
}

function line({ from, to, confidence }, among) {
  const path = svg("path", { "stroke-width": 1 + 2 * Math.max(0, (confidence - 0.5) * 2) });
  const label = svg("text", { "text-anchor": "middle" }, among > 40 ? "" : percent(confidence));
  const group = svg("g", { class: "edge" }, svg("title", {}, `${from} above ${to}: ${percent(confidence)}`), path, label);
  const place = (now) => {
    const [[x1, y1], [x2, y2]] = [now.get(from), now.get(to)];
    const [a, b] = [y1 + BOX.height / 2, y2 - BOX.height / 2];
    const half = (a + b) / 2;
    path.setAttribute("d", `M${x1},${a} C${x1},${half} ${x2},${half} ${x2},${b}`);
    label.setAttribute("x", x1 + 0.7 * (x2 - x1));
    label.setAttribute("y", a + 0.66 * (b - a));
  };
  return { group, place };
}

/** Moves everything from where it is to its new place within half a second. */
function move(targets, place) {
  cancelAnimationFrame(frame);
  const before = new Map([...targets].map(([name, target]) => [name, places.get(name) ?? target]));
  const begin = performance.now();
  const step = (time) => {
    const part = calm.matches || document.hidden ? 1 : Math.min(1, (time - begin) / 500);
    const eased = 1 - (1 - part) ** 3;
    places = new Map([...targets].map(([name, target]) =>
      [name, target.map((value, n) => before.get(name)[n] + eased * (value - before.get(name)[n]))]));
    place(places);
    if (part < 1) frame = requestAnimationFrame(step);
  };
  step(begin);
}

/** Draws how the votes grew. */
export function drawVotes(picture, points) {
  const [w, h, left, bottom] = [560, 220, 44, 26];
  const [from, to] = [points[0][0], points.at(-1)[0]];
  const most = niceTop(points.at(-1)[1]);
  const x = (time) => left + ((time - from) / Math.max(1, to - from)) * (w - left - 8);
  const y = (votes) => h - bottom - (votes / most) * (h - bottom - 12);
  const steps = points.map(([time, votes]) => `${x(time).toFixed(1)},${y(votes).toFixed(1)}`);
  const ticks = [0, 0.5, 1].map((part) => part * most).filter(Number.isInteger);
  const clock = (time) => new Date(1000 * time).toLocaleString([], to - from > 72_000
    ? { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" } : { hour: "2-digit", minute: "2-digit" });
  picture.setAttribute("viewBox", `0 0 ${w} ${h}`);
  picture.setAttribute("aria-label", `${points.at(-1)[1]} votes from ${clock(from)} to ${clock(to)}.`);
  picture.replaceChildren(
    ...ticks.flatMap((tick) => [
      svg("line", { class: "grid", x1: left, x2: w - 8, y1: y(tick), y2: y(tick) }),
      svg("text", { class: "small", x: left - 8, y: y(tick), dy: ".35em", "text-anchor": "end" }, tick.toLocaleString()),
    ]),
    svg("path", { class: "area", d: `M${x(from)},${y(0)} L${steps.join(" L")} L${x(to)},${y(0)} Z` }),
    svg("polyline", { class: "run", points: steps.join(" ") }),
    svg("text", { class: "small", x: left, y: h - 6 }, clock(from)),
    svg("text", { class: "small", x: w - 8, y: h - 6, "text-anchor": "end" }, clock(to)),
  );
}

function niceTop(value) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  return [1, 2, 4, 5, 6, 8, 10].map((step) => step * power).find((top) => top >= value);
}
