// The two cards: an item's name, text, picture, sound, film or link, built so that nothing in it runs.

import { el, root } from "./common.js";

const FIRST = 3_000; // characters of a text that are shown before somebody asks for all
const LONGEST_NAME = 300;
const HARMLESS = new Set(
  "P BR HR EM STRONG B I S DEL CODE PRE BLOCKQUOTE UL OL LI TABLE THEAD TBODY TR TH TD".split(" "),
);

/** Fills a card with an item; what is built ahead loads its files ahead. */
export function fill(card, built) {
  const { name, body, bare } = built;
  const heading = card.querySelector("h2");
  heading.textContent = name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name;
  card.classList.toggle("bare", bare);
  card.classList.toggle("long", name.length > 80);
  card.querySelector(".body").replaceChildren(...body);
}

/** What a card shows of an item, ready to be filled in. */
export function build(name, item, say) {
  const body = [
    item.image && picture(item.image, name, say),
    item.video && player("video", item.video, name, say),
    item.audio && player("audio", item.audio, name, say),
    ...(item.html ? text(item.html, say) : []),
    link(item.link, say),
  ].filter(Boolean);
  return { name, body, bare: body.length === 0 };
}

/** The address of one of the study's files, also where a proxy puts something before our paths. */
const ours = (path) => new URL(path.replace(/^\/+/, "./"), root);

function picture(address, name, say) {
  const image = el("img", { src: ours(address), alt: name, decoding: "async" });
  image.addEventListener("error", () => image.replaceWith(el("p", {}, say("no_media"))));
  return image;
}

function player(kind, address, name, say) {
  const media = el(kind, { src: ours(address), controls: true, preload: "auto", playsInline: true });
  media.setAttribute("aria-label", name);
  media.addEventListener("error", () => media.replaceWith(el("p", {}, say("no_media"))));
  return media;
}

function link(address, say) {
  const url = address ? web(address) ?? ours(address) : null;
  if (!url) return null;
  const words = `${say("open_link")} · ${url.host}`;
  return el("a", { href: url.href, target: "_blank", rel: "noopener noreferrer nofollow" }, words,
    el("span", { className: "unseen" }, ` ${say("new_tab")}`));
}

function web(address) {
  try {
    const url = new URL(address);
    return ["http:", "https:", "mailto:"].includes(url.protocol) ? url : null;
  } catch {
    return null;
  }
}

/** A text, at first its beginning only if it is long. */
function text(html, say) {
  // The parsed document is inert: nothing in it loads or runs, and only harmless parts are copied.
  const source = new DOMParser().parseFromString(html, "text/html").body;
  const shown = el("div", { className: "text", dir: "auto" });
  const room = { left: FIRST };
  copy(source, shown, room);
  if (room.left > 0) return [shown];
  const more = el("button", { type: "button", className: "more" }, say("show_all"));
  let all = false;
  more.setAttribute("aria-expanded", "false");
  more.addEventListener("click", () => {
    all = !all;
    shown.replaceChildren();
    copy(source, shown, { left: all ? Infinity : FIRST });
    more.textContent = say(all ? "show_less" : "show_all");
    more.setAttribute("aria-expanded", String(all));
  });
  return [shown, more];
}

function copy(from, to, room) {
  for (const node of from.childNodes) {
    if (room.left <= 0) return;
    if (node.nodeType === Node.TEXT_NODE) {
      const part = node.data.slice(0, room.left);
      room.left -= part.length;
      to.append(room.left > 0 ? part : `${part}…`);
    } else if (node.nodeType === Node.ELEMENT_NODE) {
      const made = harmless(node);
      copy(node, made ?? to, room);
      if (made) to.append(made);
    }
  }
}

function harmless(node) {
  const url = node.tagName === "A" && web(node.getAttribute("href"));
  if (url) return el("a", { href: url.href, target: "_blank", rel: "noopener noreferrer nofollow" });
  if (/^H[1-6]$/.test(node.tagName)) return el("p", { className: "heading" });
  return HARMLESS.has(node.tagName) ? document.createElement(node.tagName) : null;
}
