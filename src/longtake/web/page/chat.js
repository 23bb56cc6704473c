/** A chat: its videos in the player, its questions and answers, and the one that is being answered. */

import { allVideos, api, post, remove, threadPath } from "./api.js";
import { choose } from "./chooser.js";
import { announce, attempt, byId, confirmed, notice } from "./dom.js";
import { followRun, over } from "./events.js";
import { clock, cut } from "./format.js";
import { inWords, onProgress } from "./indexing.js";
import { Stage } from "./stage.js";
import { onThreads, showThreads } from "./threads.js";
import { Turn } from "./turn.js";

const NEAR_END = 80; // pixels from the end at which the reader follows what comes

export class Chat {
  #visit = 0; // what comes late for a chat that was left is thrown away
  #opening = null; // until a chat is open, a question waits
  #leave = () => {};
  #known = new Map(); // the library
  #videos = []; // ids
  #thread = null;
  #run = null;
  #last = null; // the latest turn
  #shown = null; // the turn whose calls are on the timeline

  constructor() {
    this.stage = new Stage();
    byId("composer").onsubmit = (event) => (event.preventDefault(), this.#ask());
    byId("question").onkeydown = (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      byId("composer").requestSubmit();
    };
    byId("stop").onclick = () => this.stop();
    byId("choose-videos").onclick = () => this.#chooseVideos();
    byId("delete-thread").onclick = () => this.#delete();
    onProgress((video, progress) => this.#indexed(video, progress));
    onThreads((threads) => this.#catchUp(threads));
  }

  /** Open a chat that has not begun. */
  begin(videos) {
    return (this.#opening = this.#begin(videos));
  }

  /** Open a chat with its history; what is being answered goes on. */
  open(id) {
    return (this.#opening = this.#open(id));
  }

  async #begin(videos) {
    const visit = this.close();
    this.#known = (await attempt(allVideos)) ?? new Map();
    if (visit !== this.#visit) return;
    this.#title("New chat");
    byId("delete-thread").hidden = true;
    this.#about(videos.filter((id) => this.#known.has(id)));
    byId("question").focus();
  }

  async #open(id) {
    const visit = this.close();
    this.#title("");
    byId("delete-thread").hidden = true;
    const thread = await this.#read(id);
    if (visit !== this.#visit || !thread) return;
    this.#thread = id;
    byId("delete-thread").hidden = false;
    this.#title(thread.title || thread.asking || "New chat");
    this.#about(thread.videos.filter((video) => this.#known.has(video)));
    this.#history(thread);
    this.#last?.element.scrollIntoView();
  }

  /** A thread, and what the library holds now; undefined where it cannot be had. */
  async #read(id) {
    const visit = this.#visit;
    try {
      const [thread, known] = await Promise.all([api(threadPath(id)), allVideos()]);
      if (visit === this.#visit) this.#known = known;
      return thread;
    } catch (error) {
      if (visit !== this.#visit) return undefined;
      notice(error.status === 404 ? "There is no such chat: it was deleted." : error.message);
      if (error.status === 404) location.hash = "#/";
      return undefined;
    }
  }

  /** Show every question of a thread, and go on with what is being answered. */
  #history({ turns, running, asking }) {
    byId("turns").replaceChildren();
    this.#last = this.#shown = null;
    for (const { number, answer } of turns) this.#turn(answer.question, false).finish(answer, number);
    if (running) this.#follow(running, this.#turn(asking, true));
    else this.#last?.recall();
  }

  /** What was asked elsewhere, in another tab or in the terminal, is shown here too. */
  async #catchUp(threads) {
    const busy = () => this.#run !== null || byId("send").disabled;
    const listed = threads.find(({ id }) => id === this.#thread);
    if (!listed || busy() || (!listed.running && listed.questions <= byId("turns").children.length)) return;
    const visit = this.#visit;
    const thread = await this.#read(this.#thread);
    if (visit !== this.#visit || !thread || busy()) return;
    const follows = atEnd();
    this.#history(thread);
    if (follows) this.#last.element.scrollIntoView();
  }

  /** Leave the chat; what is being answered goes on without us. Returns the number of the visit that begins. */
  close() {
    this.#leave();
    this.#working(null);
    this.#thread = this.#shown = this.#last = null;
    this.#videos = [];
    this.stage.player.offer([]);
    this.stage.timeline.looked([]);
    byId("turns").replaceChildren();
    return ++this.#visit;
  }

  /** Stop what is being answered; what was found so far becomes the answer. */
  async stop() {
    if (!this.#run) return;
    byId("stop").disabled = true;
    await attempt(() => post(`/api/runs/${this.#run}/stop`));
  }

  async #ask() {
    const field = byId("question");
    const question = field.value.trim();
    if (!question || this.#run || byId("send").disabled) return;
    const visit = this.#visit;
    byId("send").disabled = true;
    const sent = await attempt(() => this.#send(question));
    byId("send").disabled = false;
    if (!sent || visit !== this.#visit) return; // it is answered all the same, in its chat
    this.#thread = sent.thread;
    byId("delete-thread").hidden = false;
    history.replaceState(null, "", `#/thread/${encodeURIComponent(sent.thread)}`);
    field.value = "";
    if (!this.#last) this.#title(question);
    const turn = this.#turn(question, true);
    this.#follow(sent.run, turn);
    turn.element.scrollIntoView();
  }

  async #send(question) {
    await this.#opening;
    const videos = [...this.#videos];
    if (!videos.length) throw new Error("Choose the videos that the question is about.");
    const thread = this.#thread ?? (await post("/api/threads", { videos })).id;
    return { thread, ...(await post(`${threadPath(thread)}/questions`, { question, videos })) };
  }

  #turn(question, live) {
    const context = {
      thread: () => this.#thread,
      videos: this.#videos,
      name: (id) => this.#known.get(id)?.name ?? "a deleted video",
      seek: (citation) => this.#play(citation),
    };
    this.#last = new Turn(question, context, (turn) => this.#look(turn), live);
    byId("turns").append(this.#last.element);
    return this.#last;
  }

  #follow(run, turn) {
    this.#working(run);
    this.#look(turn);
    const end = (act) => (data) => {
      const follows = atEnd();
      act(data);
      if (follows) turn.element.scrollIntoView(); // as far as it goes: the answer is read from its question on
      this.#working(null);
      showThreads(this.#thread);
    };
    this.#leave = followRun(run, {
      step: (step) => turn.step(step),
      indexing: (progress) => turn.indexing(progress),
      answer: end(
        ({ answer, number }) => (turn.finish(answer, number), announce(`Answer: ${answer.error ?? answer.answer}`)),
      ),
      failed: end(({ message }) => (turn.fail(message), announce(message))),
      lost: () => this.open(this.#thread), // its answer stands in the thread, if there is one
    });
    showThreads(this.#thread);
  }

  #working(run) {
    this.#run = run;
    if (!run) this.#leave = () => {};
    const vanishes = document.activeElement === byId(run ? "send" : "stop");
    byId("send").hidden = run !== null;
    byId("stop").hidden = run === null;
    byId("stop").disabled = false;
    if (vanishes) byId("turns").focus();
  }

  #play(citation) {
    if (!this.#videos.includes(citation.video)) return notice("That video is not among those of this chat any more.");
    this.stage.play(citation);
  }

  /** Show the calls of a turn on the timeline. */
  #look(turn) {
    if (turn !== this.#shown) {
      this.#shown = turn;
      for (const element of byId("turns").children) element.classList.toggle("shown", element === turn.element);
      turn.recall();
    }
    this.stage.timeline.looked(turn.steps.steps);
  }

  #about(videos) {
    this.#videos.splice(0, Infinity, ...videos);
    this.stage.player.offer(videos.map((id) => this.#known.get(id)));
    const names = videos.map((id) => this.#known.get(id).name);
    byId("choose-videos").textContent =
      names.length > 1 ? `${names.length} videos` : cut(names[0] ?? "Choose videos", 24);
    byId("choose-videos").setAttribute("aria-label", `Videos of this chat: ${names.join(", ") || "none"}. Change`);
    const { id, progress } =
      videos.map((video) => this.#known.get(video)).find((video) => video.progress && !over(video.progress)) ?? {};
    byId("still-indexing").hidden = true;
    if (id) this.#indexed(id, progress);
  }

  #indexed(id, progress) {
    if (!this.#videos.includes(id)) return;
    const line = byId("still-indexing");
    line.hidden = over(progress);
    line.textContent = `${this.#known.get(id).name}: ${inWords(progress)}. You may ask meanwhile.`;
    this.stage.indexed(id, progress);
  }

  async #chooseVideos() {
    const items = [...this.#known.values()].map(({ id, name, duration }) => ({ id, name, detail: clock(duration) }));
    const chosen = await choose("Videos of this chat", items, this.#videos);
    if (chosen) this.#about(chosen);
  }

  async #delete() {
    if (!(await confirmed("Delete this chat? Its traces stay."))) return;
    if ((await attempt(() => remove(threadPath(this.#thread)))) !== undefined) location.hash = "#/";
  }

  #title(text) {
    byId("chat-title").textContent = cut(text, 120);
    document.title = text ? `${cut(text, 60)} · Longtake` : "Longtake";
  }
}

/** Whether the reader is at the end of the chat: on a phone the page scrolls, else the chat does. */
function atEnd() {
  const turns = byId("turns");
  const box = turns.scrollHeight > turns.clientHeight ? turns : document.scrollingElement;
  return box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_END;
}
