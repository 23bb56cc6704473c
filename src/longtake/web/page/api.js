/** Calls to the server's API, and its errors. */

import { signIn } from "./token.js";

const NO_COOKIE = "The token is right, but the browser sent no cookie: allow cookies for this page.";

/** A refusal: its message, its status, and the whole body with further facts. */
export class Refused extends Error {
  constructor(status, body) {
    super(body.error?.message ?? `The server answered ${status}.`);
    this.status = status;
    this.facts = body;
  }
}

/** The server can't be reached. */
export class Unreachable extends Error {
  constructor() {
    super("Can't reach the server. Is `longtake serve` still running?");
  }
}

/**
 * Call a route and return its JSON, or null for an empty response. Asks for the token if one is required.
 * A Blob `body` is sent as it is, anything else as JSON.
 */
export async function api(path, { method = "GET", body, headers = {}, signal } = {}) {
  const json = body !== undefined && !(body instanceof Blob);
  const call = () =>
    fetch(path, {
      method,
      signal,
      headers: json ? { "Content-Type": "application/json", ...headers } : headers,
      body: json ? JSON.stringify(body) : body,
    }).catch((error) => {
      throw error.name === "AbortError" ? error : new Unreachable();
    });
  let response = await call();
  if (response.status === 401) {
    await signIn();
    response = await call();
    if (response.status === 401) throw new Error(NO_COOKIE);
  }
  if (!response.ok) throw new Refused(response.status, await response.json().catch(() => ({})));
  return response.status === 204 ? null : response.json();
}

export const post = (path, body) => api(path, { method: "POST", body });
export const remove = (path) => api(path, { method: "DELETE" });

/** Every video of the library, by id. */
export async function allVideos() {
  const { videos } = await api("/api/videos");
  return new Map(videos.map((video) => [video.id, video]));
}

/** The picture of a video at a second. */
export const still = (id, at, width) => `/api/videos/${id}/still?at=${Math.floor(at)}&width=${width}`;

/** The file of a video. */
export const file = (id) => `/api/videos/${id}/file`;

/** What is said in a video, as captions. */
export const captionsOf = (id) => `/api/videos/${id}/words.vtt`;

/** The address of a thread; its id may be any name typed in a terminal. */
export const threadPath = (id) => `/api/threads/${encodeURIComponent(id)}`;

/** The events of a finished run, as its stream sent them. */
export async function recordedSteps(run) {
  const response = await fetch(`/api/traces/${run}.jsonl`);
  if (!response.ok) throw new Refused(response.status, await response.json().catch(() => ({})));
  const lines = (await response.text()).split("\n").filter(Boolean);
  return lines
    .map((line) => JSON.parse(line))
    .map(({ data, ...event }) => ({ ...data, ...event, evidence: event.evidence.length }));
}
