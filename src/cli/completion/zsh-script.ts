/**
 * The completion script for zsh. It walks over the words as the one for bash does, and shows descriptions beside names.
 */

import type { CommandNode } from "../command-tree.ts";
import { type Completion, type FlatCommand, flatCommands, valueOptions } from "./flat-command.ts";

/** The script; it is to be sourced after `compinit`, or to lie in `fpath` as `_echomq`. */
export function zshScript(root: CommandNode): string {
  const commands = flatCommands(root);
  const paths = commands.filter(({ path }) => path !== "").map(({ path }) => `"${path}"`);
  return `#compdef echomq
# zsh completion for echomq: source <(echomq completion zsh)
_echomq() {
  local word prev="" path_="" place=0 is_value=0 at
  local -a found
  for ((at = 2; at < CURRENT; at++)); do
    word=\${words[at]}
    if ((is_value)); then
      is_value=0
      continue
    fi
    case "$word" in
      ${valueOptions(commands).join("|")}) is_value=1; prev=$word ;;
      -?*) ;;
      *)
        case "\${path_:+$path_ }$word" in
          ${paths.join("|")}) path_="\${path_:+$path_ }$word"; place=0 ;;
          *) place=$((place + 1)) ;;
        esac
        ;;
    esac
  done
  if ((is_value)); then
    case "$path_ $prev" in
${commands.flatMap(valueCases).join("\n")}
    esac
  elif [[ \${words[CURRENT]} == -* ]]; then
    case "$path_" in
${commands.map(optionCase).join("\n")}
    esac
  else
    case "$path_:$place" in
${commands.flatMap(placeCases).join("\n")}
    esac
  fi
  ((\${#found})) && _describe 'echomq' found
}
if [ "$funcstack[1]" = "_echomq" ]; then
  _echomq "$@"
else
  compdef _echomq echomq
fi
`;
}

function valueCases({ path, options }: FlatCommand): string[] {
  return options.flatMap(({ long, completion }) => {
    const effect = effectOf(completion);
    return effect === undefined ? [] : [`      "${path} ${long}") ${effect} ;;`];
  });
}

function optionCase({ path, options }: FlatCommand): string {
  const entries = options.map(({ long, description }) => entry(long, description));
  return `      "${path}") found=(${entries.join(" ")}) ;;`;
}

function placeCases({ path, commands, places }: FlatCommand): string[] {
  const own = places.flatMap((completion, place) => {
    const effect = effectOf(completion);
    return effect === undefined ? [] : [`      "${path}:${place}") ${effect} ;;`];
  });
  if (commands.length === 0) return own;
  const entries = commands.map(({ name, summary }) => entry(name, summary));
  return [`      "${path}:0") found=(${entries.join(" ")}) ;;`, ...own];
}

function effectOf(completion: Completion): string | undefined {
  switch (completion.kind) {
    case "files":
      return "_files";
    case "words":
      return `found=(${completion.words.map((word) => `'${word}'`).join(" ")})`;
    case "none":
      return undefined;
  }
}

/** A name with its description, as `_describe` takes them: a colon between them, escaped within. */
function entry(name: string, description: string): string {
  const escaped = `${name}:${description.replaceAll(":", "\\:")}`;
  return `'${escaped.replaceAll("'", `'\\''`)}'`;
}
