/**
 * Real time, for the one thing that virtual time cannot bound: how long a test waits for a handler that does real work.
 */

// A test's patience is no port of the code under test: the virtual clock stands still meanwhile.
declare const setTimeout: (action: () => void, ms: number) => unknown;
declare const clearTimeout: (timer: unknown) => void;

/** Whether `promise` ended within `ms` of real time. Its rejection counts as an end; nothing is left running. */
export async function endsWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: unknown;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const done = promise.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([done, late]);
  } finally {
    clearTimeout(timer);
  }
}
