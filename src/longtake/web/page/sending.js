/** Sends a file in chunks, and resumes after an interruption of the connection, the server or the page. */

import { Refused, Unreachable, api, post, remove } from "./api.js";

const KEPT = "longtake.uploads"; // in local storage: unfinished uploads by id
const LONGEST_WAIT = 30; // seconds between two attempts

/** The unfinished uploads of this browser: `{id: {name, size, modified}}`. */
export const unfinished = () => JSON.parse(localStorage.getItem(KEPT) ?? "{}");

function keep(change) {
  const uploads = unfinished();
  change(uploads);
  localStorage.setItem(KEPT, JSON.stringify(uploads));
}

const forget = (id) => keep((uploads) => delete uploads[id]);

/** The id of this file's unfinished upload, or null. */
export function uploadOf(file) {
  const same = ([, kept]) => kept.name === file.name && kept.size === file.size && kept.modified === file.lastModified;
  return Object.entries(unfinished()).find(same)?.[0] ?? null;
}

/** Cancel an upload. */
export async function discard(id) {
  forget(id);
  await remove(`/api/uploads/${id}`).catch((error) => {
    if (error.status !== 404) throw error;
  });
}

/** The state of an upload, or null if the server no longer has it. */
export async function state(id) {
  try {
    return await api(`/api/uploads/${id}`);
  } catch (error) {
    if (error.status !== 404) throw error;
    forget(id);
    return null;
  }
}

/**
 * Send a file, resuming where it stopped.
 *
 * @param report called with `{offset}` after each chunk, and `{waiting, problem}` (seconds, a message) before a retry
 * @returns the id of its video
 */
export async function send(file, report, signal) {
  let upload = null;
  let wait = 1;
  for (;;) {
    try {
      upload ??= await resumed(file);
      report(upload);
      const { offset, video } = await chunk(file, upload, signal);
      if (video) {
        forget(upload.id);
        return video;
      }
      upload = { ...upload, offset };
      wait = 1;
    } catch (error) {
      if (error.status === 409 && error.facts?.offset !== undefined) {
        upload = { ...upload, offset: error.facts.offset };
      } else if (canRecover(error)) {
        report({ waiting: wait, problem: error instanceof Refused ? error.message : "Connection lost." });
        await pause(wait, signal);
        wait = Math.min(LONGEST_WAIT, wait * 2);
        upload = null;
      } else {
        if (upload && error instanceof Refused && error.status < 500) forget(upload.id);
        throw error;
      }
    }
  }
}

async function resumed(file) {
  const id = uploadOf(file);
  const existing = id && (await state(id));
  if (existing) return { id, ...existing };
  const begun = await post("/api/uploads", { name: file.name, size: file.size });
  keep((uploads) => (uploads[begun.id] = { name: file.name, size: file.size, modified: file.lastModified }));
  return begun;
}

function chunk(file, { id, offset, chunk: size }, signal) {
  const headers = { "Upload-Offset": String(offset) };
  return api(`/api/uploads/${id}`, { method: "PATCH", headers, body: file.slice(offset, offset + size), signal });
}

/** Whether to retry: connection lost, server restarting, full or busy, or our upload still being written or gone. */
function canRecover(error) {
  return error instanceof Unreachable || [404, 408, 409, 429, 502, 503, 504, 507].includes(error.status);
}

function pause(seconds, signal) {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const timer = setTimeout(resolve, seconds * 1000);
    signal.addEventListener("abort", () => (clearTimeout(timer), reject(signal.reason)), { once: true });
  });
}
