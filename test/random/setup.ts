/**
 * Lets every property of fast-check draw from the seed of the run. Vitest runs it before each file.
 */

import fc from "fast-check";
import { SEED } from "./seed.ts";

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: SEED });
