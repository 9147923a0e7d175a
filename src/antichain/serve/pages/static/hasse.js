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

/** Powers set as such: "1 in 10^13" in the words of a certificate. */
export const raised = (text) =>
  text.replace(/\b1 in 10\^(\d+)/g, (_, power) => `1 in 10${power.replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit])}`);

export const percent = (chance) =>
  chance > 0.99 ? ">99%" : chance < 0.01 ? "<1%" : `${Math.round(100 * chance)}%`;

/** Draws the items; those above and below nothing stand in rows on top, or at the bottom if they are out. */
export function draw(picture, { nodes, edges }) {
  const tied = new Set(edges.flatMap(({ from, to }) => [from, to]));
  const { targets, width, height, at } = scaled(nodes.filter(({ name }) => tied.has(name)), nodes.filter(({ name }) => !tied.has(name)));
  picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
  picture.setAttribute("width", width);
  picture.setAttribute("height", height);
  picture.style.minWidth = `${Math.min(width, Math.max(0.7 * width, 320))}px`; // smaller could not be read
  picture.setAttribute("aria-label", `Diagram of ${nodes.length} items; the list below says the same in words.`);
  const left = ({ from }) => targets.get(from)[0];
  const lines = [...edges].sort((a, b) => left(a) - left(b)).map((edge, _, all) => line(edge, all, at));
  const boxes = nodes.map((node) => box(node, !places.has(node.name)));
  picture.replaceChildren(...lines.map(({ group }) => group), ...boxes.map(({ group }) => group));
  move(targets, (now, still) => {
    for (const { group, name } of boxes) group.setAttribute("transform", `translate(${now.get(name)})`);
    for (const each of lines) each.place(now, still);
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
  const [over, under] = [true, false].map((up) => alone.filter(({ verdict }) => (verdict !== "out") === up));
  const above = Math.ceil(over.length / row) * 0.6; // rows of those alone, closer than layers
  const tree = ([x, y]) => [(x - left) * factor.x, (y - top) * factor.y + above * BOX.down];
  const below = tree([left, Math.max(...nodes.map(({ y }) => y))])[1] + 0.6 * BOX.down;
  const placed = [
    ...over.map(({ name }, n) => [name, (n % row) * BOX.across, Math.floor(n / row) * 0.6 * BOX.down]),
    ...under.map(({ name }, n) => [name, (n % row) * BOX.across, below + Math.floor(n / row) * 0.6 * BOX.down]),
    ...nodes.map(({ name, x, y }) => [name, ...tree([x, y])]),
  ];
  const inside = ([x, y]) => [BOX.margin + BOX.width / 2 + x, BOX.margin + BOX.height / 2 + y];
  const targets = new Map(placed.map(([name, ...place]) => [name, inside(place)]));
  const most = (n) => Math.max(...[...targets.values()].map((place) => place[n]));
  return { targets, width: most(0) + BOX.width / 2 + BOX.margin, height: most(1) + BOX.height / 2 + BOX.margin,
    at: (point) => inside(tree(point)) };
}

function box({ name, verdict, chance }, fresh) {
  const letters = [...name];
  const note = verdict === "undecided" && chance != null ? ` (${percent(chance)})` : "";
  const room = LONGEST - Math.max(0, note.length - 1);
  const short = letters.length > room ? `${letters.slice(0, room - 1).join("")}…` : name;
  // The state shows in the shape, too: round is in, dashed is open, square is out.
  const round = { in: BOX.height / 2, undecided: 6, cycle: 6 }[verdict] ?? 0;
  const group = svg("g", { class: `node ${verdict}${fresh ? " fresh" : ""}` },
    svg("title", {}, name),
    svg("rect", { x: -BOX.width / 2, y: -BOX.height / 2, width: BOX.width, height: BOX.height, rx: round }),
    svg("text", { "text-anchor": "middle", dy: ".35em" }, `${MARKS[verdict] ?? ""} \u2068${short}\u2069${note}`));
  return { group, name };
}

function line({ from, to, confidence, certified = true, path: bends = [] }, edges, at) {
  const path = svg("path", { "stroke-width": 1 + 2 * Math.max(0, (confidence - 0.5) * 2) });
  const label = svg("text", { "text-anchor": "middle" }, edges.length > 40 ? "" : percent(confidence));
  const group = svg("g", { class: certified ? "edge" : "edge likely" },
    svg("title", {}, `${from} above ${to}: ${percent(confidence)}`), path, label);
  const half = BOX.height / 2;
  // Above the item that lines lead to, their labels stand side by side in the order of the lines.
  const others = edges.filter((edge) => edge.to === to).map((edge) => edge.from);
  const beside = others.indexOf(from) - (others.length - 1) / 2;
  // Bends lead around other items; they are drawn once everything stands still.
  const place = (now, still) => {
    const points = [now.get(from), ...(still ? bends.slice(1, -1).map(at) : []), now.get(to)]
      .map(([x, y], n, all) => [x, y + (n === 0 ? half : n === all.length - 1 ? -half : 0)]);
    path.setAttribute("d", points.slice(1).reduce((drawn, [x, y], n) => {
      const [u, v] = points[n];
      return `${drawn} C${u},${(v + y) / 2} ${x},${(v + y) / 2} ${x},${y}`;
    }, `M${points[0]}`));
    const [x, y] = points.at(-1);
    label.setAttribute("x", x + 40 * beside);
    label.setAttribute("y", y - 10);
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
    place(places, part === 1);
    if (part < 1) frame = requestAnimationFrame(step);
  };
  step(begin);
}

/** Draws how the votes grew. */
export function drawVotes(picture, points) {
  const room = picture.parentElement.clientWidth;
  const [w, h, left, bottom] = [Math.max(260, Math.min(560, room - 40)), 220, 44, 26]; // on phones letters stay large
  const [from, to] = [points[0][0], points.at(-1)[0]];
  const most = niceTop(points.at(-1)[1]);
  const x = (time) => left + ((time - from) / Math.max(1, to - from)) * (w - left - 8);
  const y = (votes) => h - bottom - (votes / most) * (h - bottom - 12);
  const steps = points.map(([time, votes]) => `${x(time).toFixed(1)},${y(votes).toFixed(1)}`);
  const ticks = [0, 0.5, 1].map((part) => part * most).filter(Number.isInteger);
  const clock = (time) => new Date(1000 * time).toLocaleString([], to - from > 72_000
    ? { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" }
    : { hour: "2-digit", minute: "2-digit", ...(to - from < 300 && { second: "2-digit" }) });
  picture.setAttribute("viewBox", `0 0 ${w} ${h}`);
  const votes = points.at(-1)[1];
  picture.setAttribute("aria-label", `${votes} ${votes === 1 ? "vote" : "votes"} from ${clock(from)} to ${clock(to)}.`);
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
