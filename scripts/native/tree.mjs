/** Writes the `mod.rs` of each generated folder. */

const HEAD =
  "// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.\n";

/** Path to text, for the folders of these files. */
export function moduleTree(paths) {
  const folders = new Map();
  const add = (folder, name) => {
    if (!folders.has(folder)) folders.set(folder, new Set());
    folders.get(folder).add(name);
  };
  for (const path of [...paths, "verbs.rs"]) {
    const parts = path.replace(/\.rs$/, "").split("/");
    parts.forEach((part, at) => {
      add(parts.slice(0, at).join("/"), part);
    });
  }
  return [...folders].map(([folder, names]) => [
    folder === "" ? "mod.rs" : `${folder}/mod.rs`,
    `${HEAD}\n${[...names]
      .sort()
      .map((name) => `pub mod ${name};`)
      .join("\n")}\n`,
  ]);
}
