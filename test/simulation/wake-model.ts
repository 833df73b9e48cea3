/**
 * The wake rule as a model small enough to be explored without sampling.
 *
 * A world holds what the server holds (waiting work, one lane of limit 1, the schedule, the wake list), what every
 * worker knows, and what is on its way between them. `successors` lists every single thing that may happen next: a
 * producer's act, a token that arrives, an act that reaches the server, a handler that ends, a timer, a beat, a lost
 * connection, a death. A handler may also never end, so that "a busy worker will ask later" is never an excuse.
 *
 * The invariant that carries the proof names no number of workers or jobs: claimable work implies a token in the list,
 * or a token in the custody of a live worker, or a token that went down with a dead client since the last TURN.
 *
 * Times are ticks. Each rule can be left out (`Rules`), which is how the tests show that they would notice.
 */

/** One act of a producer or operator. `later` schedules one job for that tick. */
export type Step =
  | { readonly flat: number }
  | { readonly lane: number }
  | { readonly later: number }
  | { readonly operator: "pause" | "resume" };

/** The rules of docs/protocol/wake.md, each of which a test leaves out once. */
export interface Rules {
  readonly pushOnAdmit: boolean;
  readonly pushOnResume: boolean;
  readonly pushOnSweep: boolean;
  /** A sweep at a beat pushes for all that is claimable or due, not only for what it took back. */
  readonly pushOnIdleSweep: boolean;
  /** Whose sweep found a token in the list asks, whether or not one ever reaches it. */
  readonly askAfterSweep: boolean;
  /** Push whenever the queue is claimable after an act; otherwise only when nothing was claimable before it. */
  readonly pushByLevel: boolean;
  readonly pushWorkLeft: boolean;
  readonly pushWorkLeftWhenNothingClaimed: boolean;
  readonly pushNewHead: boolean;
  /** Push only into an empty list. */
  readonly guardPush: boolean;
  readonly answerWithoutRoom: boolean;
  readonly askAtConnect: boolean;
  readonly askAfterLoss: boolean;
  readonly askWhenClosing: boolean;
  readonly blockWhileRunning: boolean;
  readonly keepTimeAfterMoving: boolean;
  readonly keepTimeAfterToken: boolean;
}

/** The rule that holds. */
export const WAKE_RULES: Rules = {
  pushOnAdmit: true,
  pushOnResume: true,
  pushOnSweep: true,
  pushOnIdleSweep: true,
  askAfterSweep: true,
  pushByLevel: true,
  pushWorkLeft: true,
  pushWorkLeftWhenNothingClaimed: true,
  pushNewHead: true,
  guardPush: true,
  answerWithoutRoom: true,
  askAtConnect: true,
  askAfterLoss: true,
  askWhenClosing: true,
  blockWhileRunning: true,
  keepTimeAfterMoving: true,
  keepTimeAfterToken: true,
};

/** One configuration to explore. Everything that may go wrong has a budget, so that the space is finite. */
export interface Configuration {
  /** The concurrency of each worker, ascending. */
  readonly workers: readonly number[];
  /** Each list is done in order; the lists interleave freely. */
  readonly producers: readonly (readonly Step[])[];
  readonly losses?: number;
  readonly deaths?: number;
  readonly failures?: number;
  readonly lapses?: number;
  readonly closes?: number;
  /** TURNs that blocked workers with nothing in hand send behind an add, and stay blocked meanwhile. */
  readonly asks?: number;
  /** Whether a blocked worker may ask by itself; `sweep`: by sweeps alone, and never by a TURN. */
  readonly beat?: boolean | "sweep";
  /** TURNs of one worker on their way at once; 1 unless given. */
  readonly turnsInFlight?: 1 | 2;
  readonly rules?: Partial<Rules>;
}

/** Jobs of each kind: flat, of the lane, and flat ones whose handler threw. */
interface Load {
  flat: number;
  lane: number;
  failed: number;
}

/** A TURN on its way to the server (`sent`), or its reply on the way back. */
interface Turn {
  sent: boolean;
  want: number;
  /** The settlements that it carries, and later the jobs that it brings. */
  load: Load;
  forToken: boolean;
  /** The tick that the timer behind it was set for, 0 when no timer is behind it. */
  byTimer: number;
  /** The last act of a closing worker: what still runs goes back. */
  last: boolean;
  moved: boolean;
  head: number;
  scheduled: boolean;
  /** The act was before the loss of a keeper, so what it says of the head may be out of date. */
  old: boolean;
}

