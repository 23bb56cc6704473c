/** Formats numbers and names for people. */

/** Seconds as `1:02:03` or `2:03`. */
export function clock(seconds) {
  const whole = Math.floor(seconds + 1e-6);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (number) => String(number).padStart(2, "0");
  return hours ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

/** A span, or a single time if it is shorter than a second. */
export function span(start, end) {
  return clock(start) === clock(end) ? clock(start) : `${clock(start)}–${clock(end)}`;
}

/** Bytes in powers of a thousand, as file managers write them. */
export function bytes(count) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, count)) / 3));
  const size = count / 1000 ** power;
  return `${size >= 100 || power === 0 ? Math.round(size) : size.toFixed(1)} ${units[power]}`;
}

/** `about 3 min left`, or nothing while unknown. */
export function timeLeft(seconds) {
  if (seconds === null || seconds === undefined) return "";
  if (seconds < 60) return `about ${Math.max(1, Math.round(seconds))} s left`;
  if (seconds < 5400) return `about ${Math.round(seconds / 60)} min left`;
  return `about ${(seconds / 3600).toFixed(1)} h left`;
}

const NAMES = {
  probe: "file",
  keyframes: "pictures",
  still: "static scenes",
  text_frames: "frames with text",
  captions: "descriptions",
  detections: "people and things",
  faces: "enrolled faces",
  frame_vectors: "image search",
  text_vectors: "semantic search",
  scene_text: "on-screen text",
  visual: "picture",
  audio: "sound",
  audio_question: "questions about sounds",
  closer_speech: "speech, again",
  cross_modal_search: "search",
  summarize_segment: "summary",
  detect_audio_events: "sounds",
  extract_scene_text: "on-screen text",
  transcribe_speech: "speech",
  translate_speech: "translation",
  translate_text: "translation",
  count_objects: "counting",
  object_detection: "people and things",
  extract_math_exp: "formulas",
  detect_activities: "activities",
  detect_faces: "faces",
  find_moments: "moments",
  inspect_motion: "motion",
  integrate_frames: "frames put together",
  watch_segment: "pictures",
  image_text_embedding: "picture search",
  text_embedding: "text search",
  visual_question: "questions about pictures",
};

/** What a judge made of a statement. */
export const VERDICTS = {
  supported: "Supported",
  contradicted: "Contradicted",
  not_shown: "Not shown",
  unchecked: "Not checked",
};

/** The display name of a layer, lane, tool or modality. */
export const plain = (name) => NAMES[name] ?? name.replaceAll("_", " ");

/** The same, capitalised. */
export const Plain = (name) => plain(name).charAt(0).toUpperCase() + plain(name).slice(1);

/** Text on one line, cut to a number of characters. */
export function cut(text, limit) {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= limit ? line : `${line.slice(0, limit - 1).trimEnd()}…`;
}

/** A day, given in seconds since the epoch. */
export const day = (seconds) => new Date(seconds * 1000).toISOString().slice(0, 10);

/** When something was: the time if it was today, else the day. Given in seconds since the epoch. */
export function ago(seconds) {
  const when = new Date(seconds * 1000);
  const today = when.toDateString() === new Date().toDateString();
  return today ? when.toTimeString().slice(0, 5) : when.toLocaleDateString("en", { day: "numeric", month: "short" });
}

/** A number with its noun. */
export const many = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

export const percent = (share) => `${Math.round(share * 100)}%`;
