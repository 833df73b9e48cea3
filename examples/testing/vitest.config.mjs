/** Settings of the Vitest example: `npx vitest run --root examples/testing`. */

export default { cacheDir: "../../node_modules/.vite", test: { include: ["*.vitest.test.mjs"] } };
