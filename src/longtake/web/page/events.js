/** Server-sent events. */

/**
 * Follow a stream until its last event. A broken connection goes on after the last event that came (Last-Event-ID).
 * While nobody sees the page it holds no stream: a browser opens six connections to a server, for all of its tabs.
 *
 * @param path of the stream
 * @param on what to do for each kind of event; `lost` when the server refuses to go on
 * @param last kinds of events, or a test of their data, after which the stream is over
 * @returns a function that leaves the stream
 */
export function follow(path, on, last) {
  let source = null;
  let told = -1; // the number of the last event: a stream that is opened again begins with its first
  const open = () => {
    source = new EventSource(path);
    for (const [kind, act] of Object.entries(on)) {
      source.addEventListener(kind, (event) => {
        if (event.lastEventId && Number(event.lastEventId) <= told) return;
        if (event.lastEventId) told = Number(event.lastEventId);
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
export function followIndexing(video, told, lost) {
  return follow(`/api/videos/${video}/progress`, { progress: told, lost }, (_, progress) => over(progress));
}

export const over = (progress) => progress.state === "done" || progress.state === "failed";
