/** Every way in which four places of an act can name three jobs. */

/** Places each of a job, by number: in order, out of it, and twice at any two places, 81 in all. */
export const ORDERS: readonly (readonly number[])[] = Array.from({ length: 81 }, (_, at) =>
  [27, 9, 3, 1].map((step) => Math.floor(at / step) % 3),
);
