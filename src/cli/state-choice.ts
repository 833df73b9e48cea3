/**
 * The state that a command is about: its second argument, or `--state` for those who like names.
 *
 * Words that other queues use are refused with the word of the wire.
 */

import { Argument, type Command, Option } from "commander";
import { assertListedState, type ListedState } from "../queue/read-verbs.ts";
import { CliError } from "./cli-error.ts";

/** Adds the argument and the option. The words are shown and completed. */
export function addStateChoice(command: Command, states: readonly ListedState[]): Command {
  const parse = stateParser(states);
  return command
    .addArgument(new Argument("[state]", "state of the jobs").choices(states).argParser(parse))
    .addOption(
      new Option("--state <state>", "state of the jobs, instead of the argument").choices(states).argParser(parse),
    );
}

/** The one that was given. Throws CliError `usage` when none or two were. */
export function chosenState<State extends ListedState>(
  argument: State | undefined,
  option: State | undefined,
  states: readonly State[],
): State {
  const state = argument ?? option;
  if (state === undefined) throw new CliError("usage", `give a state: ${states.join(", ")}`);
  if (argument !== undefined && option !== undefined) throw new CliError("usage", "give the state once");
  return state;
}

function stateParser(states: readonly ListedState[]): (word: string) => ListedState {
  return (word) => {
    assertListedState(word);
    if (states.includes(word)) return word;
    const words = states.join(", ");
    throw new CliError("usage", `the state here is one of ${words}, not ${word}`, { code: "unknown_state" });
  };
}
