/** Subtitle files: which video they belong to, and sending them. */

import { allVideos, api } from "./api.js";

/** Whether a file is one of subtitles, by its name. */
export const isSubtitles = ({ name }) => /\.(srt|vtt|ass|ssa|ttml|dfxp|sbv|lrc|json3)$/i.test(name);

/** Send subtitles for a video, which is then indexed with them. */
export function sendSubtitles(file, video) {
  return api(`/api/videos/${video}/subtitles?name=${encodeURIComponent(file.name)}`, { method: "PUT", body: file });
}

/** The video whose name a subtitle file bears, as `talk.en.srt` bears that of `talk.mp4`. */
export async function videoOf({ name }) {
  const stem = (text) => text.toLowerCase().replace(/\.[^.]*$/, "");
  const borne = ({ name: video }) => `${stem(name)}.`.startsWith(`${stem(video)}.`);
  const videos = [...(await allVideos()).values()].filter(borne);
  if (videos.length === 1) return videos[0];
  const which = videos.length ? "Several videos have the name of these subtitles" : "No video has the name of these subtitles";
  throw new Error(`${which}: add them in the details of their video.`);
}