const LINE = { none: 0, onItsWay: 1, blocked: 2, tokenComing: 3 } as const;
const LIFE = { notStarted: 0, live: 1, closing: 2, closed: 3, dead: 4 } as const;

interface WorkerState {
  concurrency: number;
  life: number;
  running: Load;
  /** Jobs that still run here though their lease is over. */
  stray: number;
  finished: Load;
  line: number;
  /** A token that was taken and not answered yet. */
  token: boolean;
  /** Another reason to ask: connect, beat, a slot freed by a stray. */
  ask: boolean;
  timerFired: number;
  keepsTime: boolean;
  timer: number;
  /** Whether the last TURN that wanted work got all that it wanted. */
  satisfied: boolean;
  turns: Turn[];
}

/** Everything there is, at one moment. */
export interface World {
  flat: number;
  lane: number;
  laneActive: number;
  paused: boolean;
  now: number;
  /** Jobs by the tick at which they fall due. */
  schedule: number[];
  wake: number;
  /** Dead clients that the server still believes to be blocked. */
  zombies: number;
  lapsedFlat: number;
  lapsedLane: number;
  /** A token went down with a dead client, and no TURN came since. */
  tokenLost: boolean;
  /** Whoever kept time, or was about to, died, and nobody took over since. */
  keeperLost: boolean;
  positions: number[];
  losses: number;
  deaths: number;
  failures: number;
  lapses: number;
  closes: number;
  asks: number;
  workers: WorkerState[];
}

/** A thing that happened, and the world after it. */
export interface Successor {
  readonly label: string;
  readonly world: World;
}

const LAST_TICK = 5;

function emptyLoad(): Load {
  return { flat: 0, lane: 0, failed: 0 };
}

function sizeOf(load: Load): number {
  return load.flat + load.lane + load.failed;
}

/** The world before anything happened. */
export function firstWorld(configuration: Configuration): World {
  return {
    flat: 0,
    lane: 0,
    laneActive: 0,
    paused: false,
    now: 0,
    schedule: new Array<number>(LAST_TICK + 1).fill(0),
    wake: 0,
    zombies: 0,
    lapsedFlat: 0,
    lapsedLane: 0,
    tokenLost: false,
    keeperLost: false,
    positions: configuration.producers.map(() => 0),
    losses: configuration.losses ?? 0,
    deaths: configuration.deaths ?? 0,
    failures: configuration.failures ?? 0,
    lapses: configuration.lapses ?? 0,
    closes: configuration.closes ?? 0,
    asks: configuration.asks ?? 0,
    workers: configuration.workers.map((concurrency) => ({
      concurrency,
      life: LIFE.notStarted,
      running: emptyLoad(),
      stray: 0,
      finished: emptyLoad(),
      line: LINE.none,
      token: false,
      ask: false,
      timerFired: 0,
      keepsTime: false,
      timer: 0,
      satisfied: false,
      turns: [],
    })),
  };
}

function cloneWorld(world: World): World {
  return {
    ...world,
    schedule: world.schedule.slice(),
    positions: world.positions.slice(),
    workers: world.workers.map((worker) => ({
      ...worker,
      running: { ...worker.running },
      finished: { ...worker.finished },
      turns: worker.turns.map((turn) => ({ ...turn, load: { ...turn.load } })),
    })),
  };
}

function keyOfLoad(load: Load): string {
  return String.fromCharCode(48 + load.flat, 48 + load.lane, 48 + load.failed);
}

function keyOfWorker(worker: WorkerState): string {
  const flags = (worker.token ? 1 : 0) + (worker.ask ? 2 : 0) + (worker.keepsTime ? 4 : 0) + (worker.satisfied ? 8 : 0);
  let key = String.fromCharCode(
    48 + worker.concurrency,
    48 + worker.life,
    48 + worker.line,
    48 + flags,
    48 + worker.timer,
    48 + worker.timerFired,
    48 + worker.stray,
  );
  key += keyOfLoad(worker.running) + keyOfLoad(worker.finished);
  for (const turn of worker.turns) {
    const marks =
      (turn.sent ? 1 : 0) +
      (turn.forToken ? 2 : 0) +
      (turn.last ? 4 : 0) +
      (turn.moved ? 8 : 0) +
      (turn.scheduled ? 16 : 0) +
      (turn.old ? 32 : 0);
    key += String.fromCharCode(48 + turn.want, 48 + marks, 48 + turn.byTimer, 48 + turn.head) + keyOfLoad(turn.load);
  }
  return key;
}

