/**
 * The completion script for fish: one declaration a name, with the condition under which it is offered.
 *
 * Fish knows options with values by itself; which command the line is about, and how many words follow it, is found by
 * a function of the script.
 */

import type { CommandNode } from "../command-tree.ts";
import { type Completion, type FlatCommand, flatCommands, valueOptions } from "./flat-command.ts";

/** The script; it is to be sourced, or to lie in a folder of completions as `echomq.fish`. */
export function fishScript(root: CommandNode): string {
  const commands = flatCommands(root);
  const paths = commands.filter(({ path }) => path !== "").map(({ path }) => quoted(path));
  return `# fish completion for echomq: echomq completion fish | source
function __echomq_place
    set -l path ''
    set -l place 0
    set -l is_value 0
    for word in (commandline -opc)[2..-1]
        if test $is_value = 1
            set is_value 0
            continue
        end
        switch $word
            case ${valueOptions(commands).map(quoted).join(" ")}
                set is_value 1
            case '-?*'
            case '*'
                set -l next (string trim -- "$path $word")
                if contains -- "$next" ${paths.join(" ")}
                    set path $next
                    set place 0
                else
                    set place (math $place + 1)
                end
        end
    end
    echo "$path:$place"
end
function __echomq_at
    test (__echomq_place) = "$argv[1]"
end
function __echomq_in
    string match -q -- "$argv[1]:*" (__echomq_place)
end
complete -c echomq -f
${commands.flatMap(declarations).join("\n")}
`;
}

function declarations({ path, options, commands, places }: FlatCommand): string[] {
  const names = commands.map(
    ({ name, summary }) => `${head(`__echomq_at '${path}:0'`)} -a ${quoted(name)} -d ${quoted(summary)}`,
  );
  const words = places.flatMap((completion, place) => {
    const at = head(`__echomq_at '${path}:${place}'`);
    if (completion.kind === "words") return [`${at} -a ${quoted(completion.words.join(" "))}`];
    return completion.kind === "files" ? [`${at} -F`] : [];
  });
  const long = options.map(({ long, description, hasValue, completion }) => {
    const value = hasValue ? valueFlags(completion) : "";
    return `${head(`__echomq_in '${path}'`)} -l ${long.replace(/^--/, "")}${value} -d ${quoted(description)}`;
  });
  return [...names, ...words, ...long];
}

function valueFlags(completion: Completion): string {
  switch (completion.kind) {
    case "files":
      return " -r -F";
    case "words":
      return ` -x -a ${quoted(completion.words.join(" "))}`;
    case "none":
      return " -x";
  }
}

function head(condition: string): string {
  return `complete -c echomq -n "${condition}"`;
}

/** In single quotes fish knows two escapes, of the quote and of itself. */
function quoted(text: string): string {
  return `'${text.replace(/['\\]/g, (char) => `\\${char}`)}'`;
}
