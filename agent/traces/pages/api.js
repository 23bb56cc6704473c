/** The page's own data of a run, in place of the API that the page of `longtake serve` calls. */

export const run = JSON.parse(document.getElementById("run").textContent);
const videos = new Map(run.videos.map((video) => [video.id, video]));

/** The lanes of a video; it has no chapters here, and nothing else is requested. */
export const api = async (path) => ({ lanes: videos.get(path.split("/")[3]).lanes, chapters: [] });

/** The address of a video's file. */
export const file = (id) => videos.get(id).file;

/** The still nearest to a second, `{at, url}`; undefined if there is none. */
export function nearest(id, seconds) {
  const distance = ({ at }) => Math.abs(at - seconds);
  return videos.get(id).stills.reduce((best, one) => (best && distance(best) <= distance(one) ? best : one), undefined);
}

export const still = (id, seconds) => nearest(id, seconds)?.url ?? "data:,";

/** A run has no captions. */
export const captionsOf = () => "data:text/vtt,WEBVTT";
