/** Videos that the server fetches by their links, where its owner allows that. */

import { api, post, remove } from "./api.js";
import { attempt, byId } from "./dom.js";
import { percent } from "./format.js";
import { rowOf } from "./uploads.js";

const EVERY = 500; // milliseconds between two looks at the progress

/** Offer to fetch links if that is allowed; `arrived` is called with the id of each new video. */
export async function startLinks(arrived) {
  const { allowed, links } = (await attempt(() => api("/api/links"))) ?? { allowed: false, links: [] };
  byId("link-form").hidden = !allowed;
  for (const link of links) follow(link, arrived);
  byId("link-form").onsubmit = async (event) => {
    event.preventDefault();
    const field = byId("link");
    const given = field.value;
    const link = await attempt(() => post("/api/links", { link: given }));
    if (!link) return;
    if (field.value === given) field.value = ""; // else the next link is there already
    follow(link, arrived);
  };
}

async function follow({ id, link }, arrived) {
  const row = rowOf(link);
  let stopped = false;
  row.say("Waiting for other links");
  row.act("Cancel", async () => {
    stopped = true;
    row.item.remove();
    await attempt(() => remove(`/api/links/${id}`));
  });
  try {
    for (;;) {
      const { state, share, error, video } = await api(`/api/links/${id}`);
      if (stopped) return;
      if (state === "failed") return row.fail(error);
      if (state === "done") return (row.item.remove(), arrived(video));
      if (state === "fetching") row.show(share ?? 0, share === null ? "Fetching" : `Fetching, ${percent(share)}`);
      await new Promise((resolve) => setTimeout(resolve, EVERY));
    }
  } catch (error) {
    if (!stopped) row.fail(error.message);
  }
}
