/** A preview with the still and text of a moment, near the pointer or focus; screen readers get the lane's text. */

import { still } from "./api.js";
import { byId } from "./dom.js";
import { cut, span } from "./format.js";

const REST = 90; // milliseconds the pointer rests before a still is fetched
const MARGIN = 8; // pixels to the edge of the window
let resting;

/** Show a mark of a video above an element, at `x` in the window. */
export function showPreview(video, mark, x, above) {
  const box = byId("preview");
  const [image, when, words] = box.children;
  when.textContent = span(mark.start, mark.end);
  words.textContent = cut(mark.texts.slice(0, 6).join(" · "), 180);
  words.hidden = !words.textContent;
  image.hidden = !video.width;
  box.hidden = false;
  const { width, height } = box.getBoundingClientRect();
  const edge = above.getBoundingClientRect();
  const left = Math.min(Math.max(MARGIN, x - width / 2), innerWidth - width - MARGIN);
  const top = edge.top - height - MARGIN;
  box.style.transform = `translate(${left}px, ${top < MARGIN ? edge.bottom + MARGIN : top}px)`;
  clearTimeout(resting);
  if (video.width) resting = setTimeout(() => (image.src = still(video.id, mark.start, 320)), image.src ? REST : 0);
}

export function hidePreview() {
  clearTimeout(resting);
  byId("preview").hidden = true;
  byId("preview").firstElementChild.removeAttribute("src");
}
