/**
 * Types of `floor-script.mjs`, which is plain JavaScript so that Node.js 20 runs it without a build.
 */

import type { Floor } from "./floor-work.mjs";

export function open(url: string): Promise<Floor>;