/** A text that equal worlds share. Workers of one concurrency are alike, so their order does not count. */
export function keyOf(world: World): string {
  const flags = (world.paused ? 1 : 0) + (world.tokenLost ? 2 : 0) + (world.keeperLost ? 4 : 0);
  const head = String.fromCharCode(
    48 + world.flat,
    48 + world.lane,
    48 + world.laneActive,
    48 + flags,
    48 + world.now,
    48 + world.wake,
    48 + world.zombies,
    48 + world.lapsedFlat,
    48 + world.lapsedLane,
    48 + world.losses,
    48 + world.deaths,
    48 + world.failures,
    48 + world.lapses,
    48 + world.closes,
    48 + world.asks,
    ...world.schedule.map((count) => 48 + count),
    ...world.positions.map((position) => 48 + position),
  );
  return `${head}|${world.workers.map(keyOfWorker).sort().join("|")}`;
}

function isAlive(worker: WorkerState): boolean {
  return worker.life === LIFE.live || worker.life === LIFE.closing;
}

/** Whether a claim would find work now. */
export function isClaimable(world: World): boolean {
  return !world.paused && (world.flat > 0 || (world.lane > 0 && world.laneActive === 0));
}

function headOf(world: World): number {
  for (let tick = 0; tick <= LAST_TICK; tick++) if ((world.schedule[tick] ?? 0) > 0) return tick;
  return 0;
}

/** From now on nobody may keep time, until an act of later on makes somebody do so. */
function loseKeeper(world: World): void {
  world.keeperLost = true;
  for (const worker of world.workers) for (const turn of worker.turns) if (!turn.sent) turn.old = true;
}

function outstandingWant(worker: WorkerState): number {
  let want = 0;
  for (const turn of worker.turns) want += turn.want;
  return want;
}

function roomOf(worker: WorkerState): number {
  return Math.max(0, worker.concurrency - sizeOf(worker.running) - worker.stray - outstandingWant(worker));
}

function mustSend(worker: WorkerState): boolean {
  if (worker.token || worker.ask || worker.timerFired > 0 || sizeOf(worker.finished) > 0) return true;
  return worker.life === LIFE.live && worker.satisfied && worker.turns.length === 0 && roomOf(worker) > 0;
}

/** The invariant of the proof. */
export function invariantHolds(world: World): boolean {
  if (!isClaimable(world) || world.wake > 0 || world.tokenLost) return true;
  return world.workers.some(
    (worker) =>
      isAlive(worker) &&
      (worker.token || worker.line === LINE.tokenComing || worker.turns.some((turn) => turn.sent && turn.forToken)),
  );
}

/** Whether every job has ended and nothing will make another. */
export function isDone(world: World, configuration: Configuration): boolean {
  if (world.flat + world.lane + world.lapsedFlat + world.lapsedLane > 0 || headOf(world) > 0) return false;
  if (world.positions.some((position, index) => position < (configuration.producers[index]?.length ?? 0))) return false;
  return world.workers.every((worker) => {
    const held = sizeOf(worker.running) + sizeOf(worker.finished) + worker.stray;
    return !isAlive(worker) || (held === 0 && worker.turns.every((turn) => sizeOf(turn.load) === 0));
  });
}

/** Whether some worker lives or may still start. */
export function hasWorker(world: World): boolean {
  return world.workers.some((worker) => worker.life === LIFE.live || worker.life === LIFE.notStarted);
}

/** Lists all that may happen next. */
export class WakeModel {
  readonly #configuration: Configuration;
  readonly #rules: Rules;
  #found: Successor[] = [];

  constructor(configuration: Configuration) {
    this.#configuration = configuration;
    this.#rules = { ...WAKE_RULES, ...configuration.rules };
  }

  successors(world: World): Successor[] {
    this.#found = [];
    this.#produce(world);
    this.#sweep(world);
    this.#passTime(world);
    for (let index = 0; index < world.workers.length; index++) {
      this.#start(world, index);
      this.#lineEvents(world, index);
      this.#turnEvents(world, index);
      this.#send(world, index);
      this.#finish(world, index);
      this.#fireTimer(world, index);
      this.#misfortune(world, index);
    }
    return this.#found;
  }

