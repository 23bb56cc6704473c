/** Calls of the server's API, and what it refuses. */

import { signIn } from "./token.js";

const NO_COOKIE = "The server took the token, but gets no cookie from this browser: allow this page its cookie.";

/** A refusal: its sentence, its status, and the facts that stand beside the error. */
export class Refused extends Error {
  constructor(status, body) {
    super(body.error?.message ?? `The server answered ${status}.`);
    this.status = status;
    this.facts = body;
  }
}

/** The server could not be reached. */
export class Unreachable extends Error {
  constructor() {
    super("The server cannot be reached: is `longtake serve` still running?");
  }
}

/**
 * Call a route and return its JSON, or null where it says nothing. Asks for the token where one is wanted.
 * `body` is sent as it is when it is a Blob, else as JSON.
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

/** The address of a thread; its id may be anything that was typed in a terminal. */
export const threadPath = (id) => `/api/threads/${encodeURIComponent(id)}`;

/** The events of a run that is over, as its stream told them. */
export async function recordedSteps(run) {
  const response = await fetch(`/api/traces/${run}.jsonl`);
  if (!response.ok) throw new Refused(response.status, await response.json().catch(() => ({})));
  const lines = (await response.text()).split("\n").filter(Boolean);
  return lines
    .map((line) => JSON.parse(line))
    .map(({ data, ...event }) => ({ ...data, ...event, evidence: event.evidence.length }));
}
