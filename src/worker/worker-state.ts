/**
 * Where a worker is in its life.
 *
 * `idle`: `run` was not called · `starting`: the server has not answered yet · `running` · `paused` · `closing`:
 * handlers end and settlements leave · `closed` · `failed`: the server will never serve it (wrong password, wrong
 * fence).
 */
export type WorkerState = "idle" | "starting" | "running" | "paused" | "closing" | "closed" | "failed";
