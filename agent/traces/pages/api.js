/** What the page holds of a run, where the page of `longtake serve` asks its server. */

export const run = JSON.parse(document.getElementById("run").textContent);
const held = new Map(run.videos.map((video) => [video.id, video]));

/** The lanes of a video, which is all that is asked for. */
export const api = async (path) => ({ lanes: held.get(path.split("/")[3]).lanes });

/** Where a video's file is. */
export const file = (id) => held.get(id).file;

/** The still nearest to a second, `{at, url}`, where there is any. */
export function nearest(id, seconds) {
  const far = ({ at }) => Math.abs(at - seconds);
  return held.get(id).stills.reduce((best, one) => (best && far(best) <= far(one) ? best : one), undefined);
}

export const still = (id, seconds) => nearest(id, seconds)?.url ?? "data:,";
