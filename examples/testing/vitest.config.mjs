/** Settings of the Vitest example: `npx vitest run --root examples/testing`. */

export default { test: { include: ["*.vitest.test.mjs"] } };
