/** Server-sent events. */

/**
 * Follow a stream until its last event. A broken connection resumes after the last received event (Last-Event-ID).
 * A hidden page holds no stream: a browser allows six connections per server, for all of its tabs.
 *
 * @param path the stream's path
 * @param on a handler per kind of event; `lost` is called when the server refuses to continue
 * @param last tells from an event's kind and data whether it is the last one
 * @returns a function that closes the stream
 */
export function follow(path, on, last) {
  let source = null;
  let received = -1; // the number of the last event: a reopened stream starts with its first one
  const open = () => {
    source = new EventSource(path);
    for (const [kind, act] of Object.entries(on)) {
      source.addEventListener(kind, (event) => {
        if (event.lastEventId && Number(event.lastEventId) <= received) return;
        if (event.lastEventId) received = Number(event.lastEventId);
        const data = JSON.parse(event.data);
        if (last(kind, data)) leave();
        act(data);
      });
    }
    source.onerror = () => {
      if (source.readyState !== EventSource.CLOSED) return;
      leave();
      on.lost?.();
    };
  };
  const attend = () => (document.hidden ? source?.close() : open());
  const leave = () => {
    document.removeEventListener("visibilitychange", attend);
    source?.close();
  };
  document.addEventListener("visibilitychange", attend);
  attend();
  return leave;
}

/** Follow a question to its answer. */
export function followRun(run, on) {
  return follow(`/api/runs/${run}/events`, on, (kind) => kind === "answer" || kind === "failed");
}

/** Follow the indexing of a video until it is over, or `lost` because the video is gone or the server is busy. */
export function followIndexing(video, show, lost) {
  return follow(`/api/videos/${video}/progress`, { progress: show, lost }, (_, progress) => over(progress));
}

export const over = (progress) => progress.state === "done" || progress.state === "failed";
