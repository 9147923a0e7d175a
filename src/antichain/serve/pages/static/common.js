// What both pages need: calls to the server, patience with it, and building elements.

export const root = new URL("..", import.meta.url);
const secret = location.pathname.split("/").filter(Boolean).pop();

/** The server said no, or not now; `message` is its sentence. */
export class Refused extends Error {
  constructor(status, body, retryAfter) {
    super([body.error ?? `The server answered ${status}.`, body.hint].filter(Boolean).join(" "));
    this.status = status;
    this.passing = status >= 500 || status === 429 || status === 408;
    this.retryAfter = Number(retryAfter) || 0;
  }
}

/** No answer came: the connection or the server is away. */
export class Lost extends Error {}

/** Calls the server with the secret of this page's address. */
export async function call(path, { method = "GET", body, headers, signal } = {}) {
  try {
    return await fetch(new URL(`api/${path}`, root), {
      method,
      headers: {
        Authorization: `Bearer ${secret}`,
        ...(body !== undefined && { "Content-Type": "application/json" }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: signal ?? AbortSignal.timeout(15_000),
      cache: "no-store",
      credentials: "omit",
    });
  } catch (error) {
    throw new Lost(error.message);
  }
}

/** What the server answers, as data; a `Refused` or a `Lost` if it does not. */
export async function api(path, options) {
  const response = await call(path, options);
  if (!response.ok) throw await refusal(response);
  return response.json().catch((error) => { throw new Lost(error.message); });
}

export const post = (path, body = {}) => api(path, { method: "POST", body });

export async function refusal(response) {
  const body = await response.json().catch(() => ({}));
  return new Refused(response.status, body, response.headers.get("Retry-After"));
}

/** Tries until it works, waiting longer each time; `onTrouble` is told "lost", "busy" or null. */
export async function patiently(attempt, onTrouble) {
  for (let wait = 500; ; wait = Math.min(2 * wait, 8_000)) {
    try {
      const result = await attempt();
      onTrouble(null);
      return result;
    } catch (error) {
      if (!(error instanceof Lost || error.passing)) throw error;
      onTrouble(error instanceof Lost ? "lost" : "busy");
      await pause(Math.max(wait * (0.75 + Math.random() / 2), 1000 * (error.retryAfter ?? 0)));
    }
  }
}

/** Waits so many milliseconds, or until the browser says that it is online again. */
export function pause(milliseconds) {
  return new Promise((resolve) => {
    const over = () => {
      clearTimeout(timer);
      removeEventListener("online", over);
      resolve();
    };
    const timer = setTimeout(over, milliseconds);
    addEventListener("online", over);
  });
}

export const $ = (selector, inside = document) => inside.querySelector(selector);

/** An element with properties and children; strings become text, never markup. */
export function el(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children.filter((child) => child != null));
  return element;
}

export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text); // not there without https
    return true;
  } catch {
    return false;
  }
}

/** What this browser keeps between visits; what it does not allow to keep lasts as long as the page. */
export const kept = (() => {
  try {
    localStorage.setItem("antichain", "");
    localStorage.removeItem("antichain");
    return localStorage;
  } catch {
    const values = new Map();
    return {
      getItem: (key) => values.get(key) ?? null,
      setItem: (key, value) => values.set(key, String(value)),
      removeItem: (key) => values.delete(key),
      key: (n) => [...values.keys()][n] ?? null,
      get length() { return values.size; },
    };
  }
})();
