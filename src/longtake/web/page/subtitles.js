/** Subtitle files: which video they belong to, and sending them. */

import { allVideos, api } from "./api.js";

/** Whether a file is one of subtitles, by its name. */
export const isSubtitles = ({ name }) => /\.(srt|vtt|ass|ssa|ttml|dfxp|sbv|lrc|json3)$/i.test(name);

/** Send subtitles for a video, which is then indexed with them. */
export function sendSubtitles(file, video) {
  return api(`/api/videos/${video}/subtitles?name=${encodeURIComponent(file.name)}`, { method: "PUT", body: file });
}

/** The video whose name a subtitle file bears, as `talk.en.srt` bears that of `talk.mp4`; null if there is none. */
export async function videoOf({ name }) {
  const stem = (text) => text.toLowerCase().replace(/\.[^.]*$/, "");
  const borne = ({ name: video, transcript }) => !transcript && `${stem(name)}.`.startsWith(`${stem(video)}.`);
  const videos = [...(await allVideos()).values()].filter(borne);
  if (videos.length < 2) return videos[0] ?? null;
  throw new Error("Several videos have the name of these subtitles: add them in the details of their video.");
}
