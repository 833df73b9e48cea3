/** What cargo builds into. */
export const TARGET_FOLDER: string;

/** The module as a server loads it. */
export const MODULE_PATH: string;

/** The floor of a native act, which only the benches build. */
export const FLOOR_PATH: string;
