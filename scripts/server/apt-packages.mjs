/**
 * Unpacks a server from the distribution's own packages without installing anything.
 *
 * The mirror is the one that apt is configured for; lists and archives lie in a private folder, `apt-get download` and
 * `dpkg -x` need no rights, and no service is started. Nothing outside the target folder is written, so this is safe on
 * a machine that belongs to somebody else. Several processes may ask at once: one holds the lock and unpacks, and the
 * finished folder appears by one rename, so nobody ever sees half a server.
 */

import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

/** Longest time that one step (a list, a download) may take. */
const STEP_MS = 180_000;

/** Longest wait for another process that is unpacking the same server. */
const LOCK_MS = 400_000;

/** Rounds in which libraries of libraries are fetched; two are enough for what the servers link to. */
const LIBRARY_ROUNDS = 5;

/** Only one thing is done here besides waiting, so a plain pause of the thread is enough. */
const pause = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

/**
 * Fetches and unpacks `packages`, so that `<target>/bin/<binary>` can be run as it is.
 *
 * @param {{ binary: string, client: string, min: number[], packages: string[], backports: boolean, target: string,
 *   cache: string, isGood: () => boolean }} request `isGood` says whether the target is complete already.
 * @throws {Error} when the machine has no apt, no such package, or no network.
 */
export function fetchPackages(request) {
  for (const program of ["apt-get", "apt-cache", "dpkg", "dpkg-deb", "ldd"]) requireProgram(program);
  mkdirSync(request.cache, { recursive: true });
  withLock(join(request.cache, `${request.binary}.lock`), () => {
    if (!request.isGood()) unpackAll(request);
  });
}

function requireProgram(program) {
  try {
    execFileSync(program, ["--version"], { stdio: "ignore", timeout: STEP_MS });
  } catch {
    throw new Error(`this machine has no ${program}`);
  }
}

/** Runs `action` while holding a lock that a process which died with it cannot keep. */
function withLock(path, action) {
  const deadline = Date.now() + LOCK_MS;
  while (!takeLock(path)) {
    if (Date.now() > deadline) throw new Error(`${path} is held for too long; remove it if nothing is running`);
    pause(100);
  }
  try {
    action();
  } finally {
    rmSync(path, { force: true });
  }
}

function takeLock(path) {
  try {
    writeFileSync(path, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  }
  const holder = Number(readOr(path, ""));
  if (holder > 0 && !isAlive(holder)) rmSync(path, { force: true });
  return false;
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

function readOr(path, otherwise) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return otherwise;
  }
}