  /** Claimable work and a live worker with room, while nothing is on its way that would bring the two together. */
  isAsleep(world: World): boolean {
    if (!isClaimable(world) || world.tokenLost || !this.#isQuiet(world)) return false;
    return world.workers.some((worker) => worker.life === LIFE.live && roomOf(worker) > 0);
  }

  /** A job is due, no worker has a timer that brings it, and nothing else is on its way. */
  isLate(world: World): boolean {
    const head = headOf(world);
    if (head === 0 || head > world.now || world.wake > 0 || world.tokenLost || world.keeperLost) return false;
    if (!this.#isQuiet(world) || !world.workers.some((worker) => worker.life === LIFE.live)) return false;
    return !world.workers.some((worker) => isAlive(worker) && worker.timer > 0 && worker.timer <= world.now);
  }

  /** Whether nothing moves by itself any more: only handlers that end, beats, timers and the outside remain. */
  #isQuiet(world: World): boolean {
    return world.workers.every((worker) => {
      if (!isAlive(worker)) return true;
      const busyLine = worker.line === LINE.onItsWay || worker.line === LINE.tokenComing;
      if (busyLine || worker.turns.length > 0 || worker.life === LIFE.closing || mustSend(worker)) return false;
      return worker.line === LINE.blocked || !this.#mayBlock(worker);
    });
  }

  #add(label: string, world: World): void {
    this.#found.push({ label, world });
  }

