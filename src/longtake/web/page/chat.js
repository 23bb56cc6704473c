/** A chat: its videos in the player, its questions and answers, and the question being answered. */

import { allVideos, api, post, threadPath } from "./api.js";
import { ChatMenu } from "./chat_menu.js";
import { choose } from "./chooser.js";
import { announce, attempt, byId, confirmed, copyText, el, notice } from "./dom.js";
import { followRun, over } from "./events.js";
import { clock, cut, many } from "./format.js";
import { inWords, onProgress } from "./indexing.js";
import { chosenModel, lookAtModel, lookAtModelAgain } from "./model_state.js";
import { Stage } from "./stage.js";
import { Overview } from "./overview.js";
import { onThreads, showThreads } from "./threads.js";
import { Turn } from "./turn.js";
import { Words } from "./words.js";

const NEAR_END = 80; // pixels from the end within which the view follows new content

export class Chat {
  #visit = 0; // late responses for a chat that was left are dropped
  #opening = null; // a question waits until the chat is open
  #leave = () => {};
  #known = new Map(); // the library
  #videos = []; // ids
  #thread = null;
  #run = null;
  #last = null; // the latest turn
  #shown = null; // the turn whose calls are on the timeline

  constructor() {
    this.stage = new Stage();
    new Words(this.stage);
    this.overview = new Overview({
      name: (id) => this.#known.get(id)?.name,
      seek: (citation) => this.#play(citation),
      ask: (question) => {
        byId("question").value = question;
        byId("composer").requestSubmit();
      },
    });
    byId("composer").onsubmit = (event) => (event.preventDefault(), this.#ask());
    byId("question").onkeydown = (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      byId("composer").requestSubmit();
    };
    byId("question").onfocus = lookAtModelAgain;
    byId("choose-videos").onclick = () => this.#chooseVideos();
    byId("copy-link").onclick = () => copyText(this.stage.address(), "Link copied: it opens this video at this second.");
    this.menu = new ChatMenu((title) => this.#title(title));
    onProgress((video, progress) => this.#indexed(video, progress));
    onThreads((threads) => this.#catchUp(threads));
  }

  /** Open a new chat, with the player at a second of the first video. */
  begin(videos, at = 0) {
    return (this.#opening = this.#begin(videos, at));
  }

  /** Open a chat with its history; a question being answered continues. */
  open(id) {
    return (this.#opening = this.#open(id));
  }

  async #begin(videos, at) {
    const visit = this.close();
    lookAtModelAgain();
    this.#known = (await attempt(allVideos)) ?? new Map();
    if (visit !== this.#visit) return;
    this.#title("New chat");
    const known = videos.filter((id) => this.#known.has(id));
    this.#about(known);
    this.overview.offer(known.length === 1 ? known[0] : null);
    if (known.length < videos.length) notice("The library no longer has that video.");
    else if (at) this.stage.player.seek(at);
    byId("question").focus();
  }

  async #open(id) {
    const visit = this.close();
    lookAtModelAgain();
    this.#title("");
    const thread = await this.#read(id);
    if (visit !== this.#visit || !thread) return;
    this.#thread = id;
    this.menu.of(id);
    this.#title(thread.title || thread.asking || "New chat");
    this.#about(thread.videos.filter((video) => this.#known.has(video)));
    if (this.#videos.length < thread.videos.length) notice("The library no longer has a video of this chat.");
    this.#history(thread);
    this.#last?.element.scrollIntoView();
    if (!this.#moreIsKnown()) return;
    this.#last.early = true;
    this.#askAgain();
  }

  /** Whether all is indexed now and the last answer was given when less was read of some layer. */
  #moreIsKnown() {
    const { read } = this.#last ?? {};
    const videos = this.#videos.map((id) => this.#known.get(id));
    if (!read || videos.some(({ progress }) => progress && !over(progress))) return false;
    const total = videos.reduce((sum, { duration }) => sum + duration, 0);
    const shares = {};
    for (const { layers, duration } of videos)
      for (const { name, share } of layers) shares[name] = (shares[name] ?? 0) + (share * duration) / total;
    return Object.entries(shares).some(([name, share]) => share > (read[name] ?? 0) + 0.01);
  }

  /** Load a thread and the library; undefined on failure. */
  async #read(id) {
    const visit = this.#visit;
    try {
      const [thread, known] = await Promise.all([api(threadPath(id)), allVideos()]);
      if (visit === this.#visit) this.#known = known;
      return thread;
    } catch (error) {
      if (visit !== this.#visit) return undefined;
      notice(error.status === 404 ? "This chat was deleted." : error.message);
      if (error.status === 404) location.hash = "#/";
      return undefined;
    }
  }

  /** Show every question of a thread, and follow the one being answered. */
  #history({ turns, running, asking, again }) {
    byId("turns").replaceChildren();
    this.#last = this.#shown = null;
    for (const { number, answer } of turns.slice(0, again ?? Infinity)) this.#turn(answer, false).finish(answer, number);
    if (running) this.#follow(running, this.#turn({ question: asking }, true), again !== null);
    else this.#last?.recall();
  }

  /** Also show what was asked elsewhere, in another tab or the terminal. */
  async #catchUp(threads) {
    const busy = () => byId("send").disabled || byId("turns").querySelector(".edited"); // what is edited would be lost
    const listed = threads.find(({ id }) => id === this.#thread);
    if (!listed || busy() || (!listed.running && listed.questions <= byId("turns").children.length)) return;
    const visit = this.#visit;
    const thread = await this.#read(this.#thread);
    if (visit !== this.#visit || !thread || busy()) return;
    const follows = atEnd();
    this.#history(thread);
    if (follows) this.#last.element.scrollIntoView();
  }

  /** Leave the chat; a question being answered continues. Returns the number of the new visit. */
  close() {
    this.#leave();
    this.overview.offer(null);
    this.#working(null);
    this.#thread = this.#shown = this.#last = null;
    this.#videos = [];
    this.menu.of(null);
    this.stage.player.offer([]);
    this.stage.timeline.looked([]);
    byId("turns").replaceChildren();
    return ++this.#visit;
  }

  /** Stop answering; the findings so far become the answer. */
  async stop() {
    if (!this.#run) return;
    const buttons = [...byId("turns").querySelectorAll(".stop")];
    for (const button of buttons) button.disabled = true;
    const stopped = await attempt(() => post(`/api/runs/${this.#run}/stop`));
    if (stopped === undefined) for (const button of buttons) button.disabled = false;
  }

  async #ask() {
    const field = byId("question");
    const question = field.value.trim();
    if (!question || byId("send").disabled) return;
    const visit = this.#visit;
    byId("send").disabled = true;
    this.overview.offer(null);
    const sent = await attempt(() => this.#send(question, visit));
    if (visit !== this.#visit) return; // it is still answered, in its own chat
    byId("send").disabled = false;
    if (!sent) return;
    this.#thread = sent.thread;
    this.menu.of(sent.thread);
    history.replaceState(null, "", `#/thread/${encodeURIComponent(sent.thread)}`);
    if (field.value.trim() === question) field.value = ""; // else the next question is there already
    if (!this.#last) this.#title(question);
    const turn = this.#turn({ question }, true);
    this.#follow(sent.run, turn);
    turn.element.scrollIntoView();
  }

  async #send(question, visit) {
    await this.#opening;
    if (visit !== this.#visit) return null; // another chat was opened meanwhile
    const videos = [...this.#videos];
    if (!videos.length) throw new Error("Choose the videos to ask about.");
    const thread = this.#thread ?? (await post("/api/threads", { videos })).id;
    return { thread, ...(await post(`${threadPath(thread)}/questions`, { question, videos, model: chosenModel() })) };
  }

  /** Ask in place of an earlier question. */
  async #again(turn, question, options) {
    if (byId("send").disabled) return notice("A question of this chat is still being answered.");
    const turns = [...byId("turns").children];
    const after = turns.length - 1 - turns.indexOf(turn.element);
    if (after) {
      const facts = { Replaced: `This answer and the ${many(after, "question")} after it, once the new answer is there.` };
      if (!(await confirmed("Ask again from here?", facts, "Ask again"))) return;
    }
    const [visit, videos] = [this.#visit, [...this.#videos]];
    const body = { question, options, videos, model: chosenModel(), again: turn.number };
    byId("send").disabled = true;
    const sent = await attempt(() => post(`${threadPath(this.#thread)}/questions`, body));
    if (visit !== this.#visit) return;
    byId("send").disabled = false;
    if (!sent) return;
    while (turn.element.nextSibling) turn.element.nextSibling.remove();
    turn.element.remove();
    this.#follow(sent.run, this.#turn({ question, options }, true), true);
  }

  #turn(asked, live) {
    const context = {
      thread: () => this.#thread,
      videos: this.#videos,
      name: (id) => this.#known.get(id)?.name ?? "a deleted video",
      seek: (citation) => this.#play(citation),
      stop: () => this.stop(),
      video: (id) => this.#known.get(id),
      again: (...asked) => this.#again(...asked),
    };
    this.#last = new Turn(asked, context, (turn) => this.#look(turn), live);
    byId("turns").append(this.#last.element);
    return this.#last;
  }

  /** Follow a run; one in place of an earlier question leaves that one's answer if it fails. */
  #follow(run, turn, again = false) {
    this.#working(run);
    this.#look(turn);
    const end = (act) => (data) => {
      const follows = atEnd();
      const losesFocus = turn.doing.contains(document.activeElement);
      act(data);
      if (losesFocus) byId("turns").focus();
      if (follows) turn.element.scrollIntoView(); // so that reading starts at the question
      this.#working(null);
      showThreads(this.#thread);
      const failure = data.message ?? data.answer.error;
      if (failure) lookAtModel();
      if (failure && again) this.open(this.#thread).then(() => notice(`${failure} The earlier answer was kept.`));
    };
    this.#leave = followRun(run, {
      step: (step) => turn.step(step),
      text: (piece) => {
        const follows = turn.doing.getBoundingClientRect().top < innerHeight;
        turn.write(piece);
        if (follows) turn.doing.scrollIntoView({ block: "nearest" });
      },
      indexing: (progress) => turn.indexing(progress),
      answer: end(
        ({ answer, number }) => {
          turn.finish(answer, number);
          this.#turnTo(answer);
          announce(`Answer: ${answer.error ?? answer.answer}`);
        },
      ),
      failed: end(({ message }) => (turn.fail(message), announce(message))),
      lost: () => this.open(this.#thread), // any answer is in the thread
    });
    showThreads(this.#thread);
  }

  #working(run) {
    this.#run = run;
    if (!run) this.#leave = () => {};
    byId("send").disabled = run !== null;
  }

  #play(citation) {
    const { video: id } = citation;
    if (!this.#known.has(id)) return notice("That video was deleted.");
    if (!this.#videos.includes(id)) this.stage.player.offer([...this.#videos, id].map((each) => this.#known.get(each)));
    this.stage.play(citation);
  }

  /** Show the video that the answer cites first, unless the one shown is playing. */
  #turnTo({ citations: [first] }) {
    const { player } = this.stage;
    if (first && first.video !== player.video?.id && player.paused) player.seek(first.start, { video: first.video });
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
    byId("copy-link").hidden = !videos.length;
    const names = videos.map((id) => this.#known.get(id).name);
    const shown = names.length > 1 ? `${names.length} videos` : (names[0] ?? "Choose videos");
    byId("choose-videos").replaceChildren(el("span", { class: "unseen" }, "Videos of this chat: "), shown);
    byId("choose-videos").title = names.join(", ");
    const { id, progress } =
      videos.map((video) => this.#known.get(video)).find((video) => video.progress && !over(video.progress)) ?? {};
    byId("still-indexing").hidden = true;
    if (id) this.#indexed(id, progress);
  }

  #indexed(id, progress) {
    if (!this.#videos.includes(id)) return;
    const line = byId("still-indexing");
    line.hidden = over(progress);
    line.textContent = `${this.#known.get(id).name}: ${inWords(progress)}. You can already ask.`;
    this.stage.indexed(id, progress);
    if (!over(progress)) return;
    this.overview.renew(id);
    this.#askAgain();
  }

  /** Ask the last question again if it was answered from what was read of its videos by then, and nothing is sure. */
  #askAgain() {
    const turn = this.#last;
    if (!turn?.early || !turn.open || this.#run || byId("send").disabled) return;
    turn.early = false;
    announce("Everything is indexed now: the last question is asked again.");
    this.#again(turn, turn.question, turn.options);
  }

  async #chooseVideos() {
    const items = [...this.#known.values()].map(({ id, name, duration }) => ({ id, name, detail: clock(duration) }));
    const chosen = await choose("Videos of this chat", items, this.#videos);
    if (chosen) this.#about(chosen);
  }

  #title(text) {
    byId("chat-title").textContent = cut(text, 120);
    document.title = text ? `${cut(text, 60)} · Longtake` : "Longtake";
  }
}

/** Whether the view is at the end of the chat: on a phone the page scrolls, otherwise the chat. */
function atEnd() {
  const turns = byId("turns");
  const box = turns.scrollHeight > turns.clientHeight ? turns : document.scrollingElement;
  return box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_END;
}
