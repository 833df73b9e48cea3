/**
 * The completion script for bash, from version 3.2 on (which macOS still has): no associative arrays, no `compopt`
 * where it does not exist.
 *
 * The script walks over the words before the cursor to find the command and the place within it. It stays short because
 * the walk is the same for every command; only the lists differ.
 */

import type { CommandNode } from "../command-tree.ts";
import { type Completion, type FlatCommand, flatCommands, valueOptions } from "./flat-command.ts";

/** The script; it is to be sourced. */
export function bashScript(root: CommandNode): string {
  const commands = flatCommands(root);
  return `# bash completion for echomq: source <(echomq completion bash)
_echomq() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev="" word path="" place=0 at is_value=0
  local files="" words=""
  for ((at = 1; at < COMP_CWORD; at++)); do
    word=\${COMP_WORDS[at]}
    if ((is_value)); then
      is_value=0
      continue
    fi
    case "$word" in
      ${valueOptions(commands).join("|")}) is_value=1; prev=$word ;;
      -?*) ;;
      *)
        case "$path $word" in
          ${subcommandPatterns(commands)}) path="$path $word"; place=0 ;;
          *) place=$((place + 1)) ;;
        esac
        ;;
    esac
  done
  if ((is_value)); then
    case "$path $prev" in
${commands.flatMap(valueCases).join("\n")}
    esac
  elif [[ $cur == -* ]]; then
    case "$path" in
${commands.map(({ path, options }) => `      ${quoted(path)}) words="${options.map(({ long }) => long).join(" ")}" ;;`).join("\n")}
    esac
  else
    case "$path:$place" in
${commands.flatMap(placeCases).join("\n")}
    esac
  fi
  COMPREPLY=()
  if [[ -n $files ]]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$cur")
  elif [[ -n $words ]]; then
    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$words" -- "$cur")
  fi
}
complete -F _echomq echomq
`;
}

/** The walk begins with an empty path and adds a blank and a name at each step. */
function quoted(path: string): string {
  return path === "" ? '""' : `" ${path}"`;
}

function subcommandPatterns(commands: readonly FlatCommand[]): string {
  return commands
    .filter(({ path }) => path !== "")
    .map(({ path }) => `" ${path}"`)
    .join("|");
}

function valueCases({ path, options }: FlatCommand): string[] {
  return options.flatMap(({ long, completion }) => {
    const effect = effectOf(completion);
    return effect === undefined ? [] : [`      "${path === "" ? "" : ` ${path}`} ${long}") ${effect} ;;`];
  });
}

function placeCases({ path, commands, places }: FlatCommand): string[] {
  const prefix = path === "" ? "" : ` ${path}`;
  const cases = places.map((completion, place) => ({ place, completion }));
  const names = commands.map(({ name }) => name);
  const all: { place: number; completion: Completion }[] =
    names.length > 0 ? [{ place: 0, completion: { kind: "words", words: names } }, ...cases] : cases;
  return all.flatMap(({ place, completion }) => {
    const effect = effectOf(completion);
    return effect === undefined ? [] : [`      "${prefix}:${place}") ${effect} ;;`];
  });
}

function effectOf(completion: Completion): string | undefined {
  switch (completion.kind) {
    case "files":
      return "files=1";
    case "words":
      return `words="${completion.words.join(" ")}"`;
    case "none":
      return undefined;
  }
}