  /** Clones the world, so that the caller may change it and one worker in it. */
  #with(world: World, index: number): { next: World; worker: WorkerState } {
    const next = cloneWorld(world);
    const worker = next.workers[index];
    if (worker === undefined) throw new Error("no such worker");
    return { next, worker };
  }

  /** Ends an act that pushes, or not: the server gives the token to any one blocked client at once. */
  #push(label: string, world: World, push: boolean): void {
    if (push && (world.wake === 0 || !this.#rules.guardPush)) world.wake += 1;
    const blocked = world.workers.flatMap((worker, index) => (worker.line === LINE.blocked ? [index] : []));
    if (world.wake === 0 || (blocked.length === 0 && world.zombies === 0)) {
      this.#add(label, world);
      return;
    }
    for (const index of blocked) {
      const { next, worker } = this.#with(world, index);
      next.wake -= 1;
      worker.line = LINE.tokenComing;
      this.#add(`${label}, token to ${index}`, next);
    }
    if (world.zombies > 0) {
      const next = cloneWorld(world);
      next.wake -= 1;
      next.zombies -= 1;
      next.tokenLost = true;
      loseKeeper(next);
      this.#add(`${label}, token to a dead client`, next);
    }
  }

  #produce(world: World): void {
    for (let list = 0; list < this.#configuration.producers.length; list++) {
      const position = world.positions[list] ?? 0;
      const step = this.#configuration.producers[list]?.[position];
      if (step === undefined) continue;
      const next = cloneWorld(world);
      next.positions[list] = position + 1;
      const before = isClaimable(world);
      let allowed = this.#rules.pushOnAdmit;
      let newHead = false;
      if ("flat" in step) next.flat += step.flat;
      else if ("lane" in step) next.lane += step.lane;
      else if ("later" in step) newHead = this.#schedule(next, step.later);
      else {
        next.paused = step.operator === "pause";
        allowed = this.#rules.pushOnResume;
      }
      const made = isClaimable(next) && (this.#rules.pushByLevel || !before);
      this.#push(JSON.stringify(step), next, (allowed && made) || newHead);
    }
  }

  /** Adds one job to the schedule; answers whether that act pushes for it. */
  #schedule(world: World, tick: number): boolean {
    const head = headOf(world);
    const at = Math.min(tick, LAST_TICK);
    world.schedule[at] = (world.schedule[at] ?? 0) + 1;
    return this.#rules.pushNewHead && (head === 0 || at < head);
  }

  #sweep(world: World): void {
    if (world.lapsedFlat + world.lapsedLane === 0) return;
    const next = cloneWorld(world);
    const before = isClaimable(world);
    next.flat += next.lapsedFlat;
    next.lane += next.lapsedLane;
    next.laneActive -= next.lapsedLane;
    next.lapsedFlat = 0;
    next.lapsedLane = 0;
    const made = isClaimable(next) && (this.#rules.pushByLevel || !before);
    this.#push("sweep", next, this.#rules.pushOnSweep && made);
  }

  #passTime(world: World): void {
    for (let tick = world.now + 1; tick <= LAST_TICK; tick++) {
      const timers = world.workers.some((worker) => isAlive(worker) && worker.timer === tick);
      if ((world.schedule[tick] ?? 0) === 0 && !timers) continue;
      const next = cloneWorld(world);
      next.now = tick;
      this.#add(`time is ${tick}`, next);
      return;
    }
  }

  #start(world: World, index: number): void {
    if (world.workers[index]?.life !== LIFE.notStarted) return;
    const { next, worker } = this.#with(world, index);
    worker.life = LIFE.live;
    worker.ask = this.#rules.askAtConnect;
    this.#add(`${index} starts`, next);
  }

  /** Blocking, reaching the server, the token that arrives, the beat. */
  #lineEvents(world: World, index: number): void {
    const current = world.workers[index];
    if (current === undefined || !isAlive(current)) return;
    if (current.line === LINE.none && this.#mayBlock(current)) {
      const { next, worker } = this.#with(world, index);
      worker.line = LINE.onItsWay;
      this.#add(`${index} blocks`, next);
    }
    if (current.line === LINE.onItsWay) {
      const { next, worker } = this.#with(world, index);
      worker.line = world.wake > 0 ? LINE.tokenComing : LINE.blocked;
      if (world.wake > 0) next.wake -= 1;
      this.#add(`${index} is blocked`, next);
    }
    if (current.line === LINE.tokenComing) this.#receiveToken(world, index);
    if (current.line === LINE.blocked && world.asks > 0) this.#askBehind(world, index);
    if (current.line === LINE.blocked && this.#configuration.beat === "sweep") this.#sweepAtBeat(world, index);
    if (current.line === LINE.blocked && this.#configuration.beat === true) {
      const { next, worker } = this.#with(world, index);
      worker.line = LINE.none;
      worker.ask = true;
      this.#add(`${index} beat`, next);
    }
  }

  /** A worker asks behind an add of its own process, whose token may come to it while that TURN is on its way. */
  #askBehind(world: World, index: number): void {
    const { next, worker } = this.#with(world, index);
    if (worker.ask || worker.turns.length > 0 || sizeOf(worker.running) + sizeOf(worker.finished) > 0) return;
    next.asks -= 1;
    worker.ask = true;
    this.#add(`${index} asks behind an add`, next);
  }

  /** The beat of a worker whose sweep stands for its ask. */
  #sweepAtBeat(world: World, index: number): void {
    const { next, worker } = this.#with(world, index);
    const head = headOf(world);
    const isDue = !world.paused && head > 0 && head <= world.now;
    const push = this.#rules.pushOnIdleSweep && (isDue || isClaimable(world));
    worker.line = LINE.none;
    worker.ask = this.#rules.askAfterSweep && (push || world.wake > 0);
    this.#push(`${index} sweeps`, next, push);
  }

  #mayBlock(worker: WorkerState): boolean {
    if (worker.life !== LIFE.live || worker.turns.length > 0 || worker.satisfied || mustSend(worker)) return false;
    const held = sizeOf(worker.running) + worker.stray;
    return roomOf(worker) > 0 && (this.#rules.blockWhileRunning || held === 0);
  }

  #receiveToken(world: World, index: number): void {
    const { next, worker } = this.#with(world, index);
    worker.line = LINE.none;
    const ignored =
      (!this.#rules.answerWithoutRoom && roomOf(worker) === 0) ||
      (!this.#rules.askWhenClosing && worker.life === LIFE.closing);
    worker.token = worker.token || !ignored;
    this.#add(`${index} takes a token`, next);
  }

  #send(world: World, index: number): void {
    const current = world.workers[index];
    if (current === undefined || !isAlive(current)) return;
    if (current.turns.length >= (this.#configuration.turnsInFlight ?? 1)) return;
    const last = current.life === LIFE.closing && current.line === LINE.none && current.turns.length === 0;
    if (!mustSend(current) && !last) return;
    const { next, worker } = this.#with(world, index);
    if (last && !this.#rules.askWhenClosing && sizeOf(worker.running) + sizeOf(worker.finished) === 0) {
      worker.life = LIFE.closed;
      this.#add(`${index} closes in silence`, next);
      return;
    }
    const load = worker.finished;
    const want = worker.life === LIFE.live ? roomOf(worker) : 0;
    worker.turns.push({
      sent: true,
      want,
      load,
      forToken: worker.token || last,
      byTimer: worker.timerFired,
      last,
      moved: false,
      head: 0,
      scheduled: false,
      old: false,
    });
    worker.finished = emptyLoad();
    worker.token = false;
    worker.ask = false;
    worker.timerFired = 0;
    this.#add(`${index} sends TURN want ${want}`, next);
  }

  #turnEvents(world: World, index: number): void {
    const turns = world.workers[index]?.turns ?? [];
    const waiting = turns.findIndex((turn) => turn.sent);
    // The server answers in order, and replies arrive in order.
    if (waiting !== -1) {
      const both = world.flat > 0 && world.lane > 0;
      this.#act(world, index, waiting, true);
      if (both) this.#act(world, index, waiting, false);
    }
    if (turns.length > 0 && turns[0]?.sent === false) this.#reply(world, index);
  }

  /** The act itself: settle, promote, claim, and push for what is left. */
  #act(world: World, index: number, position: number, flatFirst: boolean): void {
    const { next, worker } = this.#with(world, index);
    const turn = worker.turns[position];
    if (turn === undefined) return;
    let push = this.#settle(next, worker, turn);
    const due = this.#promote(next);
    turn.moved = due > 0;
    const got = this.#claim(next, turn, flatFirst);
    turn.load = got;
    turn.sent = false;
    turn.head = headOf(next);
    next.tokenLost = false;
    const left = isClaimable(next) && (sizeOf(got) > 0 || this.#rules.pushWorkLeftWhenNothingClaimed);
    push = push || (left && this.#rules.pushWorkLeft);
    this.#push(`act of ${index}`, next, push);
  }

  #settle(world: World, worker: WorkerState, turn: Turn): boolean {
    let push = false;
    world.laneActive -= turn.load.lane;
    for (let count = 0; count < turn.load.failed; count++) {
      push = this.#schedule(world, world.now + 1) || push;
      turn.scheduled = true;
    }
    if (turn.last) {
      world.flat += worker.running.flat;
      world.lane += worker.running.lane;
      world.laneActive -= worker.running.lane;
      worker.running = emptyLoad();
    }
    return push;
  }

  #promote(world: World): number {
    let due = 0;
    for (let tick = 0; tick <= world.now; tick++) {
      due += world.schedule[tick] ?? 0;
      world.schedule[tick] = 0;
    }
    world.flat += due;
    return due;
  }

  #claim(world: World, turn: Turn, flatFirst: boolean): Load {
    const got = emptyLoad();
    if (world.paused) return got;
    const order = flatFirst ? ["flat", "lane"] : ["lane", "flat"];
    for (const kind of order) {
      if (kind === "flat") {
        got.flat = Math.min(turn.want - got.lane, world.flat);
        world.flat -= got.flat;
      } else if (turn.want > got.flat && world.lane > 0 && world.laneActive === 0) {
        got.lane = 1;
        world.lane -= 1;
        world.laneActive += 1;
      }
    }
    return got;
  }

  #reply(world: World, index: number): void {
    const { next, worker } = this.#with(world, index);
    const turn = worker.turns.shift();
    if (turn === undefined) return;
    worker.running.flat += turn.load.flat;
    worker.running.lane += turn.load.lane;
    if (turn.want > 0) worker.satisfied = sizeOf(turn.load) === turn.want;
    this.#keepTime(next, worker, turn);
    if (turn.last) {
      worker.life = LIFE.closed;
      worker.timer = 0;
      worker.keepsTime = false;
    }
    this.#add(`${index} gets ${turn.load.flat}+${turn.load.lane}`, next);
  }

  #keepTime(world: World, worker: WorkerState, turn: Turn): void {
    const called =
      (turn.forToken && this.#rules.keepTimeAfterToken) ||
      (turn.moved && this.#rules.keepTimeAfterMoving) ||
      turn.scheduled;
    // A timer set anew while its TURN was on the way makes that TURN an ordinary one.
    const ownTimer = turn.byTimer > 0 && worker.timer === 0 && worker.timerFired === 0;
    const stays = worker.keepsTime && !(ownTimer && !turn.moved);
    worker.keepsTime = (called || stays) && turn.head > 0;
    worker.timer = worker.keepsTime ? turn.head : 0;
    if (worker.keepsTime && !turn.old) world.keeperLost = false;
  }

  #finish(world: World, index: number): void {
    const current = world.workers[index];
    if (current === undefined || !isAlive(current)) return;
    if (current.running.flat > 0) {
      const { next, worker } = this.#with(world, index);
      worker.running.flat -= 1;
      worker.finished.flat += 1;
      this.#add(`${index} ends a flat job`, next);
    }
    if (current.running.flat > 0 && world.failures > 0) {
      const { next, worker } = this.#with(world, index);
      next.failures -= 1;
      worker.running.flat -= 1;
      worker.finished.failed += 1;
      this.#add(`${index} fails a flat job`, next);
    }
    if (current.running.lane > 0) {
      const { next, worker } = this.#with(world, index);
      worker.running.lane -= 1;
      worker.finished.lane += 1;
      this.#add(`${index} ends a lane job`, next);
    }
    if (current.stray > 0) {
      const { next, worker } = this.#with(world, index);
      worker.stray -= 1;
      worker.ask = true;
      this.#add(`${index} ends a stray job`, next);
    }
  }

  #fireTimer(world: World, index: number): void {
    const current = world.workers[index];
    if (current === undefined || !isAlive(current) || current.timer === 0 || current.timer > world.now) return;
    const { next, worker } = this.#with(world, index);
    worker.timerFired = worker.timer;
    worker.timer = 0;
    this.#add(`${index} timer`, next);
  }

  /** Loss of the blocking connection, a lapsed lease, an orderly close, death. */
  #misfortune(world: World, index: number): void {
    const current = world.workers[index];
    if (current === undefined || current.life !== LIFE.live) return;
    if (world.losses > 0 && current.line !== LINE.none) this.#lose(world, index);
    if (world.lapses > 0 && current.running.flat > 0) {
      const { next, worker } = this.#with(world, index);
      next.lapses -= 1;
      worker.running.flat -= 1;
      worker.stray += 1;
      next.lapsedFlat += 1;
      this.#add(`a lease of ${index} lapses`, next);
    }
    if (world.closes > 0) {
      const { next, worker } = this.#with(world, index);
      next.closes -= 1;
      worker.life = LIFE.closing;
      // The wait is called off; a token that is already on its way still arrives.
      if (worker.line !== LINE.tokenComing) worker.line = LINE.none;
      // Its timer goes with it, and so does its part in keeping time, unless its last TURN finds a successor.
      if (worker.keepsTime) loseKeeper(next);
      this.#add(`${index} closes`, next);
    }
    if (world.deaths > 0) this.#die(world, index);
  }

  #lose(world: World, index: number): void {
    const { next, worker } = this.#with(world, index);
    next.losses -= 1;
    worker.line = LINE.none;
    worker.token = worker.token || this.#rules.askAfterLoss;
    this.#add(`${index} loses its blocking connection`, next);
  }

  #die(world: World, index: number): void {
    const { next, worker } = this.#with(world, index);
    next.deaths -= 1;
    for (const load of [worker.running, worker.finished, ...worker.turns.map((turn) => turn.load)]) {
      next.lapsedFlat += load.flat + load.failed;
      next.lapsedLane += load.lane;
    }
    const custody = worker.token || worker.line === LINE.tokenComing || worker.turns.some((turn) => turn.forToken);
    next.tokenLost = next.tokenLost || custody;
    if (custody || worker.keepsTime || worker.timerFired > 0 || worker.turns.length > 0) loseKeeper(next);
    const mayLinger = worker.line === LINE.blocked || worker.line === LINE.onItsWay;
    const fresh = firstWorld(this.#configuration).workers[index];
    if (fresh === undefined) return;
    next.workers[index] = { ...fresh, life: LIFE.dead };
    this.#add(`${index} dies`, next);
    if (!mayLinger) return;
    const lingering = cloneWorld(next);
    lingering.zombies += 1;
    // A client that was about to block finds the token that lies there.
    if (lingering.wake > 0) {
      lingering.wake -= 1;
      lingering.zombies -= 1;
      lingering.tokenLost = true;
      loseKeeper(lingering);
    }
    this.#add(`${index} dies, its client stays blocked`, lingering);
  }
}