function unpackAll(request) {
  const work = mkdtempSync(join(request.cache, "apt-"));
  try {
    const apt = openApt(work);
    const version = chooseVersion(apt, request);
    const tree = join(work, "tree");
    unpack(
      apt,
      tree,
      request.packages.map((name) => `${name}=${version}`),
    );
    addLibraries(apt, tree, request);
    writePrograms(tree, request);
    publish(tree, request);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * Puts the finished tree in place. Another process may have been quicker where a lock was broken; then its tree stays.
 */
function publish(tree, { target, isGood }) {
  if (isGood()) return;
  rmSync(target, { recursive: true, force: true });
  try {
    renameSync(tree, target);
  } catch (error) {
    if (!isGood()) throw error;
  }
}

/** An apt with lists, archives and sources of its own, configured otherwise as the machine is. */
function openApt(work) {
  const mirror = findMirror();
  const config = join(work, "apt.conf");
  for (const folder of ["lists/partial", "archives/partial", "empty"])
    mkdirSync(join(work, folder), { recursive: true });
  writeFileSync(config, configText(work));
  const apt = {
    work,
    mirror,
    run: (program, args) => run(program, ["-c", config, ...args], join(work, "archives")),
    use: (suites) => {
      writeFileSync(join(work, "sources.list"), suites.map((suite) => sourceLine(mirror, suite)).join("\n"));
      apt.run("apt-get", ["update", "-qq"]);
    },
  };
  return apt;
}

/** Hooks of the machine's own configuration are cleared: they would act on the system's caches. */
function configText(work) {
  const paths = [
    ["Dir::Etc::sourcelist", "sources.list"],
    ["Dir::Etc::sourceparts", "empty"],
    ["Dir::Etc::preferences", "preferences"],
    ["Dir::Etc::preferencesparts", "empty"],
    ["Dir::State::lists", "lists"],
    ["Dir::Cache", "."],
    ["Dir::Cache::archives", "archives"],
  ];
  return [
    ...["APT::Update::Pre-Invoke", "APT::Update::Post-Invoke", "APT::Update::Post-Invoke-Success"].map(
      (name) => `#clear ${name};`,
    ),
    ...["DPkg::Pre-Invoke", "DPkg::Post-Invoke"].map((name) => `#clear ${name};`),
    ...paths.map(([name, path]) => `${name} "${join(work, path)}";`),
    'Dir::Cache::pkgcache "";',
    'Dir::Cache::srcpkgcache "";',
    'Debug::NoLocking "1";',
    'APT::Sandbox::User "root";',
    'Acquire::Languages "none";',
    'Acquire::Retries "3";',
    'Acquire::http::Timeout "30";',
    'Acquire::https::Timeout "30";',
  ].join("\n");
}

/** The machine's own source of its release: address, release and components. */
function findMirror() {
  const codename = /^VERSION_CODENAME="?([\w-]+)"?$/m.exec(readOr("/etc/os-release", ""))?.[1];
  if (codename === undefined) throw new Error("/etc/os-release names no release");
  const format = "$(REPO_URI)|$(RELEASE)|$(COMPONENT)";
  const text = run("apt-get", ["indextargets", "--no-release-info", "--format", format, "Created-By: Packages"]);
  const rows = text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split("|"));
  const own = rows.filter(([, release]) => release === codename || /^(?:old)*stable$|^testing$|^sid$/.test(release));
  if (own.length === 0) throw new Error(`apt has no source for ${codename}`);
  const [uri] = own[0];
  const components = [...new Set(own.filter((row) => row[0] === uri).map((row) => row[2]))];
  return { uri, codename, components };
}

function sourceLine({ uri, components }, suite) {
  const id = /^ID="?(\w+)"?$/m.exec(readOr("/etc/os-release", ""))?.[1] ?? "debian";
  const keyring = `/usr/share/keyrings/${id}-archive-keyring.gpg`;
  const signed = existsSync(keyring) ? `[signed-by=${keyring}] ` : "";
  return `deb ${signed}${uri} ${suite} ${components.join(" ")}`;
}

/** The newest offered version that is new enough: of the release itself, else of its backports. */
function chooseVersion(apt, { packages, min, backports }) {
  const { codename } = apt.mirror;
  const suites = backports ? [[codename], [codename, `${codename}-backports`]] : [[codename]];
  for (const suite of suites) {
    apt.use(suite);
    const lines = apt.run("apt-cache", ["madison", packages[0]]).split("\n");
    const versions = lines.map((line) => line.split("|")[1]?.trim() ?? "");
    const version = versions.find((offered) => isEnough(offered, min));
    if (version !== undefined) return version;
  }
  throw new Error(`${codename} offers no ${packages[0]} ${min.join(".")} or later`);
}

/** Compares the upstream part of a Debian version (`5:7.0.15-1`) with major and minor. */
function isEnough(version, [major, minor]) {
  const match = /^(?:\d+:)?(\d+)\.(\d+)/.exec(version);
  if (match === null) return false;
  return Number(match[1]) > major || (Number(match[1]) === major && Number(match[2]) >= minor);
}

function unpack(apt, tree, specs) {
  const folder = join(apt.work, "archives");
  const before = new Set(readdirSync(folder));
  apt.run("apt-get", ["download", "-qq", ...specs]);
  const fresh = readdirSync(folder).filter((file) => file.endsWith(".deb") && !before.has(file));
  for (const file of fresh) run("dpkg", ["-x", join(folder, file), tree]);
}

/** Adds the shared libraries that the machine lacks, by what the packages say that they depend on. */
function addLibraries(apt, tree, { binary }) {
  for (let round = 0; round < LIBRARY_ROUNDS; round++) {
    const lacking = lackingLibraries(tree, binary);
    if (lacking.length === 0) return;
    const depends = dependsOf(join(apt.work, "archives"));
    // The package of libjemalloc.so.2 is libjemalloc2, perhaps with a suffix; where none fits, all are taken.
    const stems = lacking.map((file) => file.replace(".so.", ""));
    const fitting = depends.filter((name) => stems.some((stem) => name.startsWith(stem)));
    unpack(apt, tree, fitting.length > 0 ? fitting : depends);
  }
  const still = lackingLibraries(tree, binary);
  if (still.length > 0) throw new Error(`no package brought ${still.join(", ")}`);
}

function lackingLibraries(tree, binary) {
  const env = {
    ...process.env,
    LD_LIBRARY_PATH: libraryFolders(tree)
      .map((folder) => join(tree, folder))
      .join(":"),
  };
  const text = execFileSync("ldd", [join(tree, "usr", "bin", binary)], { encoding: "utf8", env, timeout: STEP_MS });
  return [...text.matchAll(/^\s*(\S+) => not found$/gm)].map((match) => match[1]);
}

/** Folders of the unpacked tree that hold libraries, relative to it. */
function libraryFolders(tree) {
  return ["usr/lib", "lib"]
    .filter((folder) => existsSync(join(tree, folder)))
    .flatMap((folder) => [folder, ...readdirSync(join(tree, folder)).map((name) => join(folder, name))])
    .filter((folder) => folder === "usr/lib" || folder === "lib" || folder.includes("-linux-"));
}

/** Names of all packages that the fetched archives depend on, first alternatives only. */
function dependsOf(folder) {
  const archives = readdirSync(folder).filter((file) => file.endsWith(".deb"));
  const fields = archives.map((file) => run("dpkg-deb", ["-f", join(folder, file), "Depends"]));
  const names = fields.flatMap((field) => field.split(",")).map((part) => /^\s*([a-z0-9.+-]+)/.exec(part)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))];
}

/** Writes `bin/`: programs that bring their libraries along and keep the process id, because they end by `exec`. */
function writePrograms(tree, { binary, client }) {
  mkdirSync(join(tree, "bin"), { recursive: true });
  const folders = libraryFolders(tree)
    .map((folder) => `$tree/${folder}`)
    .join(":");
  for (const name of [binary, client]) {
    const lines = [
      "#!/bin/sh",
      'tree=$(dirname "$(dirname "$(readlink -f "$0")")")',
      `export LD_LIBRARY_PATH="${folders}\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"`,
      `exec "$tree/usr/bin/${name}" "$@"`,
      "",
    ];
    writeFileSync(join(tree, "bin", name), lines.join("\n"));
    chmodSync(join(tree, "bin", name), 0o755);
  }
}

function run(program, args, cwd) {
  try {
    return execFileSync(program, args, {
      cwd,
      encoding: "utf8",
      timeout: STEP_MS,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, LC_ALL: "C", DEBIAN_FRONTEND: "noninteractive" },
    });
  } catch (error) {
    const text = String(error.stderr ?? error.message).trim();
    throw new Error(`${program} ${args.slice(-2).join(" ")} failed: ${text}`, { cause: error });
  }
}
